"""What a result says of where, when and with what it was measured."""

import os
import platform
import subprocess
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from benchmarks.builds import build_here
from benchmarks.results import FORMAT, Figure, Machine, Noise, Result
from service.store.embedded.program import find_program

ROOT = Path(__file__).parent.parent
LIBRARIES = ("aiohttp", "hiredis", "msgspec", "redis", "uvloop")


def describe(
    kind: Literal["suite", "peers"],
    figures: Sequence[Figure],
    noise: Noise,
    *,
    quick: bool,
    versions: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> Result:
    """A result of now and here; `versions` are more than those of the service's own libraries."""
    return Result(
        format=FORMAT,
        kind=kind,
        date=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        commit=_commit(),
        quick=quick,
        machine=_machine(),
        python=platform.python_version(),
        engine=build_here(),
        versions={name: version(name) for name in LIBRARIES} | {"redis-server": _redis()} | dict(versions or {}),
        noise=noise,
        figures=list(figures),
        notes=list(notes),
    )


def _machine() -> Machine:
    with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(
        cpu=model or platform.machine(),
        cores=os.cpu_count() or 1,
        memory_mb=pages >> 20,
        system=f"{platform.system()} {platform.release().partition('-')[0]}",
    )


def _commit() -> str:
    """The commit that is checked out, and whether files differ from it; empty outside a repository."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    return f"{commit}+changes" if commit and _git("status", "--porcelain", "--untracked-files=no") else commit


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607 (the git of whoever measures)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _redis() -> str:
    """The version of the server that the suite starts, as it says itself: "Redis server v=7.0.15 sha=..."."""
    said = subprocess.run((find_program(), "--version"), capture_output=True, text=True, check=True).stdout
    return next((word[2:] for word in said.split() if word.startswith("v=")), said.strip())
