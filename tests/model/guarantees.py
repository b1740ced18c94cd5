"""Settings, what happens to them, and which of them may lose what was acknowledged."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.model.search import Verdict, search
from tests.model.state import Failures, Settings

__all__ = ["CASES", "GUARANTEES", "Guarantee", "markdown_table", "stories"]

CASES = {
    "a server dies for good": Failures(1, returns=False),
    "a server dies and comes back": Failures(1),
    "the primary is cut off, or paused": Failures(1, crashes=False, cuts=(1,)),
    "... together with a replica": Failures(1, crashes=False, cuts=(2,)),
    "two of these": Failures(2, cuts=(1, 2)),
}
"""What happens."""


class Guarantee(NamedTuple):
    """What settings hold."""

    settings: Settings
    holds: str
    """For each of CASES `+` where nothing can be lost, or `-`."""

    @property
    def words(self) -> str:
        """The settings as an operator knows them."""
        one = self.settings
        replicas = f"{one.replicas} replica{'s' if one.replicas > 1 else ''}"
        requested = [f"`WAIT {one.wait}`" if one.wait else "no `WAIT`"]
        if one.min_replicas:
            requested.append(f"`min-replicas-to-write {one.min_replicas}`")
        requested.append(f"`{'always' if one.durable else 'everysec'}`")
        if not one.early_restart:
            requested.append("late restart")
        if not one.fresh_offsets:
            requested.append("sentinels with old news")
        return ", ".join([replicas, *requested])

    def verdicts(self) -> Iterator[tuple[str, Verdict]]:
        """Yield the verdict of the search in each case."""
        for name, failures in CASES.items():
            yield name, search(self.settings, failures)


GUARANTEES = (
    Guarantee(Settings(2, wait=0), "-----"),
    Guarantee(Settings(2, wait=0, min_replicas=1), "-----"),
    Guarantee(Settings(2, wait=0, min_replicas=2), "-----"),
    Guarantee(Settings(2, wait=1, durable=False), "+----"),
    Guarantee(Settings(2, wait=1), "+----"),
    Guarantee(Settings(2, wait=1, min_replicas=2), "+----"),
    Guarantee(Settings(2, wait=1, fresh_offsets=False), "-----"),
    Guarantee(Settings(2, wait=2, durable=False), "+-++-"),
    Guarantee(Settings(2, wait=2, durable=False, early_restart=False), "++++-"),
    Guarantee(Settings(2, wait=2), "+++++"),
    Guarantee(Settings(2, wait=2, fresh_offsets=False), "+++++"),
    Guarantee(Settings(1, wait=1, durable=False), "+-++-"),
    Guarantee(Settings(1, wait=1), "+++++"),
    Guarantee(Settings(3, wait=2), "+----"),
    Guarantee(Settings(3, wait=3), "+++++"),
)
"""What docs/durability.md says."""


def markdown_table() -> Iterator[str]:
    """Yield the table of docs/durability.md in Markdown."""
    yield f"| settings | {' | '.join(CASES)} |"
    yield f"|---|{'---|' * len(CASES)}"
    for guarantee in GUARANTEES:
        cells = ["**holds**" if cached == "+" else "loses" for cached in guarantee.holds]
        yield f"| {guarantee.words} | {' | '.join(cells)} |"


def stories() -> Iterator[str]:
    """Yield the shortest sequence to each loss, or the number of states searched without one."""
    for guarantee in GUARANTEES:
        yield guarantee.words
        for name, verdict in guarantee.verdicts():
            result = "\n    ".join(verdict.story) if verdict.story else f"holds, in all {verdict.states:,} states"
            yield f"  {name}:\n    {result}"
