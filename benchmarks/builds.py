"""The two builds of the engine, plain Python and compiled: which a process has, and how to start one with the other."""

import os
import sys
from filecmp import cmp
from pathlib import Path
from typing import NoReturn

from service import engine

ROOT = Path(__file__).parent.parent
PURE = "pure"
COMPILED = "compiled"


def current_build() -> str:
    """Return the build that this process has imported."""
    return COMPILED if engine.COMPILED else PURE


def environments() -> dict[str, dict[str, str]]:
    """Return the existing builds, the plain one first, each with the environment of a process that imports it."""
    by_build = {PURE: _import_from(ROOT)}
    compiled = ROOT / "build" / "compiled"
    if _is_built_from_these_sources(compiled):
        by_build[COMPILED] = _import_from(compiled, ROOT)
    return by_build


def _import_from(*directories: Path) -> dict[str, str]:
    """Return an environment that imports from these directories, never from the working directory (the plain build)."""
    path = os.pathsep.join(str(directory.absolute()) for directory in directories)
    return {**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}


def _is_built_from_these_sources(directory: Path) -> bool:
    """Return whether the build in a directory was made of the current sources."""
    sources = [path.relative_to(ROOT) for package in ("schemas", "service") for path in (ROOT / package).rglob("*.py")]
    return all((directory / path).is_file() and cmp(ROOT / path, directory / path, shallow=False) for path in sources)


def restart_with(build: str, program: str) -> NoReturn:
    """Replace this process by one with the same command that imports another build, as do its children."""
    if build not in (by_build := environments()):
        raise SystemExit(f"there is no {build} build of the engine: make compiled test-compiled makes one")
    os.execve(sys.executable, (sys.executable, "-m", program, *sys.argv[1:]), by_build[build])  # noqa: S606 (itself)
