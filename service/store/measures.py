"""What is measured of Redis from time to time: how far its clock is from this one's, and what waits there too long."""

import asyncio
import time
from collections.abc import Iterator

from service.games.port import StoreUnavailable
from service.store import keys, timing
from service.store.batch import Batches
from service.store.hints import Hints
from service.telemetry import clock
from service.telemetry.clock import Offset
from service.telemetry.meters import Level
from service.telemetry.metrics import CLOCK_ERROR, CLOCK_OFFSET, HINTS_UP, OVERDUE

__all__ = ["Measures"]

EVERY_S = 10.0
AGAIN_S = 1.0
"""After it could not be measured."""

TRIES = 5
"""The quickest of so many answers says best what time it is."""

_TIME = "return redis.call('TIME')"
"""A script, because a Cluster sends it to the node of its key: each node has a clock of its own."""

_DUE = {"games": keys.DUE, "webhooks": keys.HOOKS_DUE}


class Measures:
    """The latest measurements."""

    def __init__(self, batches: Batches, hints: Hints) -> None:
        self._batches = batches
        self._hints = hints
        self._overdue: dict[str, float] = {}

    async def keep_measuring(self) -> None:
        """Until cancelled, measure every `EVERY_S`; what Redis does not answer stays as it was."""
        while True:
            pause_s = EVERY_S
            try:
                clock.set_offset(await self.offset())
                self._overdue = {work: await self._waited(key) for work, key in _DUE.items()}
            except StoreUnavailable:
                self._overdue = {}
                pause_s = AGAIN_S
            await asyncio.sleep(pause_s)

    def levels(self) -> Iterator[Level]:
        """What they say."""
        measured = clock.offset()
        yield CLOCK_OFFSET.at(measured.ahead_s)
        yield CLOCK_ERROR.at(measured.error_s)
        yield from timing.levels()
        yield from self._batches.in_flight.levels()
        yield HINTS_UP.at(float(self._hints.up))
        for work, seconds in self._overdue.items():
            yield OVERDUE.at(seconds, work)

    async def offset(self) -> Offset:
        """How far Redis's clock is ahead."""
        return min([await self._offset() for _ in range(TRIES)], key=lambda one: one.error_s)

    async def _offset(self) -> Offset:
        asked, began = time.time(), time.monotonic()
        seconds, microseconds = await self._batches.send("EVAL", _TIME, 1, keys.PROBE)
        took = time.monotonic() - began
        return Offset(int(seconds) + int(microseconds) / 1e6 - asked - took / 2, took / 2, asked - began)

    async def _waited(self, key: str) -> float:
        """How long the oldest of what is due has waited, in seconds."""
        oldest = await self._batches.send("ZRANGE", key, 0, 0, "WITHSCORES")
        due = float(oldest[0][1]) if oldest else float("inf")
        return max(0.0, clock.now() - due)
