"""The figures of a run, as a table."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

from tests.chaos.checker import Violation
from tests.chaos.history import (
    Acknowledged,
    Asked,
    Decided,
    Fault,
    Hint,
    Lost,
    Polled,
    Record,
    Refused,
    Repeated,
    Saw,
    Truth,
    Unknown,
    Whole,
)

__all__ = ["recoveries", "table"]


PEACE = "(nothing, for comparison)"
TOGETHER = "(two at once)"

BEFORE_S = 0.9
"""So long before each fault nothing is broken."""


def recoveries(records: Sequence[Record]) -> dict[str, list[float]]:
    """By sort of fault: for each game under way, the seconds from the fault to the game's next acknowledged action.

    Faults that came with another one are a sort of their own, and so is the peace before them.
    """
    acknowledged = _acknowledged(records)
    found: dict[str, list[float]] = defaultdict(list)
    for sort, faults in _sorts(records).items():
        for fault in faults:
            found[sort] += _next(acknowledged, fault.at)
            found[PEACE] += _next(acknowledged, fault.at - BEFORE_S)
    return found


def _acknowledged(records: Sequence[Record]) -> list[list[float]]:
    """When each game's actions were acknowledged."""
    games = {record.key: record.game for record in records if isinstance(record, Asked)}
    times: dict[str, list[float]] = defaultdict(list)
    for record in records:
        if isinstance(record, Acknowledged):
            times[games[record.key]].append(record.at)
    return [*times.values()]


def _next(acknowledged: Sequence[Sequence[float]], at: float) -> Iterator[float]:
    """How long after this time each game under way went on."""
    for times in acknowledged:
        if times[0] < at and (after := next((time for time in times if time > at), None)) is not None:
            yield after - at


def _sorts(records: Sequence[Record]) -> dict[str, list[Fault]]:
    """The faults by their sort; those that came together were mended together."""
    faults = [record for record in records if isinstance(record, Fault)]
    together = Counter(fault.healed for fault in faults)
    found: dict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        found[fault.kind if together[fault.healed] == 1 else TOGETHER].append(fault)
    return found


def table(records: Sequence[Record], violations: Sequence[Violation]) -> str:
    """Everything that is counted, in Markdown."""
    return "\n".join((*_totals(records, violations), "", *_faults(records)))


def _totals(records: Sequence[Record], violations: Sequence[Violation]) -> Iterator[str]:
    counts = Counter(type(record) for record in records)
    resyncs = sum(isinstance(record, Whole) and record.since is not None for record in records)
    finished = sum(isinstance(record, Truth) and record.document["status"] == "finished" for record in records)
    yield "| | |"
    yield "|---|--:|"
    yield f"| games begun | {counts[Decided]:,} |"
    yield f"| games finished and verified | {finished:,} |"
    yield f"| versions in their logs | {sum(len(record.log) for record in records if isinstance(record, Truth)):,} |"
    yield f"| actions asked for | {counts[Asked]:,} |"
    yield f"| of them acknowledged | {counts[Acknowledged]:,} |"
    yield f"| of them refused (somebody else was first) | {counts[Refused]:,} |"
    yield f"| of them given up | {counts[Unknown]:,} |"
    yield f"| asked for once more, and answered the same | {counts[Repeated]:,} |"
    if polled := sum(record.count for record in records if isinstance(record, Polled)):
        yield f"| other requests | {polled:,} |"
    yield f"| diffs told to watchers | {counts[Saw]:,} |"
    yield f"| connections of watchers lost | {counts[Lost]:,} |"
    yield f"| of them with a hint when to come back | {counts[Hint]:,} |"
    if hints := [record.retry_after_ms for record in records if isinstance(record, Hint)]:
        yield f"| come back after, shortest, median and longest | {min(hints)}, {median(hints):.0f}, {max(hints)} ms |"
    yield f"| watchers told the whole game again | {resyncs:,} |"
    yield f"| faults | {counts[Fault]:,} |"
    yield f"| violations | {len(violations):,} |"


def _faults(records: Sequence[Record]) -> Iterator[str]:
    found, sorts = recoveries(records), _sorts(records)
    with_another = Counter(fault.kind for fault in sorts.get(TOGETHER, ()))
    yield "| fault | alone | with another | lasted, median s | next acknowledged action, median s | longest s |"
    yield "|---|--:|--:|--:|--:|--:|"
    for sort in sorted({*found, *with_another}, key=lambda name: (name.startswith("("), name)):
        faults = [] if sort == TOGETHER else sorts.get(sort, [])
        lasted = f"{median(fault.healed - fault.at for fault in sorts[sort]):.1f}" if sort in sorts else ""
        times = found.get(sort)
        middle = f"{median(times):.2f}" if times else ""
        # What comes late after a time of peace may have met the fault that ended it.
        longest = f"{max(times):.2f}" if times and sort != PEACE else ""
        yield f"| {sort} | {len(faults) or ''} | {with_another[sort] or ''} | {lasted} | {middle} | {longest} |"
