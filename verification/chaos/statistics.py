"""Counts a run's records, and prints them as Markdown tables."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

from verification.chaos.checker import Violation
from verification.chaos.history import (
    Acknowledged,
    DiffReceived,
    Disconnected,
    Fault,
    FinalState,
    GameCreated,
    Invoked,
    Polled,
    ReconnectRequested,
    Record,
    Rejected,
    Retried,
    SnapshotReceived,
    Undetermined,
)

NO_FAULT = "(no fault, for comparison)"
TWO_FAULTS = "(two at once)"

BASELINE_OFFSET_S = 0.9
"""At this time before each fault no other is active."""


class Tally:
    """The figures of histories, which stay small for a run of any length."""

    def __init__(self) -> None:
        self.counts: Counter[type[Record]] = Counter()
        self.acknowledged: dict[str, list[float]] = defaultdict(list)
        """By game: when its actions were acknowledged."""
        self.faults: list[Fault] = []
        self.reconnect_requests: list[ReconnectRequested] = []
        self.resyncs = 0
        """How often a subscriber that already had a version received a snapshot."""
        self.finished = 0
        self.versions = 0
        self.polled = 0
        self.archived_logs = 0
        """How many logs were only in the archive when the games were checked at the end."""

    def add(self, records: Sequence[Record]) -> None:
        """Count a complete history."""
        self.counts.update(map(type, records))
        games = {record.key: record.game for record in records if isinstance(record, Invoked)}
        for record in records:
            match record:
                case Acknowledged():
                    self.acknowledged[games[record.key]].append(record.at)
                case Fault():
                    self.faults.append(record)
                case ReconnectRequested():
                    self.reconnect_requests.append(record)
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
        """Add the figures of other games."""
        self.counts += other.counts
        self.acknowledged |= other.acknowledged
        self.faults += other.faults
        self.reconnect_requests += other.reconnect_requests
        self.resyncs += other.resyncs
        self.finished += other.finished
        self.versions += other.versions
        self.polled += other.polled


def recoveries(tally: Tally) -> dict[str, list[float]]:
    """Return, by kind of fault, the seconds from the fault to the next acknowledged action of each active game.

    Faults that overlap with another one form a kind of their own, and so do the moments before all faults.
    """
    acknowledged = [*tally.acknowledged.values()]
    result: dict[str, list[float]] = defaultdict(list)
    for kind, faults in _faults_by_kind(tally).items():
        for fault in faults:
            result[kind] += _next_acknowledgements(acknowledged, fault.at)
            result[NO_FAULT] += _next_acknowledgements(acknowledged, fault.at - BASELINE_OFFSET_S)
    return result


def _next_acknowledgements(acknowledged: Sequence[Sequence[float]], at: float) -> Iterator[float]:
    """Yield, for each active game, the seconds from this time to its next acknowledged action."""
    for times in acknowledged:
        if times[0] < at < times[-1]:
            yield times[bisect_right(times, at)] - at


def _faults_by_kind(tally: Tally) -> dict[str, list[Fault]]:
    """Group the faults by kind; faults that overlap form a kind of their own."""
    together = Counter(fault.healed_at for fault in tally.faults)
    result: dict[str, list[Fault]] = defaultdict(list)
    for fault in tally.faults:
        result[fault.kind if together[fault.healed_at] == 1 else TWO_FAULTS].append(fault)
    return result


def markdown_table(tally: Tally, violations: Sequence[Violation]) -> str:
    """Return all figures in Markdown."""
    return "\n".join((*_totals(tally, violations), "", *_faults(tally)))


def _totals(tally: Tally, violations: Sequence[Violation]) -> Iterator[str]:
    counts = tally.counts
    yield "| | |"
    yield "|---|--:|"
    yield f"| games created | {counts[GameCreated]:,} |"
    yield f"| games finished and verified | {tally.finished:,} |"
    yield f"| ... whose log was then read from the archive | {tally.archived_logs:,} |"
    yield f"| versions in their logs | {tally.versions:,} |"
    yield f"| actions invoked | {counts[Invoked]:,} |"
    yield f"| ... acknowledged | {counts[Acknowledged]:,} |"
    yield f"| ... rejected (another client was first) | {counts[Rejected]:,} |"
    yield f"| ... with unknown outcome | {counts[Undetermined]:,} |"
    yield f"| acknowledged actions sent again with the same key | {counts[Retried]:,} |"
    if tally.polled:
        yield f"| other requests | {tally.polled:,} |"
    yield f"| diffs received by subscribers | {counts[DiffReceived]:,} |"
    yield f"| subscribers' connections closed | {counts[Disconnected]:,} |"
    yield f"| ... after a request to reconnect | {counts[ReconnectRequested]:,} |"
    if delays := [record.retry_after_ms for record in tally.reconnect_requests]:
        yield f"| requested delay: shortest, median, longest | {min(delays)}, {median(delays):.0f}, {max(delays)} ms |"
    yield f"| snapshots received after a reconnect | {tally.resyncs:,} |"
    yield f"| faults | {counts[Fault]:,} |"
    yield f"| violations | {len(violations):,} |"


def _faults(tally: Tally) -> Iterator[str]:
    recovery_times, kinds = recoveries(tally), _faults_by_kind(tally)
    with_another = Counter(fault.kind for fault in kinds.get(TWO_FAULTS, ()))
    yield "| fault | alone | with another | duration, median s | next acknowledged action, median s | longest s |"
    yield "|---|--:|--:|--:|--:|--:|"
    for kind in sorted({*recovery_times, *with_another}, key=lambda name: (name.startswith("("), name)):
        alone = 0 if kind == TWO_FAULTS else len(kinds.get(kind, ()))
        duration = f"{median(fault.healed_at - fault.at for fault in kinds[kind]):.1f}" if kind in kinds else ""
        times = recovery_times.get(kind)
        typical = f"{median(times):.2f}" if times else ""
        # The longest time without a fault may include the fault that follows.
        longest = f"{max(times):.2f}" if times and kind != NO_FAULT else ""
        yield f"| {kind} | {alone or ''} | {with_another[kind] or ''} | {duration} | {typical} | {longest} |"
