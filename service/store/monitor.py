"""What is measured of Redis from time to time: how far its clock is from this one's, and what waits there too long."""

import asyncio
import time

from service.games.ports import StoreUnavailable
from service.store import keys
from service.store.connection.pipeline import Batches
from service.store.notifications import Hints
from service.telemetry import clock
from service.telemetry.clock import Offset
from service.telemetry.metrics import (
    CLOCK_ERROR,
    CLOCK_OFFSET,
    NOTIFICATIONS_UP,
    OVERDUE,
    REDIS_IN_FLIGHT,
    REDIS_IN_FLIGHT_BYTES,
    REDIS_UP,
)

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
    """Measures it, and sets the gauges."""

    def __init__(self, batches: Batches, hints: Hints) -> None:
        self._batches = batches
        self._hints = hints

    async def keep_measuring(self) -> None:
        """Until cancelled, measure every `EVERY_S`; what Redis does not answer stays as it was."""
        while True:
            pause_s = EVERY_S
            try:
                measured = await self.offset()
                clock.set_offset(measured)
                CLOCK_OFFSET.set(measured.ahead_s)
                CLOCK_ERROR.set(measured.error_s)
                for work, key in _DUE.items():
                    OVERDUE.labels(work).set(await self._waited(key))
            except StoreUnavailable:
                OVERDUE.clear()
                pause_s = AGAIN_S
            await asyncio.sleep(pause_s)

    def expose(self) -> None:
        """Let the gauges of connections and of commands in flight be read here."""
        REDIS_UP.set_function(self._batches.up)
        NOTIFICATIONS_UP.set_function(lambda: self._hints.up)
        in_flight = self._batches.in_flight
        REDIS_IN_FLIGHT.set_function(lambda: len(in_flight.commands))
        REDIS_IN_FLIGHT_BYTES.set_function(lambda: in_flight.bytes)

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
