"""Who breaks things: one fault after the other, some with a second one, each sort once before any comes again."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from random import Random

from tests.chaos.faults import Kind
from tests.chaos.history import Fault, History
from tests.chaos.testbed import Site

__all__ = ["torment"]

PEACE_S = (1.0, 2.5)
"""Between a fault's end and the next."""

TWO_AT_ONCE = 0.2
"""How many come with a fault of another part."""


async def torment(
    site: Site, history: History, kinds: Sequence[Kind], chance: Random, until: float
) -> AsyncIterator[Fault]:
    """Break things until this time of the monotonic clock; what was broken is whole again, and told, after each."""
    left: list[Kind] = []
    while True:
        await asyncio.sleep(chance.uniform(*PEACE_S))
        if time.monotonic() >= until:
            return
        left = left or chance.sample(kinds, len(kinds))
        for fault in await _break(site, _chosen(left.pop(), kinds, chance), chance):
            history.add(fault)
            yield fault


def _chosen(kind: Kind, kinds: Sequence[Kind], chance: Random) -> list[Kind]:
    """A sort, and perhaps another with it, in the order in which they are done."""
    others = [other for other in kinds if other.part != kind.part]
    second = [chance.choice(others)] if others and chance.random() < TWO_AT_ONCE else []
    return sorted([kind, *second], key=lambda one: one.part)


async def _break(site: Site, kinds: Sequence[Kind], chance: Random) -> list[Fault]:
    """Do all these at once, and undo them."""
    faults = []
    async with AsyncExitStack() as broken:
        for kind in kinds:
            begun = time.monotonic()
            detail = await broken.enter_async_context(kind.broken(site, chance))
            faults.append(Fault(kind=kind.name, detail=detail, at=begun, healed=0.0))
        await asyncio.sleep(chance.uniform(*kinds[0].hold_s))
    healed = time.monotonic()
    for fault in faults:
        fault.healed = healed
    return faults
