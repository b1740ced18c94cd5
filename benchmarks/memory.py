"""The cost of an idle instance: the time to start, its memory at rest, and the memory of idle sockets."""

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
READY_TIMEOUT_S = 60.0
POLL_INTERVAL_S = 0.002
REST_TIME_S = 1.0
FEW, MANY = 1_000, 10_000
MAX_ROUNDS = 3
"""Memory hardly differs between rounds, and each round starts a new instance."""
SETTLING_TIME_S = 0.5


async def start(run: Run) -> None:
    """Measure seconds to ready, with a running Redis and with an embedded one, and memory at rest."""
    external: list[tuple[float, float]] = []
    embedded: list[tuple[float, float]] = []
    async with redis() as redis_url:
        for number in range(run.number(STARTS)):
            run.report(f"start {number + 1} of {run.number(STARTS)}")
            external.append(await measure_start("--redis-url", redis_url))
            with tempfile.TemporaryDirectory() as directory:
                embedded.append(await measure_start("--data-dir", directory))
    for name, title, starts in (
        ("start.ready", "start to ready", external),
        ("start.ready.own-redis", "the same with an embedded Redis", embedded),
    ):
        seconds = [ready_s for ready_s, _ in starts]
        run.figures.append(Figure(name, "Start", title, "s", seconds, better="less", target="under 1 s"))
    memory = [megabytes for _, megabytes in external]
    run.figures.append(
        Figure("memory.rest", "Start", "memory at rest", "MB", memory, better="less", target="under 80 MB")
    )


async def measure_start(*flags: str) -> tuple[float, float]:
    """Return the seconds from exec to the first 200 of /readyz, and MB at rest; then end the process."""
    started_at = perf_counter()
    program = (sys.executable, "-m", "service.main", "serve", "--port", "0", "--log-level", "error")
    async with process(*program, *flags) as started, asyncio.timeout(READY_TIMEOUT_S):
        port = await read_port(started)
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
            while (await session.get("/readyz")).status != 200:  # noqa: ASYNC110 (another process sets no event)
                await asyncio.sleep(POLL_INTERVAL_S)
        ready_s = perf_counter() - started_at
        await asyncio.sleep(REST_TIME_S)
        return ready_s, Server(started.pid, port).rss_bytes() / 2**20


async def sockets(run: Run) -> None:
    """Measure KiB per idle WebSocket, with a thousand and with ten thousand open."""
    rounds = []
    for number in range(1 if run.quick else min(run.rounds, MAX_ROUNDS)):
        run.report(f"sockets: round {number + 1}")
        rounds.append(await _sockets())
    note = "the service's own memory, without the kernel's"
    for number, kilobytes in zip((FEW, MANY), zip(*rounds, strict=True), strict=True):
        figure = (f"sockets.{number}", "Memory", f"an idle socket, {number:,} open", "KiB", [*kilobytes])
        run.figures.append(Figure(*figure, better="less", target="under 20 KiB", note=note))
        note = ""


async def _sockets() -> tuple[float, float]:
    """Return KiB per socket, of the first thousand and of all, in a new instance."""
    async with redis() as redis_url, service(redis_url) as server:
        [game] = await create(server.port, ["idle"])
        path = f"/v1/games/{game.id}/ws"
        async with watch_game(server.port, path, 1):
            before = server.rss_bytes()
            async with watch_game(server.port, path, FEW):
                await asyncio.sleep(SETTLING_TIME_S)
                few = (server.rss_bytes() - before) / FEW / 1024
                async with watch_game(server.port, path, MANY - FEW):
                    await asyncio.sleep(SETTLING_TIME_S)
                    return few, (server.rss_bytes() - before) / MANY / 1024
