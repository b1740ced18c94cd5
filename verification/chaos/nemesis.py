"""The nemesis: injects one fault after the other, sometimes two at once, each type once before any is repeated."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from random import Random

from verification.chaos.faults import FaultType
from verification.chaos.history import Fault, History
from verification.chaos.testbed import Testbed

PAUSE_BETWEEN_FAULTS_S = (1.0, 2.5)

TWO_FAULTS_PROBABILITY = 0.2
"""The probability that a fault of another component starts together with a fault."""


async def inject_faults(
    testbed: Testbed, history: History, fault_types: Sequence[FaultType], rng: Random, until: float
) -> AsyncIterator[Fault]:
    """Inject faults until this time of the monotonic clock. Record each, and yield it after it has healed."""
    remaining: list[FaultType] = []
    while True:
        await asyncio.sleep(rng.uniform(*PAUSE_BETWEEN_FAULTS_S))
        if time.monotonic() >= until:
            return
        remaining = remaining or rng.sample(fault_types, len(fault_types))
        for fault in await _inject(testbed, history, _combine(remaining.pop(), fault_types, rng), rng):
            yield fault


def _combine(first: FaultType, fault_types: Sequence[FaultType], rng: Random) -> list[FaultType]:
    """Return this fault type, and sometimes a second one, in the order in which they start."""
    others = [other for other in fault_types if other.component != first.component]
    second = [rng.choice(others)] if others and rng.random() < TWO_FAULTS_PROBABILITY else []
    return sorted([first, *second], key=lambda fault_type: fault_type.component)


async def _inject(testbed: Testbed, history: History, fault_types: Sequence[FaultType], rng: Random) -> list[Fault]:
    """Inject these faults at once, and heal them. The history has them meanwhile too, when games are checked."""
    faults = []
    async with AsyncExitStack() as stack:
        for fault_type in fault_types:
            fault = Fault(kind=fault_type.name, detail="", healed_at=math.inf, promotes=fault_type.promotes)
            history.add(fault)
            faults.append(fault)
            fault.detail = await stack.enter_async_context(fault_type.inject(testbed, rng))
        await asyncio.sleep(rng.uniform(*fault_types[0].duration_s))
    healed_at = time.monotonic()
    for fault in faults:
        fault.healed_at = healed_at
    return faults
