"""The instructions of a request, counted by callgrind: they hardly depend on what else the machine does, as times do.

Only the server's own process in user mode counts. What it does without requests is measured and taken off.
"""

import asyncio
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from time import perf_counter

from benchmarks.action import CEILING
from benchmarks.commits import sizes
from benchmarks.load_client import OK, HTTPConnection
from benchmarks.matches import play, service_matches
from benchmarks.processes import HIGH_LIMITS, process, read_port, redis
from benchmarks.request_corpus import baseline_posts, create, posts
from benchmarks.results import Figure
from benchmarks.run import Run
from benchmarks.sample_games import samples

GAMES, WARM_UP, COUNTED = 6, 15, 40
"""Games, and the moves of each."""
IDLE_S = 4.0
TIMEOUT_S = 300.0
MISSING = "instructions are not counted: valgrind is not installed (Debian: apt install valgrind)"
CALLGRIND = ("valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", "--smc-check=none")
SERVICE = ("service.main", "serve", "--port", "0", "--log-level", "error", "--redis-timeout-s", "60", *HIGH_LIMITS)


def is_installed() -> bool:
    """Return whether there is a valgrind."""
    return shutil.which("valgrind") is not None


class Counted:
    """A server under callgrind."""

    def __init__(self, pid: int, port: int, directory: Path) -> None:
        self.port = port
        self._pid = pid
        self._directory = directory
        self._idle_per_s = 0.0

    def control(self, option: str, *values: str) -> None:
        """Tell callgrind what to do."""
        command = ("callgrind_control", option, *values, str(self._pid))
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    async def measure_idle(self) -> None:
        """Count what the server does without requests."""
        self.control("-i", "on")
        total, seconds = await self._count(partial(asyncio.sleep, IDLE_S))
        self._idle_per_s = total / seconds
        self.control("-i", "off")

    async def thousands(self, requests: int, send: Callable[[], Awaitable[object]]) -> float:
        """Return the thousands of instructions of each of the requests that `send` sends."""
        self.control("-i", "on")
        total, seconds = await self._count(send)
        self.control("-i", "off")
        return (total - self._idle_per_s * seconds) / requests / 1000

    async def _count(self, work: Callable[[], Awaitable[object]]) -> tuple[int, float]:
        self.control("-z")
        started_at = perf_counter()
        await work()
        seconds = perf_counter() - started_at
        before = {*self._directory.iterdir()}
        self.control("-d")
        (dump,) = {*self._directory.iterdir()} - before
        return int(re.findall(r"^totals: (\d+)", dump.read_text(), re.MULTILINE)[-1]), seconds


@asynccontextmanager
async def counted(*program: str) -> AsyncIterator[Counted]:
    """Run a module of Python under callgrind, until the context ends."""
    with tempfile.TemporaryDirectory(prefix="south-seas-") as directory:
        command = (*CALLGRIND, f"--callgrind-out-file={directory}/out", sys.executable, "-m", *program)
        async with process(*command, environment=os.environ | {"PYTHONHASHSEED": "0"}) as started:
            async with asyncio.timeout(TIMEOUT_S):
                server = Counted(started.pid, await read_port(started), Path(directory))
            await server.measure_idle()
            yield server


async def count_action(server: Counted) -> float:
    """Return the thousands of instructions of an action by POST, one at a time."""
    played = samples()[:GAMES]
    games = await create(server.port, (game.seed for game in played))
    requests = [[*posts(game, sample.moves)] for game, sample in zip(games, played, strict=True)]
    return await _count_requests(server, requests)


async def count_service_action() -> float:
    """Return the same of a service of its own."""
    async with redis() as redis_url, counted(*SERVICE, "--redis-url", redis_url) as server:
        return await count_action(server)


async def _count_act(server: Counted) -> float:
    """Return those of an `act` by WebSocket, with its diff to both players."""
    matches = await service_matches(server.port, GAMES, 1, by_post=False)

    async def act(moves: int) -> None:
        for match in matches:
            await play([match], TIMEOUT_S, max_moves=moves)

    await act(WARM_UP)
    thousands = await server.thousands(GAMES * COUNTED, partial(act, COUNTED))
    for match in matches:
        match.close()
    return thousands


async def _count_reads(server: Counted, path: str = "") -> float:
    """Return those of a read of a running game."""
    matches = samples()[:GAMES]
    games = await create(server.port, (game.seed for game in matches))
    for game, sample in zip(games, matches, strict=True):
        await _send(server.port, itertools.islice(posts(game, sample.moves), WARM_UP))
    requests = [
        [f"GET /v1/games/{game.id}{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()] * (WARM_UP + COUNTED)
        for game in games
    ]
    return await _count_requests(server, requests)


async def _count_requests(server: Counted, requests: list[list[bytes]]) -> float:
    await _send(server.port, itertools.chain(*(game[:WARM_UP] for game in requests)))
    chosen = [*itertools.chain(*(game[WARM_UP : WARM_UP + COUNTED] for game in requests))]
    return await server.thousands(len(chosen), partial(_send, server.port, chosen))


async def _send(port: int, requests: Iterable[bytes]) -> None:
    connection = await HTTPConnection.open(port)
    for request in requests:
        response = await connection.request(request)
        if not response.startswith(OK):
            raise RuntimeError(response.decode())
    connection.transport.abort()


async def instructions(run: Run) -> None:
    """Count those of actions and of reads."""
    if not is_installed():
        run.notes.append(MISSING)
        return
    run.report("instructions: the ceiling")
    async with redis() as redis_url, counted("benchmarks.baseline", redis_url, *map(str, sizes())) as server:
        ceiling = await _count_requests(server, baseline_posts(0)[:GAMES])
    async with redis() as redis_url, counted(*SERVICE, "--redis-url", redis_url) as server:
        for name, title, count in (
            ("post", "an action by POST", count_action),
            ("act", "an `act` by WebSocket, with its diff to both players", _count_act),
            ("read", "a read of a game", _count_reads),
            ("legal-moves", "a read of the legal moves", partial(_count_reads, path="/legal-moves")),
        ):
            run.report(f"instructions: {title}")
            figure = Figure(
                *(f"instructions.{name}", "Instructions", title, "thousands", [await count(server)]),
                better="less",
                ceiling=[ceiling] if name == "post" else None,
                ceiling_title=CEILING if name == "post" else "",
            )
            run.figures.append(figure)
