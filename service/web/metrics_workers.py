"""What the workers of one port tell each other, so that whichever is asked for metrics can give everybody's.

Each has a socket in a directory that only they know, and the lowest number that none of them has, as long as it lives:
the lock ends with the process, however that ends. So a worker that is killed is not waited for, its successor goes on
under its number, and the numbers do not grow with every death.
"""

import asyncio
import fcntl
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

import msgspec

from service.telemetry.meters import Family
from service.telemetry.metrics import WORKER_UP
from service.telemetry.rendering import told

__all__ = ["Siblings", "one_of", "shared_directory"]

PATIENCE_S = 1.0
"""A worker that has not answered by then is told to be down."""

MEMORY = Path("/dev/shm")  # noqa: S108  writable also where the file system is not

FAILURES = (OSError, msgspec.DecodeError, TimeoutError)


@contextmanager
def shared_directory() -> Iterator[Path]:
    """A directory for the sockets, made before the workers are, and removed by the process that made it."""
    maker = os.getpid()
    directory = Path(tempfile.mkdtemp(prefix="south-seas-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    try:
        yield directory
    finally:
        if os.getpid() == maker:
            shutil.rmtree(directory, ignore_errors=True)


class Siblings(NamedTuple):
    """All workers, this one among them."""

    directory: Path
    own: str
    """This one's number."""

    async def gather(self) -> dict[str, list[Family]]:
        """What each worker says, by its number."""
        others = [path.stem for path in self.directory.glob("*.lock") if path.stem != self.own and _lives(path)]
        answers = await asyncio.gather(*(_ask(self.directory / f"{other}.sock") for other in others))
        workers = {self.own: told(), **{other: got for other, got in zip(others, answers, strict=True) if got}}
        up = [WORKER_UP.at(float(one in workers)) for one in sorted({self.own, *others})]
        for one, level in zip(sorted({self.own, *others}), up, strict=True):
            sample = (WORKER_UP.name, level.labels, level.value)
            workers.setdefault(one, []).append(Family(WORKER_UP.name, WORKER_UP.help, "gauge", [sample]))
        return workers


@asynccontextmanager
async def one_of(directory: Path) -> AsyncIterator[Siblings]:
    """Answer the other workers for the length of a `with`."""
    number, lock = _take(directory)
    try:
        path = directory / f"{number}.sock"
        path.unlink(missing_ok=True)
        async with await asyncio.start_unix_server(_answer, path):
            yield Siblings(directory, number)
    finally:
        os.close(lock)


def _take(directory: Path) -> tuple[str, int]:
    """The lowest free number, and the lock that keeps it."""
    for number in count():
        lock = os.open(directory / f"{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
        else:
            return str(number), lock
    raise AssertionError("numbers do not end")


def _lives(path: Path) -> bool:
    """Whether some worker has this number."""
    lock = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    del reader
    with suppress(ConnectionError):
        writer.write(msgspec.msgpack.encode(told()))
        await writer.drain()
    writer.close()


async def _ask(path: Path) -> list[Family]:
    """What a worker says; nothing, where it does not answer."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_unix_connection(path)
            try:
                return msgspec.msgpack.decode(await reader.read(-1), type=list[Family])
            finally:
                writer.close()
    except FAILURES:
        return []
