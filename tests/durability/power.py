"""A loss of power, as near as one machine comes to it without one.

After a SIGKILL the kernel still writes what a server has written; after a loss of power only what it had synced is
sure. So the server runs with `synced.c` loaded before the C library, which notes what was synced, and after its SIGKILL
its append-only files are cut to that. That is the worst case: a disk may have got more, but never less, unless it lies.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.redis_servers import Node
from tests.tools import C_COMPILER, require

__all__ = ["cut", "noting"]

SOURCE = Path(__file__).with_name("synced.c")
NOTES = "SYNCED"


@contextmanager
def noting(directory: Path) -> Iterator[Path]:
    """Servers that are started inside note what they sync in the file that is given."""
    library, notes = directory / "synced.so", directory / "synced.txt"
    compiler = require(C_COMPILER)
    subprocess.run((compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"), check=True)
    before = {name: os.environ.get(name) for name in ("LD_PRELOAD", NOTES)}
    os.environ.update({"LD_PRELOAD": str(library), NOTES: str(notes)})
    try:
        yield notes
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
