"""Who breaks things: one fault after the other, some with a second one, each sort once before any comes again."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from random import Random

from tests.chaos.faults import Kind
from tests.chaos.history import Fault, History
from tests.chaos.testbed import Testbed

__all__ = ["inject_faults"]

PAUSE_BETWEEN_FAULTS_S = (1.0, 2.5)
"""Between a fault's end and the next."""

TWO_FAULTS_PROBABILITY = 0.2
"""How many come with a fault of another part."""


async def inject_faults(
    site: Testbed, history: History, kinds: Sequence[Kind], chance: Random, until: float
) -> AsyncIterator[Fault]:
    """Break things until this time of the monotonic clock; what was broken is whole again, and told, after each."""
    left: list[Kind] = []
    while True:
        await asyncio.sleep(chance.uniform(*PAUSE_BETWEEN_FAULTS_S))
        if time.monotonic() >= until:
            return
        left = left or chance.sample(kinds, len(kinds))
        for fault in await _inject(site, _choose_kinds(left.pop(), kinds, chance), chance):
            history.add(fault)
            yield fault


def _choose_kinds(kind: Kind, kinds: Sequence[Kind], chance: Random) -> list[Kind]:
    """Return this kind, and sometimes a second one, in the order in which they start."""
    others = [other for other in kinds if other.part != kind.part]
    second = [chance.choice(others)] if others and chance.random() < TWO_FAULTS_PROBABILITY else []
    return sorted([kind, *second], key=lambda one: one.part)


async def _inject(site: Testbed, kinds: Sequence[Kind], chance: Random) -> list[Fault]:
    """Do all these at once, and undo them."""
    faults = []
    async with AsyncExitStack() as broken:
        for kind in kinds:
            started_at = time.monotonic()
            detail = await broken.enter_async_context(kind.broken(site, chance))
            faults.append(Fault(kind=kind.name, detail=detail, at=started_at, healed=0.0))
        await asyncio.sleep(chance.uniform(*kinds[0].hold_s))
    healed = time.monotonic()
    for fault in faults:
        fault.healed = healed
    return faults
