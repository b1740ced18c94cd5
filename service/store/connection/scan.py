"""Walking over all keys, a portion at a time, of one server or of all primaries of a Cluster.

A position says how far a walk has come. It holds as long as the servers stay the same: where another has become the
primary, some of its keys may be passed over, so whoever must see all keys begins again now and then.
"""

from typing import NamedTuple

from service.store import keys
from service.store.connection.errors import LOST, told
from service.store.connection.pipeline import Batches

__all__ = ["BEGIN", "Portion", "scan"]

BEGIN = ""


class Portion(NamedTuple):
    """Some keys, and where to go on; BEGIN: that was all."""

    keys: list[str]
    position: str


async def scan(batches: Batches, position: str, count: int, match: str = f"{keys.PREFIX}*") -> Portion:
    """The keys that come after `position`, about `count` of them looked at. Raises StoreUnavailable."""
    primaries = await _primaries(batches)
    primary, _, cursor = position.rpartition(" ")
    if position == BEGIN or primary not in primaries:  # the first, or the one after that which is none any more
        primary, cursor = _after(primaries, primary), "0"
    if not primary:
        return Portion([], BEGIN)
    following, found = await batches.at(primary, "SCAN", cursor, "MATCH", match, "COUNT", count)
    if int(following):
        return Portion([key.decode(errors="replace") for key in found], f"{primary} {int(following)}")
    after = _after(primaries, primary)
    return Portion([key.decode(errors="replace") for key in found], f"{after} 0" if after else BEGIN)


async def _primaries(batches: Batches) -> list[str]:
    """The names of all primaries, in order."""
    if not batches.topology.primaries():
        try:
            await batches.topology.refresh()
        except LOST as error:
            raise told(error) from error
    return sorted(batches.topology.primaries())


def _after(primaries: list[str], primary: str) -> str:
    """The next in order; empty after the last."""
    return next((name for name in primaries if name > primary), "")
