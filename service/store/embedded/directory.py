"""The directory of an embedded server: private, locked, with the server's socket in it."""

import asyncio
import fcntl
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from pathlib import Path

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError


class EmbeddedServerError(Exception):
    """The server cannot be started, or its directory cannot be used."""


class ServerProgramNotFound(EmbeddedServerError):
    """No program on this machine can be started as the server."""


SOCKET = "redis.sock"

MAX_SOCKET_PATH = 103
"""The longest path of a unix socket in bytes: 103 on macOS, 107 on Linux."""


def create_private_directory(directory: Path) -> Path:
    """Create the directory if it does not exist, accessible to this user alone. Raise EmbeddedServerError."""
    directory = directory.absolute()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o700)
        (directory / "lock").touch(0o600)
    except OSError as error:
        raise EmbeddedServerError(
            f"cannot store games in {directory}: {error.strerror or error}; choose another --data-dir"
        ) from error
    return directory


@asynccontextmanager
async def lock_directory(directory: Path, wait_s: float) -> AsyncIterator[int]:
    """Open the lock file, which stays locked until this process and its children close it.

    Raise EmbeddedServerError if another instance, or its server, has it locked for longer than `wait_s`.
    """
    lock = os.open(directory / "lock", os.O_RDWR)
    try:
        await _acquire(lock, directory, wait_s)
        os.truncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield lock
    finally:
        os.close(lock)


async def _acquire(lock: int, directory: Path, wait_s: float) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait_s
    while True:
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(lock, 20, 0).decode()
            if loop.time() >= deadline:
                process = f" (process {owner})" if owner else ""
                raise EmbeddedServerError(
                    f"another instance{process} stores its games in {directory}: stop it, or give this one another"
                    " directory and port, --data-dir DIRECTORY --port PORT; to share games, share a --redis-url"
                ) from None
        if owner.isdigit() and not _is_running(int(owner)):
            await _shut_down_orphan(directory / SOCKET)
        await asyncio.sleep(0.05)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


async def _shut_down_orphan(socket: Path) -> None:
    """Shut down the server of an instance that was killed. Linux terminates it with the instance, macOS does not."""
    async with aclosing(Redis(unix_socket_path=str(socket), socket_timeout=1, retry=Retry(NoBackoff(), 0))) as redis:
        with suppress(RedisError, OSError):
            await redis.shutdown()


@contextmanager
def socket_path(directory: Path) -> Iterator[Path]:
    """Yield a path for the socket: beside the data, or in a temporary directory if that path would be too long."""
    socket = directory / SOCKET
    if len(os.fsencode(socket)) <= MAX_SOCKET_PATH:
        socket.unlink(missing_ok=True)
        yield socket
        return
    short = Path(tempfile.mkdtemp(prefix="south-seas-"))
    try:
        yield short / SOCKET
    finally:
        shutil.rmtree(short, ignore_errors=True)
