"""The results of a run in `benchmarks/results/`: the last run of each kind as JSON, the medians of all runs as CSV."""

import csv
import os
import platform
import subprocess
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Literal

import msgspec

from benchmarks.builds import ROOT, current_build
from service.store.embedded import select_program

FOLDER = Path(__file__).parent / "results"
LIBRARIES = ("aiohttp", "hiredis", "msgspec", "redis", "uvloop")
Kind = Literal["suite", "peers", "growth"]
MAX_LOAD = 1.0
"""The load average per core before a run above which the run is noisy. A run of the suite itself leaves about this."""


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One row of the table: the value of each round, beside that of the ceiling in the same rounds."""

    name: str
    """A stable name, such as "action.rate", by which runs of different days are compared."""
    group: str
    title: str
    unit: str
    rounds: list[float]
    better: Literal["more", "less"] = "more"
    of: str = ""
    """The build of the engine or the peer that was measured; empty: the service."""
    ceiling: list[float] | None = None
    ceiling_title: str = ""
    target: str = ""
    note: str = ""

    @property
    def median(self) -> float:
        """The median of the rounds."""
        return median(self.rounds)

    @property
    def ratio(self) -> float | None:
        """The median of the rounds' ratios to the ceiling, inverted for times, so that more is better."""
        if self.ceiling is None:
            return None
        ratios = [one / ceiling for one, ceiling in zip(self.rounds, self.ceiling, strict=True)]
        return median(ratios if self.better == "more" else [1 / ratio for ratio in ratios])


class Result(msgspec.Struct, frozen=True):
    """The result of a run."""

    kind: Kind
    date: str
    """The end of the run, ISO 8601 in UTC."""
    commit: str
    """With `+changes` if files differed from it."""
    machine: str
    python: str
    engine: str
    """The build of the service's engine: pure or compiled."""
    versions: dict[str, str]
    noise: list[str]
    """The reasons why the run is noisy; empty: it is not."""
    figures: list[Figure]
    notes: list[str]


def describe_run(
    kind: Kind, figures: list[Figure], noise: list[str], versions: dict[str, str], notes: list[str]
) -> Result:
    """Return a result with the current time and machine; `versions` are additional to the service's libraries."""
    libraries = {name: version(name) for name in LIBRARIES} | {"redis-server": _redis()}
    return Result(
        kind=kind,
        date=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        commit=_commit(),
        machine=_machine(),
        python=platform.python_version(),
        engine=current_build(),
        versions=dict(sorted((libraries | versions).items())),
        noise=noise,
        figures=figures,
        notes=notes,
    )


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the value that `percent` of the values do not exceed.

    >>> percentile(range(100), 99), percentile([7.0], 99)
    (99, 7.0)
    """
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def save(result: Result, folder: Path = FOLDER) -> None:
    """Store a run as the last of its kind, as JSON, and append its medians to the CSV."""
    folder.mkdir(exist_ok=True)
    (folder / f"{result.kind}.json").write_bytes(msgspec.json.encode(result) + b"\n")
    row = {name: str(getattr(result, name)) for name in ("date", "kind", "commit", "python", "engine")}
    row["noisy"] = str(bool(result.noise))
    row |= {f"{figure.name} [{figure.unit}]": f"{figure.median:.5g}" for figure in result.figures}
    _add_row(folder / "runs.csv", row)


def load_result(kind: str, folder: Path = FOLDER) -> Result:
    """Load the last run of a kind. Raise FileNotFoundError, msgspec.ValidationError."""
    return msgspec.json.decode((folder / f"{kind}.json").read_bytes(), type=Result)


def _add_row(path: Path, row: dict[str, str]) -> None:
    """Append a row to a CSV file, and its new columns to the file's."""
    rows: list[dict[str, str]] = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            rows = [*csv.DictReader(file)]
    rows.append(row)
    columns = dict.fromkeys(column for one in rows for column in one)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*columns], restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _machine() -> str:
    cpu = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "")
    name = cpu.partition(":")[2].strip() or platform.machine()
    return f"{os.cpu_count()} cores of {name}, {platform.system()} {platform.release().partition('-')[0]}"


def _commit() -> str:
    """Return the commit that is checked out, with a mark if files differ from it; empty outside a repository."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    return f"{commit}+changes" if commit and _git("status", "--porcelain", "--untracked-files=no") else commit


def _git(*arguments: str) -> str:
    try:
        finished = subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607 (any git will do)
    except FileNotFoundError:
        return ""
    return finished.stdout.strip() if finished.returncode == 0 else ""


def _redis() -> str:
    """Return the version line of the Redis server that the suite starts, as in "Redis server v=7.0.15 sha=..."."""
    output = subprocess.run((select_program(), "--version"), capture_output=True, text=True, check=True).stdout
    return next((word[2:] for word in output.split() if word.startswith("v=")), output.strip())
