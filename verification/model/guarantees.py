"""Settings, failures, and which failures make which settings lose acknowledged commits."""

from collections.abc import Iterator
from typing import NamedTuple

from verification.model.search import Verdict, search
from verification.model.state import Failures, Settings

CASES = {
    "a server crashes for good": Failures(1, restarts=False),
    "a server crashes and restarts": Failures(1),
    "the primary is partitioned or paused": Failures(1, crashes=False, partition_sizes=(1,)),
    "... together with a replica": Failures(1, crashes=False, partition_sizes=(2,)),
    "two of these": Failures(2, partition_sizes=(1, 2)),
}
"""The failures, by name."""


class Guarantee(NamedTuple):
    """Settings with the failures that they tolerate."""

    settings: Settings
    expected: str
    """For each of CASES: `+` if nothing can be lost, else `-`."""

    @property
    def description(self) -> str:
        """The settings in an operator's terms."""
        settings = self.settings
        parts = [f"{settings.replicas} replica{'s' if settings.replicas > 1 else ''}"]
        parts.append(f"`WAIT {settings.wait}`" if settings.wait else "no `WAIT`")
        if settings.min_replicas:
            parts.append(f"`min-replicas-to-write {settings.min_replicas}`")
        parts.append(f"`{'always' if settings.durable else 'everysec'}`")
        if not settings.early_restart:
            parts.append("late restart")
        if not settings.fresh_offsets:
            parts.append("sentinels with stale offsets")
        return ", ".join(parts)

    def verdicts(self) -> Iterator[tuple[str, Verdict]]:
        """Yield the verdict of the search in each case."""
        for name, failures in CASES.items():
            yield name, search(self.settings, failures)


GUARANTEES = (
    Guarantee(Settings(2, wait=0), "-----"),
    Guarantee(Settings(2, wait=0, min_replicas=2), "-----"),
    Guarantee(Settings(2, wait=1), "+----"),
    Guarantee(Settings(2, wait=1, min_replicas=2), "+----"),
    Guarantee(Settings(2, wait=1, fresh_offsets=False), "-----"),
    Guarantee(Settings(2, wait=2, durable=False), "+-++-"),
    Guarantee(Settings(2, wait=2, durable=False, early_restart=False), "++++-"),
    Guarantee(Settings(2, wait=2), "+++++"),
    Guarantee(Settings(2, wait=2, fresh_offsets=False), "+++++"),
    Guarantee(Settings(1, wait=1), "+++++"),
    Guarantee(Settings(3, wait=2), "+----"),
    Guarantee(Settings(3, wait=3), "+++++"),
)
"""The table of docs/durability.md."""


def markdown_table() -> Iterator[str]:
    """Yield the table of docs/durability.md in Markdown."""
    yield f"| settings | {' | '.join(CASES)} |"
    yield f"|---|{'---|' * len(CASES)}"
    for guarantee in GUARANTEES:
        cells = ["**holds**" if verdict == "+" else "loses" for verdict in guarantee.expected]
        yield f"| {guarantee.description} | {' | '.join(cells)} |"


def counterexamples() -> Iterator[str]:
    """Yield the shortest sequence of steps to each loss, or the number of states without one."""
    for guarantee in GUARANTEES:
        yield guarantee.description
        for name, verdict in guarantee.verdicts():
            result = (
                "\n    ".join(verdict.counterexample)
                if verdict.counterexample
                else f"holds, in all {verdict.states:,} states"
            )
            yield f"  {name}:\n    {result}"
