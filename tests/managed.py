"""What Linux says of a service with several workers: its processes, and which of them has a connection."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import aiohttp

from tests.started import Started

GIVE_UP_S = 20


def children(pid: int) -> list[int]:
    """Its children's ids; none where it has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def family(pid: int) -> set[int]:
    """A process and all that descend from it."""
    return {pid}.union(*map(family, children(pid)))


def workers(manager: int) -> list[int]:
    """The children that belong to the manager's session; the one that keeps Redis has a session of its own."""
    found = []
    for child in children(manager):
        with suppress(ProcessLookupError):
            if os.getsid(child) == os.getsid(manager):
                found.append(child)
    return sorted(found)


def keeper(manager: int) -> int:
    """The child that keeps Redis."""
    (found,) = {*children(manager)} - {*workers(manager)}
    return found


def running(pids: set[int]) -> set[int]:
    """Those that have not ended; who is dead and only not yet asked after has."""
    return {pid for pid in pids if _state(pid) not in ("", "Z", "X")}


def _state(pid: int) -> str:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


async def ended(pids: set[int]) -> None:
    """Wait until none of them runs."""
    async with asyncio.timeout(GIVE_UP_S):
        while running(pids):  # noqa: ASYNC110  other processes give no sign of it
            await asyncio.sleep(0.02)


async def two_workers(manager: int, *, without: int = 0) -> list[int]:
    """Wait until there are two: a service says that it listens when the first does. One may have to be replaced."""
    async with asyncio.timeout(GIVE_UP_S):
        while len(found := workers(manager)) != 2 or without in found:  # noqa: ASYNC110  as above
            await asyncio.sleep(0.02)
        return found


def server_of(port: int, client_port: int, candidates: Sequence[int]) -> int | None:
    """Which process has the other end of a connection to a port of this machine; None where it is in the queue yet."""
    ends = (f"0100007F:{port:04X}", f"0100007F:{client_port:04X}")
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if (fields[1], fields[2]) == ends:
            return next((pid for pid in candidates if f"socket:[{fields[9]}]" in _open_files(pid)), None)
    return None


def _open_files(pid: int) -> set[str]:
    found = set()
    with suppress(FileNotFoundError, ProcessLookupError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                found.add(str(entry.readlink()))
    return found


@asynccontextmanager
async def one_each(instance: Started) -> AsyncIterator[dict[int, aiohttp.ClientSession]]:
    """A session for each worker, whose one connection that worker has. Asked for until there is one."""
    pids = await two_workers(instance.process.pid)
    port = int(instance.url.rpartition(":")[2])
    async with AsyncExitStack() as opened:
        found: dict[int, aiohttp.ClientSession] = {}
        async with asyncio.timeout(GIVE_UP_S):
            while {*found} != {*pids}:
                made: list[socket.socket] = []
                connector = aiohttp.TCPConnector(limit=1, socket_factory=partial(_made, made))
                session = await opened.enter_async_context(aiohttp.ClientSession(instance.url, connector=connector))
                async with session.get("/v1/bots") as response:
                    assert response.status == 200
                served_by = server_of(port, made[0].getsockname()[1], pids)
                assert served_by is not None
                found.setdefault(served_by, session)
        yield found


def _made(made: list[socket.socket], address: aiohttp.AddrInfoType) -> socket.socket:
    """A socket that can still be asked which port it has."""
    made.append(socket.socket(*address[:3]))
    return made[-1]
