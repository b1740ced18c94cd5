"""What `make faults` found, as a table: `benchmarks/results/faults.json` has the last result of every fault."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

__all__ = ["HEAD", "RESULTS", "FaultResult", "FaultRuns", "fault_table", "is_failure", "load_faults", "row"]

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "faults.json"

HEAD = (
    "| Fault | Users get | The log says | Alert, after | You | Works again after | Lost |",
    "|---|---|---|---|---|--:|--:|",
)


class FaultResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one fault did."""

    fault: str
    date: str
    """ISO 8601 in UTC."""
    moves: dict[str, int]
    """How many answers had each status, from the fault until players could move again."""
    reads: dict[str, int]
    moves_failed_s: float
    """The time between the first and the last failed answer."""
    reads_failed_s: float
    slowest_s: float
    """The slowest answer that was no failure."""
    log: str
    """The line that tells of the fault; empty if none must."""
    alert: str
    """The alert that fired; empty if nobody must act."""
    severity: str
    alert_after_s: float
    """As shipped, but for the interval of scrapes."""
    other_alerts: list[str]
    act: str
    """What the operator does."""
    recovery_s: float
    """The longest time without a move of some player; where somebody must act, since the repair began."""
    acknowledged: int
    lost: int
    """Acknowledged versions that are not stored."""
    may_lose: str
    """The words of docs/durability.md by which it may lose something; empty: nothing."""
    problems: list[str]
    """Why the row is not as it must be."""


class FaultRuns(msgspec.Struct, frozen=True):
    """The last result of every fault, in the order of the catalogue."""

    machine: str
    redis: str
    notes: list[str]
    """What is not as in production."""
    results: list[FaultResult]


def load_faults() -> FaultRuns:
    """Load the results. Raise FileNotFoundError, msgspec.ValidationError."""
    return msgspec.json.decode(RESULTS.read_bytes(), type=FaultRuns)


def fault_table() -> Iterator[str]:
    """Yield the results as a table, with their dates and machine."""
    runs = load_faults()
    yield from HEAD
    yield from (row(result) for result in runs.results)
    dates = sorted({result.date[:10] for result in runs.results})
    yield ""
    yield f"{' and '.join(dates)}, {runs.redis}, {runs.machine}. {' '.join(runs.notes)}"


def row(result: FaultResult) -> str:
    """Return the row of a fault."""
    alert = f"`{result.alert}` ({result.severity}), {format_seconds(result.alert_after_s)}"
    cells = (
        result.fault,
        f"{_answers(result)}.",
        f"`{result.log}`" if result.log else "",
        alert if result.alert else "none",
        result.act,
        format_seconds(result.recovery_s),
        f"{result.lost} of {result.acknowledged}, **{result.may_lose}**" if result.lost else "0",
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _answers(result: FaultResult) -> str:
    parts = [
        f"{kind}: {', '.join(_failures(statuses))} for {seconds:.1f} s"
        for kind, statuses, seconds in (
            ("moves", result.moves, result.moves_failed_s),
            ("reads", result.reads, result.reads_failed_s),
        )
        if _failures(statuses)
    ]
    if len(parts) == 1:
        parts.append("reads go on" if _failures(result.moves) else "moves go on")
    return "; ".join(parts) or f"all that they ask for, in {result.slowest_s:.1f} s at most"


def _failures(statuses: dict[str, int]) -> list[str]:
    return [f"{status} ({count})" for status, count in statuses.items() if is_failure(status)]


def is_failure(status: str) -> bool:
    """Return whether an answer is a failure. Another player's move makes a 409, 412 or 422."""
    return status not in {"200", "201", "409", "412", "422"}


def format_seconds(seconds: float) -> str:
    """Return a time in words.

    >>> format_seconds(2.44), format_seconds(86), format_seconds(3651)
    ('2.4 s', '1 min 26 s', '1 h 0 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"
