"""What an instance costs before it does anything: from exec to ready, its memory at rest, and that of idle sockets."""

import asyncio
import sys
import tempfile
from time import perf_counter

import aiohttp

from benchmarks.processes import Server, process, read_port, redis, service
from benchmarks.request_corpus import create
from benchmarks.results import Figure
from benchmarks.run import Run
from benchmarks.watcher_clients import watch_game

STARTS = 7
READY_TIMEOUT_S = 20.0
POLL_INTERVAL_S = 0.002
REST_TIME_S = 1.0
FEW, MANY = 1_000, 10_000
MAX_ROUNDS = 3
"""Memory hardly differs from round to round, and each takes a fresh service."""
SETTLING_TIME_S = 0.5


async def start(run: Run) -> None:
    """Measure seconds to ready, with a Redis that runs and with one of its own, and memory at rest."""
    named: list[tuple[float, float]] = []
    own: list[tuple[float, float]] = []
    async with redis() as redis_url:
        for number in range(run.number(STARTS)):
            run.report(f"start {number + 1} of {run.number(STARTS)}")
            named.append(await _start("--redis-url", redis_url))
            with tempfile.TemporaryDirectory() as directory:
                own.append(await _start("--data-dir", directory))
    for name, title, starts in (
        ("start.ready", "start to ready", named),
        ("start.ready.own-redis", "the same with a Redis of its own", own),
    ):
        seconds = [ready_s for ready_s, _ in starts]
        run.figures.append(Figure(name, "Start", title, "s", seconds, better="less", target="under 1 s"))
    memory = [megabytes for _, megabytes in named]
    run.figures.append(
        Figure("memory.rest", "Start", "memory at rest", "MB", memory, better="less", target="under 80 MB")
    )


async def _start(*flags: str) -> tuple[float, float]:
    """Return the seconds from exec to the first 200 from /readyz, and MB at rest; the process is ended again."""
    begin = perf_counter()
    program = (sys.executable, "-m", "service.main", "serve", "--port", "0", "--log-level", "error")
    async with process(*program, *flags) as started, asyncio.timeout(READY_TIMEOUT_S):
        port = await read_port(started)
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
            while (await session.get("/readyz")).status != 200:  # noqa: ASYNC110 (another process is waited for)
                await asyncio.sleep(POLL_INTERVAL_S)
        ready_s = perf_counter() - begin
        await asyncio.sleep(REST_TIME_S)
        return ready_s, Server(started.pid, port).rss_bytes() / 2**20


async def sockets(run: Run) -> None:
    """Measure KB per idle WebSocket, with a thousand open and with ten thousand."""
    rounds = []
    for number in range(1 if run.quick else min(run.rounds, MAX_ROUNDS)):
        run.report(f"sockets: round {number + 1}")
        rounds.append(await _sockets())
    note = "the service's own memory, without the kernel's"
    for number, kilobytes in zip((FEW, MANY), zip(*rounds, strict=True), strict=True):
        figure = (f"sockets.{number}", "Memory", f"an idle socket, {number:,} open", "KB", [*kilobytes])
        run.figures.append(Figure(*figure, better="less", target="under 20 KB", note=note))
        note = ""


async def _sockets() -> tuple[float, float]:
    """Return KB per socket of the first thousand, and of all, in a service that has done nothing before."""
    async with redis() as redis_url, service(redis_url) as ours:
        [game] = await create(ours.port, ["idle"])
        path = f"/v1/games/{game.id}/ws"
        async with watch_game(ours.port, path, 1):
            before = ours.rss_bytes()
            async with watch_game(ours.port, path, FEW):
                await asyncio.sleep(SETTLING_TIME_S)
                few = (ours.rss_bytes() - before) / FEW / 1024
                async with watch_game(ours.port, path, MANY - FEW):
                    await asyncio.sleep(SETTLING_TIME_S)
                    return few, (ours.rss_bytes() - before) / MANY / 1024
