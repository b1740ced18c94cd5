"""From exec to ready, and the memory of a service that has nothing to do."""

import asyncio
import sys
import tempfile
from time import perf_counter
from typing import NamedTuple

from benchmarks.processes import SERVER_CORE, Server, on_core, port_of, redis
from benchmarks.results import Figure, series
from benchmarks.run import Run

GROUP = "Start"
STARTS = 7
READY_WITHIN_S = 20.0
LOOK_EVERY_S = 0.002
REST_S = 1.0
REACH_START_S, REACH_MB = 1.0, 80.0
READY = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class Started(NamedTuple):
    """One start."""

    ready_s: float
    memory_mb: float


async def start(run: Run) -> tuple[list[Figure], list[str]]:
    """Seconds to ready, with a Redis that runs and with one of its own, and memory at rest."""
    named: list[Started] = []
    own: list[Started] = []
    async with redis() as redis_url:
        for number in range(run.number(STARTS)):
            run.tell(f"start {number + 1} of {run.number(STARTS)}")
            run.noise.sample()
            named.append(await _start("--redis-url", redis_url))
            with tempfile.TemporaryDirectory() as directory:
                own.append(await _start("--data-dir", directory))
    return [
        _ready("start.ready", "start to ready", named, note="its files are in the system's cache"),
        _ready("start.ready.own-redis", "the same with a Redis of its own", own),
        Figure(
            name="memory.rest",
            group=GROUP,
            title="memory at rest",
            unit="MB",
            better="less",
            measured=series([started.memory_mb for started in named]),
            reach=REACH_MB,
        ),
    ], []


def image(megabytes: float) -> Figure:
    """The size of the container image, as whoever built it has found."""
    return Figure(
        name="image.size", group=GROUP, title="container image", unit="MB", better="less", measured=series([megabytes])
    )


async def _start(*flags: str) -> Started:
    """From the exec of `south-seas serve` to the first 200 from /readyz; the process is ended again."""
    begin = perf_counter()
    with on_core(SERVER_CORE):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "service.main", "serve", "--port", "0", "--log-level", "error", *flags),
            stdout=asyncio.subprocess.PIPE,
        )
    try:
        async with asyncio.timeout(READY_WITHIN_S):
            port = await port_of(process)
            while not await _is_ready(port):  # noqa: ASYNC110 (another process is waited for)
                await asyncio.sleep(LOOK_EVERY_S)
        ready_s = perf_counter() - begin
        await asyncio.sleep(REST_S)
        return Started(ready_s, Server(process.pid, port).rss_bytes() / 2**20)
    finally:
        process.kill()
        await process.wait()


async def _is_ready(port: int) -> bool:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(READY)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer.startswith(b"HTTP/1.1 200")


def _ready(name: str, title: str, starts: list[Started], note: str = "") -> Figure:
    return Figure(
        name=name,
        group=GROUP,
        title=title,
        unit="s",
        better="less",
        measured=series([started.ready_s for started in starts]),
        reach=REACH_START_S,
        note=note,
    )
