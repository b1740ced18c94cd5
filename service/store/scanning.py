"""Walking over all keys, a portion at a time, of one server or of all primaries of a Cluster.

A position says how far a walk has come. It holds as long as the servers stay the same: where another has become the
primary, some of its keys may be passed over, so whoever must see all keys begins again now and then.
"""

from typing import NamedTuple

from service.games.port import StoreUnavailable
from service.store import keys
from service.store.batch import Batches
from service.store.cluster import SLOTS
from service.store.link import LinkLost
from service.store.refusals import Refused

__all__ = ["BEGIN", "Portion", "scan"]

BEGIN = ""


class Portion(NamedTuple):
    """Some keys, and where to go on; BEGIN: that was all."""

    keys: list[str]
    position: str


async def scan(batches: Batches, position: str, count: int, match: str = f"{keys.PREFIX}*") -> Portion:
    """The keys that come after `position`, about `count` of them looked at. Raises StoreUnavailable."""
    slots = await _slots(batches)
    place, _, cursor = position.rpartition(" ")
    if position == BEGIN or place not in slots:  # the first, or the one after that which is no primary any more
        place, cursor = _after(slots, place), "0"
    if not place:
        return Portion([], BEGIN)
    following, found = await batches.at(slots[place], "SCAN", cursor, "MATCH", match, "COUNT", count)
    if int(following):
        return Portion([key.decode(errors="replace") for key in found], f"{place} {int(following)}")
    after = _after(slots, place)
    return Portion([key.decode(errors="replace") for key in found], f"{after} 0" if after else BEGIN)


async def _slots(batches: Batches) -> dict[str, int]:
    """For each primary by name, in order, one of its slots."""
    try:
        places = await batches.routes.primaries()
    except (LinkLost, Refused) as error:
        raise StoreUnavailable(f"Redis: {error}") from error
    if not batches.routes.sharded:
        return {"one": 0}
    slots = {str(batches.routes.place_of(slot)): slot for slot in range(SLOTS)}
    return {name: slots[name] for name in sorted(map(str, places)) if name in slots}


def _after(slots: dict[str, int], place: str) -> str:
    """The next in order; empty after the last."""
    return next((name for name in slots if name > place), "")
