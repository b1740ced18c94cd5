"""The clock of a Redis server, which a preloaded library sets ahead: libfaketime clashes with Redis' allocator."""

import subprocess
from pathlib import Path

from tests.redis_servers import Node
from tests.tools import C_COMPILER, require

FILE = "clock"
"""Relative to the server's directory."""


def compile_library(source: Path, library: Path) -> None:
    """Compile a library to preload."""
    subprocess.run((require(C_COMPILER), "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"), check=True)


def prepare_clock(directory: Path) -> dict[str, str]:
    """Compile the library, and return the variables of a server whose clock `set_clock` sets."""
    library = directory / "clock.so"
    compile_library(Path(__file__).with_name("clock.c"), library)
    return {"LD_PRELOAD": str(library), "CLOCK_FILE": FILE}


def set_clock(node: Node, ahead_s: int) -> None:
    """Set a server's clock ahead by this time from now on, by the size of its file."""
    with (node.directory / FILE).open("ab") as file:
        file.truncate(ahead_s)
