"""Simulation of a loss of power and of a slow disk.

After a SIGKILL the kernel still writes what a server has written; after a loss of power only synced data is safe. So
the server runs with `fsync_recorder.c` preloaded, which records what was synced, and after its SIGKILL its append-only
files are truncated to that. That is the worst case: a disk may have stored more, but not less, unless it ignores fsync.

The same library slows down each fsync, as other writers to the disk do.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.redis_servers import Node
from tests.tools import C_COMPILER, require

SOURCE = Path(__file__).with_name("fsync_recorder.c")


@contextmanager
def record_fsyncs(directory: Path) -> Iterator[Path]:
    """Have servers that are started inside record what they sync, and yield the file of the records."""
    records = directory / "fsyncs.txt"
    with _preloaded(directory, {"FSYNC_RECORDS": str(records)}):
        yield records


@contextmanager
def slow_disk(directory: Path, fsync_ms: int) -> Iterator[None]:
    """Have each fsync of servers that are started inside take `fsync_ms` longer."""
    with _preloaded(directory, {"FSYNC_DELAY_MS": str(fsync_ms)}):
        yield


@contextmanager
def _preloaded(directory: Path, settings: Mapping[str, str]) -> Iterator[None]:
    """Preload the library into servers that are started inside."""
    library, compiler = directory / "fsync_recorder.so", require(C_COMPILER)
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


def discard_unsynced(node: Node, records: Path) -> int:
    """Truncate a killed server's append-only files to what was synced, and return how many bytes were discarded."""
    synced: dict[str, int] = {}
    for line in records.read_text().splitlines():
        size, _, path = line.partition(" ")
        synced[path] = max(int(size), synced.get(path, 0))
    discarded = 0
    for file in (node.directory / "appendonlydir").glob("*.incr.aof"):
        synced_size = synced.get(str(file), 0)
        discarded += file.stat().st_size - synced_size
        os.truncate(file, synced_size)
    return discarded
