"""The processes that are measured: each alone on one core, Redis and the load on the other."""

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

from service.store.embedded.server import embedded_server

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE = CORES[0]
OTHER_CORE = CORES[-1]
START_TIMEOUT_S = 20
ROUND_TIMEOUT_S = 60


class Server(NamedTuple):
    """A server on a free port."""

    pid: int
    port: int

    def rss_bytes(self) -> int:
        """Return its memory."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cpu_s(self) -> float:
        """Return the processor time that it has used, of all its threads, without its children."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Worker:
    """A program that answers each line of JSON with one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def request(self, question: object) -> Any:
        """Return its answer."""
        assert self._process.stdin is not None  # noqa: S101 (a pipe was asked for)
        self._process.stdin.write(msgspec.json.encode(question) + b"\n")
        return await self.receive()

    async def receive(self) -> Any:
        """Return the next line that it says; raises RuntimeError where it has ended."""
        assert self._process.stdout is not None  # noqa: S101 (a pipe was asked for)
        async with asyncio.timeout(ROUND_TIMEOUT_S):
            line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError("a process that was to be measured has ended; its error is above")
        return msgspec.json.decode(line)


@contextmanager
def pinned_to(some: Iterable[int]) -> Iterator[None]:
    """Keep the process itself, and those that it starts meanwhile, on these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, some)
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
    """Run a program that answers."""
    async with process(*program, environment=environment) as started:
        yield Worker(started)


@asynccontextmanager
async def server(*program: str | Path, on: Iterable[int] = (SERVER_CORE,)) -> AsyncIterator[Server]:
    """Run a program, and go on once it has printed where it listens."""
    async with process(*program, on=on) as started:
        async with asyncio.timeout(START_TIMEOUT_S):
            port = await read_port(started)
        yield Server(started.pid, port)


async def read_port(started: asyncio.subprocess.Process) -> int:
    """Wait until a server says where it listens."""
    assert started.stdout is not None  # noqa: S101 (a pipe was asked for)
    async for line in started.stdout:
        if result := re.search(rb"http://127\.0\.0\.1:(\d+)", line):
            return int(result[1])
    raise RuntimeError("the server ended before it listened")


CROWD_FLAGS = (
    *(f"--rate-{what}=1000000/10" for what in ("reads", "writes", "creations", "streams", "messages", "pictures")),
    *(f"--rate-{what}=1000000/10" for what in ("requests", "keys", "bots")),
    *("--max-connections-per-address=50000", "--max-streams-per-address=50000"),
)
"""Clients are limited as ever, but this one is a whole crowd."""


@asynccontextmanager
async def service(redis_url: str, on: Iterable[int] = (SERVER_CORE,)) -> AsyncIterator[Server]:
    """Run the service as `south-seas serve` does."""
    flags = ("--port", "0", "--redis-url", redis_url, "--log-level", "error")
    async with server(sys.executable, "-m", "service.main", "serve", *flags, *CROWD_FLAGS, on=on) as ours:
        yield ours


@asynccontextmanager
async def redis() -> AsyncIterator[str]:
    """Give the URL of an empty Redis of its own, on the core of whoever asks."""
    with tempfile.TemporaryDirectory() as directory:
        async with embedded_server(Path(directory)) as started:
            yield started.url
