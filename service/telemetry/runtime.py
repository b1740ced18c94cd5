"""How the process itself does: how late its event loop is, how long it collects garbage."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from service.telemetry.metrics import GC_PAUSE, LOOP_LAG

__all__ = ["collections_timed", "watch_loop"]

EVERY_S = 0.1
"""Each look costs some 30 us."""


async def watch_loop() -> None:
    """Until cancelled, sleep and see how late it was woken."""
    loop, lag = asyncio.get_running_loop(), LOOP_LAG.of()
    while True:
        due = loop.time() + EVERY_S
        await asyncio.sleep(EVERY_S)
        lag.observe(max(0.0, loop.time() - due))


@contextmanager
def collections_timed() -> Iterator[None]:
    """Time every collection of garbage, for the length of a `with`."""
    pauses, began = [GC_PAUSE.of(str(generation)) for generation in range(3)], 0.0

    def told(phase: str, info: dict[str, Any]) -> None:
        nonlocal began
        if phase == "start":
            began = perf_counter()
        else:
            pauses[info["generation"]].observe(perf_counter() - began)

    gc.callbacks.append(told)
    try:
        yield
    finally:
        gc.callbacks.remove(told)
