"""The figures of a run, as a table."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

from tests.chaos.checker import Violation
from tests.chaos.history import (
    Acknowledged,
    DiffReceived,
    Disconnected,
    Fault,
    FinalState,
    GamePlayed,
    Invoked,
    Polled,
    ReconnectRequested,
    Record,
    Rejected,
    Retried,
    SnapshotReceived,
    Undetermined,
)

__all__ = ["Tally", "markdown_table", "recoveries"]


NO_FAULT = "(nothing, for comparison)"
TWO_FAULTS = "(two at once)"

BEFORE_S = 0.9
"""So long before each fault nothing is broken."""


class Tally:
    """What is counted in histories; one of a whole run is small."""

    def __init__(self) -> None:
        self.counts: Counter[type[Record]] = Counter()
        self.acknowledged: dict[str, list[float]] = defaultdict(list)
        """By game, when its actions were acknowledged."""
        self.faults: list[Fault] = []
        self.hints: list[ReconnectRequested] = []
        self.resyncs = 0
        """How often a watcher that had a game already was told all of it."""
        self.finished = 0
        self.versions = 0
        self.polled = 0

    def times(self) -> list[float]:
        """When actions were acknowledged."""
        return [time for times in self.acknowledged.values() for time in times]

    def add(self, records: Sequence[Record]) -> None:
        """Count a history that is whole."""
        self.counts.update(map(type, records))
        games = {record.key: record.game for record in records if isinstance(record, Invoked)}
        for record in records:
            match record:
                case Acknowledged():
                    self.acknowledged[games[record.key]].append(record.at)
                case Fault():
                    self.faults.append(record)
                case ReconnectRequested():
                    self.hints.append(record)
                case SnapshotReceived():
                    self.resyncs += record.since_version is not None
                case Polled():
                    self.polled += record.count
                case FinalState():
                    self.finished += record.document["status"] == "finished"
                    self.versions += len(record.log)
                case _:
                    pass

    def merge(self, other: "Tally") -> None:
        """Count what another has counted, of other games."""
        self.counts += other.counts
        self.acknowledged |= other.acknowledged
        self.faults += other.faults
        self.hints += other.hints
        self.resyncs += other.resyncs
        self.finished += other.finished
        self.versions += other.versions
        self.polled += other.polled


def recoveries(tally: Tally) -> dict[str, list[float]]:
    """By sort of fault: for each game under way, the seconds from the fault to the game's next acknowledged action.

    Faults that came with another one are a sort of their own, and so is the peace before them.
    """
    acknowledged = [*tally.acknowledged.values()]
    result: dict[str, list[float]] = defaultdict(list)
    for sort, faults in _faults_by_kind(tally).items():
        for fault in faults:
            result[sort] += _next(acknowledged, fault.at)
            result[NO_FAULT] += _next(acknowledged, fault.at - BEFORE_S)
    return result


def _next(acknowledged: Sequence[Sequence[float]], at: float) -> Iterator[float]:
    """How long after this time each game under way went on."""
    for times in acknowledged:
        if times[0] < at < times[-1]:
            yield times[bisect_right(times, at)] - at


def _faults_by_kind(tally: Tally) -> dict[str, list[Fault]]:
    """Group the faults by kind; faults that overlapped form a kind of their own."""
    together = Counter(fault.healed for fault in tally.faults)
    result: dict[str, list[Fault]] = defaultdict(list)
    for fault in tally.faults:
        result[fault.kind if together[fault.healed] == 1 else TWO_FAULTS].append(fault)
    return result


def markdown_table(tally: Tally, violations: Sequence[Violation]) -> str:
    """Everything that is counted, in Markdown."""
    return "\n".join((*_totals(tally, violations), "", *_faults(tally)))


def _totals(tally: Tally, violations: Sequence[Violation]) -> Iterator[str]:
    counts = tally.counts
    yield "| | |"
    yield "|---|--:|"
    yield f"| games begun | {counts[GamePlayed]:,} |"
    yield f"| games finished and verified | {tally.finished:,} |"
    yield f"| versions in their logs | {tally.versions:,} |"
    yield f"| actions asked for | {counts[Invoked]:,} |"
    yield f"| of them acknowledged | {counts[Acknowledged]:,} |"
    yield f"| of them refused (somebody else was first) | {counts[Rejected]:,} |"
    yield f"| of them given up | {counts[Undetermined]:,} |"
    yield f"| asked for once more, and answered the same | {counts[Retried]:,} |"
    if tally.polled:
        yield f"| other requests | {tally.polled:,} |"
    yield f"| diffs told to watchers | {counts[DiffReceived]:,} |"
    yield f"| connections of watchers lost | {counts[Disconnected]:,} |"
    yield f"| of them with a hint when to come back | {counts[ReconnectRequested]:,} |"
    if hints := [hint.retry_after_ms for hint in tally.hints]:
        yield f"| come back after, shortest, median and longest | {min(hints)}, {median(hints):.0f}, {max(hints)} ms |"
    yield f"| watchers told the whole game again | {tally.resyncs:,} |"
    yield f"| faults | {counts[Fault]:,} |"
    yield f"| violations | {len(violations):,} |"


def _faults(tally: Tally) -> Iterator[str]:
    result, sorts = recoveries(tally), _faults_by_kind(tally)
    with_another = Counter(fault.kind for fault in sorts.get(TWO_FAULTS, ()))
    yield "| fault | alone | with another | lasted, median s | next acknowledged action, median s | longest s |"
    yield "|---|--:|--:|--:|--:|--:|"
    for sort in sorted({*result, *with_another}, key=lambda name: (name.startswith("("), name)):
        faults = [] if sort == TWO_FAULTS else sorts.get(sort, [])
        lasted = f"{median(fault.healed - fault.at for fault in sorts[sort]):.1f}" if sort in sorts else ""
        times = result.get(sort)
        middle = f"{median(times):.2f}" if times else ""
        # What comes late after a time of peace may have met the fault that ended it.
        longest = f"{max(times):.2f}" if times and sort != NO_FAULT else ""
        yield f"| {sort} | {len(faults) or ''} | {with_another[sort] or ''} | {lasted} | {middle} | {longest} |"
