"""The processes that are measured: each alone on one core, Redis and the load on the other."""

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

from service.store.embedded.server import embedded_server

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE = CORES[0]
OTHER_CORE = CORES[-1]
START_S = 20


class Server(NamedTuple):
    """A server on a free port."""

    pid: int
    port: int

    def rss_bytes(self) -> int:
        """Its memory."""
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as statm:  # noqa: PTH123 (a file of the kernel's)
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cpu_s(self) -> float:
        """The processor time that it has used."""
        return cpu_s(self.pid)


def cpu_s(pid: int) -> float:
    """The processor time that a process has used, of all its threads, without its children."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:  # noqa: PTH123 (a file of the kernel's)
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def cores(some: Iterable[int]) -> Iterator[None]:
    """The process itself, and those that it starts meanwhile, on these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, some)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def on_core(core: int) -> AbstractContextManager[None]:
    """The same on one core."""
    return cores({core})


@asynccontextmanager
async def server(*arguments: str, on: Iterable[int] = (SERVER_CORE,)) -> AsyncIterator[Server]:
    """`python ARGUMENTS` on the servers' core, once it has printed where it listens."""
    with cores(on):
        process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)
    try:
        async with asyncio.timeout(START_S):
            port = await port_of(process)
        yield Server(process.pid, port)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def port_of(process: asyncio.subprocess.Process) -> int:
    """Where a server that has just been started says that it listens."""
    assert process.stdout is not None  # noqa: S101 (a pipe was asked for)
    async for line in process.stdout:
        if found := re.search(rb"http://127\.0\.0\.1:(\d+)", line):
            return int(found[1])
    raise RuntimeError("the server ended before it listened")


@asynccontextmanager
async def redis() -> AsyncIterator[str]:
    """The URL of an empty Redis of its own, on the core of whoever asks."""
    with tempfile.TemporaryDirectory() as directory:
        async with embedded_server(Path(directory)) as started:
            yield started.url
