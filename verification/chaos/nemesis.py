"""The nemesis: injects one fault after the other, sometimes two at once, each type once before any is repeated."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from random import Random

from tests.polling import wait_until
from verification.chaos.faults import FaultType
from verification.chaos.history import Fault, History, Loss
from verification.chaos.testbed import Testbed

PAUSE_BETWEEN_FAULTS_S = (1.0, 2.5)

TWO_FAULTS_PROBABILITY = 0.2
"""The probability that a fault of another component starts together with a fault."""

NOTICE_TIMEOUT_S = 60.0
"""An instance probes Redis every 5 s."""


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
    faults, noticed_before = list[Fault](), list[int]()
    async with AsyncExitStack() as stack:
        stack.callback(_set_healed, faults)
        for fault_type in fault_types:
            fault = Fault(
                kind=fault_type.name,
                detail="",
                healed_at=math.inf,
                promotes=fault_type.promotes,
                notice=fault_type.notice,
            )
            noticed_before.append(_count_notices(testbed, fault.notice))
            history.add(fault)
            faults.append(fault)
            outcome = await stack.enter_async_context(fault_type.inject(testbed, rng))
            fault.detail = str(outcome)
            fault.loss = outcome if isinstance(outcome, Loss) else None
        await asyncio.sleep(max(rng.uniform(*fault_type.duration_s) for fault_type in fault_types))
    for fault, before in zip(faults, noticed_before, strict=True):
        if fault.notice:
            with suppress(TimeoutError):
                await wait_until(partial(_is_noticed, testbed, fault.notice, before), NOTICE_TIMEOUT_S)
                fault.is_noticed = True
    return faults


def _set_healed(faults: Sequence[Fault]) -> None:
    healed_at = time.monotonic()
    for fault in faults:
        fault.healed_at = healed_at


def _count_notices(testbed: Testbed, notice: str) -> int:
    return sum(instance.count_lines(notice) for instance in testbed.instances) if notice else 0


def _is_noticed(testbed: Testbed, notice: str, before: int) -> bool:
    return _count_notices(testbed, notice) > before
