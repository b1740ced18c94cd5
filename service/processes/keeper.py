"""The embedded Redis of several workers: a process of its own keeps it, and ends when the last of them has ended.

The manager cannot keep it itself: it runs no event loop, and takes the end of any child for itself.
"""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from select import select

import msgspec

from service.store.embedded.errors import EmbeddedError
from service.store.embedded.server import EmbeddedServer, embedded_server

logger = logging.getLogger(__name__)


class KeeperFailed(Exception):
    """There is no server; says why in one line."""


class _Told(msgspec.Struct):
    """What the keeper says of itself, once."""

    url: str = ""
    failed: str = ""


class Keeper:
    """The other side of a running one."""

    def __init__(self, line: socket.socket, url: str) -> None:
        self._line = line
        self.url = url

    def lost(self) -> bool:
        """Whether it has ended, and the server with it."""
        return bool(select([self._line], [], [], 0)[0])


@contextmanager
def keeping(data_dir: Path) -> Iterator[Keeper]:
    """A server in `data_dir` for this process and all that it forks. Raises KeeperFailed.

    To be entered where there is neither a thread nor an event loop yet.
    """
    ours, theirs = socket.socketpair()
    manager, pid = os.getpid(), os.fork()
    if pid == 0:
        ours.close()
        _live(data_dir, theirs, manager)
    theirs.close()
    try:
        with ours:
            yield Keeper(ours, _url(ours))
    finally:
        if os.getpid() == manager:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _url(line: socket.socket) -> str:
    with line.makefile("rb") as lines:
        told = msgspec.json.decode(lines.readline() or b'{"failed":"Redis was not started"}', type=_Told)
    if told.failed:
        raise KeeperFailed(told.failed)
    return told.url


def _live(data_dir: Path, line: socket.socket, manager: int) -> None:
    """Be the keeper, in the forked process, which never returns to what its parent was doing."""
    code = 1
    try:
        os.setsid()
        asyncio.run(_keep(data_dir, line, manager))
        code = 0
    except EmbeddedError as failed:
        line.sendall(msgspec.json.encode(_Told(failed=str(failed))) + b"\n")
    except BaseException:
        logger.exception("the process that keeps Redis has failed")
    finally:
        os._exit(code)


async def _keep(data_dir: Path, line: socket.socket, manager: int) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):  # who ends all processes of a service means the manager, too
        loop.add_signal_handler(number, lambda: None)
    line.setblocking(False)  # noqa: FBT003  its only argument, and not a keyword
    async with embedded_server(data_dir, on_stopped=partial(os.kill, manager, signal.SIGTERM)) as server:
        _name(server, manager)
        await loop.sock_sendall(line, msgspec.json.encode(_Told(url=server.url)) + b"\n")
        while await loop.sock_recv(line, 1):
            pass


def _name(server: EmbeddedServer, manager: int) -> None:
    """Whoever finds the directory locked is told of the process that can be stopped."""
    (server.directory / "lock").write_text(str(manager))
