"""Disks, as near as one machine comes to a loss of power and to a slow one.

After a SIGKILL the kernel still writes what a server has written; after a loss of power only what it had synced is
sure. So the server runs with `synced.c` loaded before the C library, which notes what was synced, and after its SIGKILL
its append-only files are cut to that. That is the worst case: a disk may have got more, but never less, unless it lies.

The same library makes each fsync last longer, as it does while others write to the disk.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.redis_servers import Node
from tests.tools import C_COMPILER, require

__all__ = ["cut", "noting", "slow_disk"]

SOURCE = Path(__file__).with_name("synced.c")


@contextmanager
def noting(directory: Path) -> Iterator[Path]:
    """Servers that are started inside note what they sync in the file that is given."""
    notes = directory / "synced.txt"
    with _preloaded(directory, {"SYNCED": str(notes)}):
        yield notes


@contextmanager
def slow_disk(directory: Path, fsync_ms: int) -> Iterator[None]:
    """Servers that are started inside have a disk that takes so long for each fsync."""
    with _preloaded(directory, {"SLOW_MS": str(fsync_ms)}):
        yield


@contextmanager
def _preloaded(directory: Path, settings: Mapping[str, str]) -> Iterator[None]:
    """Have the library in servers that are started inside."""
    library, compiler = directory / "synced.so", require(C_COMPILER)
    subprocess.run((compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"), check=True)
    settings = {"LD_PRELOAD": str(library), **settings}
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def cut(node: Node, notes: Path) -> int:
    """Take from a killed server's append-only files what was not synced; gives how many bytes that were."""
    synced: dict[str, int] = {}
    for line in notes.read_text().splitlines():
        size, _, path = line.partition(" ")
        synced[path] = max(int(size), synced.get(path, 0))
    taken = 0
    for file in (node.directory / "appendonlydir").glob("*.incr.aof"):
        sure = synced.get(str(file), 0)
        taken += file.stat().st_size - sure
        os.truncate(file, sure)
    return taken
