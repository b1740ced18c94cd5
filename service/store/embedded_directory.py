"""The directory of an embedded server: private, locked, with the server's socket in it."""

import asyncio
import fcntl
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from service.store.embedded_errors import DataDirectoryBusy, DataDirectoryUnusable

__all__ = ["locked", "private", "socket_in"]

_LONGEST_SOCKET_PATH = 107


def private(directory: Path) -> Path:
    """The directory, made where there is none, for this user alone; raises DataDirectoryUnusable."""
    directory = directory.absolute()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o700)
        (directory / "lock").touch(0o600)
    except OSError as error:
        raise DataDirectoryUnusable(directory, error.strerror or str(error)) from error
    return directory


@asynccontextmanager
async def locked(directory: Path, wait_s: float) -> AsyncIterator[int]:
    """An open file, locked as long as this process or one that inherits it has it open; raises DataDirectoryBusy."""
    lock = os.open(directory / "lock", os.O_RDWR)
    try:
        await _wait_for(lock, directory, wait_s)
        os.truncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield lock
    finally:
        os.close(lock)


async def _wait_for(lock: int, directory: Path, wait_s: float) -> None:
    loop = asyncio.get_running_loop()
    until = loop.time() + wait_s
    while True:
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if loop.time() >= until:
                raise DataDirectoryBusy(directory, os.pread(lock, 20, 0).decode()) from None
        await asyncio.sleep(0.05)


@contextmanager
def socket_in(directory: Path) -> Iterator[Path]:
    """Where the socket goes: beside the data, or in a directory of its own where that path would be too long."""
    socket = directory / "redis.sock"
    if len(os.fsencode(socket)) <= _LONGEST_SOCKET_PATH:
        socket.unlink(missing_ok=True)
        yield socket
        return
    short = Path(tempfile.mkdtemp(prefix="south-seas-"))
    try:
        yield short / "redis.sock"
    finally:
        shutil.rmtree(short, ignore_errors=True)
