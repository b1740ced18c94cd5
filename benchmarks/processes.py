"""The processes that are measured: each alone on one core, Redis and the load on the other."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

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


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """The process itself, and those that it starts meanwhile, on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@asynccontextmanager
async def server(*arguments: str) -> AsyncIterator[Server]:
    """`python ARGUMENTS` on the servers' core, once it has printed where it listens."""
    with on_core(SERVER_CORE):
        process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)
    try:
        async with asyncio.timeout(START_S):
            port = await _port(process)
        yield Server(process.pid, port)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _port(process: asyncio.subprocess.Process) -> int:
    assert process.stdout is not None  # noqa: S101 (a pipe was asked for)
    async for line in process.stdout:
        if found := re.search(rb"http://127\.0\.0\.1:(\d+)", line):
            return int(found[1])
    raise RuntimeError("the server ended before it listened")
