"""What a run measured, and how it is kept in `benchmarks/results/`: the last run of each kind whole, all in a CSV."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Literal

import msgspec

FOLDER = Path(__file__).parent / "results"
FORMAT = 1


class Series(msgspec.Struct, frozen=True):
    """One number of each round, and what is told of them."""

    median: float
    low: float
    high: float
    rounds: list[float]


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the table."""

    name: str
    """What it is called for ever, so that results of different days can be compared: "action.rate"."""
    group: str
    title: str
    unit: str
    measured: Series
    better: Literal["more", "less"] = "more"
    of: str = ""
    """Who or what was measured, where it is not the service as it is: a build of the engine, a peer."""
    ceiling: Series | None = None
    """What was measured beside it in the same rounds, in the same unit."""
    ceiling_title: str = ""
    ratio: Series | None = None
    """Measured by ceiling, round by round."""
    reach: float | None = None
    """What the project set out to reach, in `unit`."""
    reach_ratio: float | None = None
    """The same, of the ratio."""
    note: str = ""


class Machine(msgspec.Struct, frozen=True):
    """Where it ran."""

    cpu: str
    cores: int
    memory_mb: int
    system: str


class Noise(msgspec.Struct, frozen=True):
    """How quiet the machine was; every share is of all cores' time, from 0 to 1."""

    noisy: bool
    reasons: list[str]
    calibration_ms: Series
    """A fixed piece of work, done between the rounds: milliseconds of each time."""
    load_before: float
    """The load average of the last minute when the run began, by the number of cores."""
    others_share: float
    """Time that other processes took."""
    steal_share: float
    """Time that the hypervisor gave to other machines."""


class Result(msgspec.Struct, frozen=True):
    """One run."""

    format: int
    kind: Literal["suite", "peers"]
    date: str
    """ISO 8601, UTC, of the run's end."""
    commit: str
    """With `+changes` where files differed from it."""
    quick: bool
    """A trial, whose rounds were too short to judge by."""
    machine: Machine
    python: str
    engine: str
    """Which build of the engine the service ran with: pure or compiled."""
    versions: dict[str, str]
    noise: Noise
    figures: list[Figure]
    notes: list[str]


def series(rounds: Sequence[float]) -> Series:
    """Median and range of one number of each round.

    >>> series([3.0, 1.0, 2.0])
    Series(median=2.0, low=1.0, high=3.0, rounds=[3.0, 1.0, 2.0])
    """
    return Series(median(rounds), min(rounds), max(rounds), list(rounds))


def ratios(measured: Sequence[float], ceilings: Sequence[float]) -> Series:
    """Each round's number by that of its ceiling in the same round."""
    return series([one / ceiling for one, ceiling in zip(measured, ceilings, strict=True)])


def processor_time(of: Figure, title: str, spent: Sequence[float], least: Sequence[float]) -> Figure:
    """What a rate costs: microseconds of the server's processor time for each, beside those of its ceiling."""
    return Figure(
        name=f"{of.name.removesuffix('.rate')}.cpu",
        group=of.group,
        title=title,
        unit="µs",
        better="less",
        measured=series(spent),
        ceiling=series(least),
        ceiling_title=of.ceiling_title,
        ratio=ratios(least, spent),
        note="the ratio is turned round, so that more is better here too",
    )


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that `percent` of the values do not exceed.

    >>> percentile(range(100), 99), percentile([7.0], 99)
    (99, 7.0)
    """
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def save(result: Result, lines: Iterable[str], folder: Path = FOLDER) -> Path:
    """Keep a run as the last of its kind, as JSON and as these lines of Markdown, and its medians as a row of the CSV.

    Gives the Markdown file.
    """
    folder.mkdir(exist_ok=True)
    page = folder / f"{result.kind}.md"
    (folder / f"{result.kind}.json").write_bytes(msgspec.json.encode(result) + b"\n")
    page.write_text("\n".join([f"# The last run of the {result.kind}", "", *lines, ""]), encoding="utf-8")
    _add_row(folder / "runs.csv", _row(result))
    return page


def load_result(kind: str, folder: Path = FOLDER) -> Result:
    """Load the last run of a kind. Raises FileNotFoundError, and msgspec.ValidationError where the file is no run."""
    return msgspec.json.decode((folder / f"{kind}.json").read_bytes(), type=Result)


def _row(result: Result) -> dict[str, str]:
    """A run in one row: what it was measured with, and the median of each figure."""
    row = {name: str(getattr(result, name)) for name in ("date", "kind", "commit", "quick", "python", "engine")}
    row["noisy"] = str(result.noise.noisy)
    for figure in result.figures:
        row[f"{figure.name} [{figure.unit}]"] = f"{figure.measured.median:.5g}"
    return row


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
