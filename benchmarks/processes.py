"""The measured processes: each alone on one core, with Redis and the load generator on the other."""

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from service.store.embedded import embedded_server

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE = CORES[0]
OTHER_CORE = CORES[-1]
START_TIMEOUT_S = 60
ROUND_TIMEOUT_S = 60


class Server(NamedTuple):
    """A server on a free port."""

    pid: int
    port: int

    def rss_bytes(self) -> int:
        """Return its resident memory."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cpu_s(self) -> float:
        """Return the processor time of all its threads, without its children."""
        return _cpu_s(self.pid)

    def family_cpu_s(self) -> float:
        """Return the same with its running descendants, such as the processes that draw."""
        pids = [self.pid]
        for pid in pids:  # grows while it is read
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                pids += map(int, children.read_text().split())
        return sum(map(_cpu_s, pids))


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Worker:
    """A program that responds to each line of JSON with one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def request(self, message: object) -> Any:
        """Send a message, and return the response."""
        assert self._process.stdin is not None  # noqa: S101 (it is a pipe)
        self._process.stdin.write(msgspec.json.encode(message) + b"\n")
        return await self.receive()

    async def receive(self) -> Any:
        """Return the next message. Raise RuntimeError if the process has ended."""
        assert self._process.stdout is not None  # noqa: S101 (it is a pipe)
        async with asyncio.timeout(ROUND_TIMEOUT_S):
            line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError("a measured process has ended; its error is above")
        return msgspec.json.decode(line)


@contextmanager
def pinned_to(cores: Iterable[int]) -> Iterator[None]:
    """Pin this process, and those that it starts meanwhile, to these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@asynccontextmanager
async def process(
    *program: str | Path, on: Iterable[int] = (SERVER_CORE,), environment: Mapping[str, str] | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a program on the servers' core, until the context ends."""
    with pinned_to(on):
        started = await asyncio.create_subprocess_exec(
            *program, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=environment
        )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.wait()


@asynccontextmanager
async def worker(*program: str | Path, environment: Mapping[str, str] | None = None) -> AsyncIterator[Worker]:
    """Run a worker."""
    async with process(*program, environment=environment) as started:
        yield Worker(started)


@asynccontextmanager
async def server(*program: str | Path, on: Iterable[int] = (SERVER_CORE,)) -> AsyncIterator[Server]:
    """Run a server, and yield it once it has printed its address."""
    async with process(*program, on=on) as started:
        async with asyncio.timeout(START_TIMEOUT_S):
            port = await read_port(started)
        yield Server(started.pid, port)


async def read_port(started: asyncio.subprocess.Process) -> int:
    """Return the port that a server prints."""
    assert started.stdout is not None  # noqa: S101 (it is a pipe)
    async for line in started.stdout:
        if result := re.search(rb"http://127\.0\.0\.1:(\d+)", line):
            return int(result[1])
    raise RuntimeError("the server ended before it listened")


HIGH_LIMITS = (
    *(f"--rate-{bucket}=1000000/10" for bucket in ("requests", "time", "creations", "keys", "bots")),
    *("--max-connections-per-address=50000", "--max-streams-per-address=50000"),
)
"""The rate limiter is active, but its limits are high enough for the whole load from one address."""


@asynccontextmanager
async def service(
    redis_url: str, on: Iterable[int] = (SERVER_CORE,), limits: Iterable[str] = HIGH_LIMITS
) -> AsyncIterator[Server]:
    """Run the service as `south-seas serve` does."""
    flags = ("--port", "0", "--redis-url", redis_url, "--log-level", "error")
    async with server(sys.executable, "-m", "service.main", "serve", *flags, *limits, on=on) as started:
        yield started


@asynccontextmanager
async def redis() -> AsyncIterator[str]:
    """Run an empty Redis on the caller's cores, and yield its URL."""
    with tempfile.TemporaryDirectory() as directory:
        async with embedded_server(Path(directory)) as started:
            yield started.url
