"""What is measured of Redis from time to time: how far its clock is from this one's, and what waits there too long."""

import asyncio
import time

from service.games.ports import StoreUnavailable
from service.store import keys
from service.store.connection.pipeline import PipelinedClient
from service.store.notifications import Notifications
from service.telemetry import clock
from service.telemetry.clock import ClockOffset
from service.telemetry.metrics import (
    CLOCK_ERROR,
    CLOCK_OFFSET,
    NOTIFICATIONS_UP,
    OVERDUE,
    REDIS_IN_FLIGHT,
    REDIS_IN_FLIGHT_BYTES,
    REDIS_UP,
)

__all__ = ["RedisMonitor"]

MEASURE_INTERVAL_S = 10.0
RETRY_DELAY_S = 1.0
"""After it could not be measured."""

CLOCK_SAMPLES = 5
"""The quickest of so many answers says best what time it is."""

_TIME_SCRIPT = "return redis.call('TIME')"
"""A script, because a Cluster sends it to the node of its key: each node has a clock of its own."""

_SCHEDULES = {"games": keys.GAME_SCHEDULE, "webhooks": keys.WEBHOOK_SCHEDULE}


class RedisMonitor:
    """Measures it, and sets the gauges."""

    def __init__(self, client: PipelinedClient, notifications: Notifications) -> None:
        self._client = client
        self._notifications = notifications

    async def run(self) -> None:
        """Until cancelled, measure every `EVERY_S`; what Redis does not answer stays as it was."""
        while True:
            pause_s = MEASURE_INTERVAL_S
            try:
                measured = await self.measure_clock_offset()
                clock.set_offset(measured)
                CLOCK_OFFSET.set(measured.ahead_s)
                CLOCK_ERROR.set(measured.error_s)
                for work, key in _SCHEDULES.items():
                    OVERDUE.labels(work).set(await self._overdue_s(key))
            except StoreUnavailable:
                OVERDUE.clear()
                pause_s = RETRY_DELAY_S
            await asyncio.sleep(pause_s)

    def register_gauges(self) -> None:
        """Let the gauges of connections and of commands in flight be read here."""
        REDIS_UP.set_function(self._client.is_up)
        NOTIFICATIONS_UP.set_function(lambda: self._notifications.is_up)
        in_flight = self._client.in_flight
        REDIS_IN_FLIGHT.set_function(lambda: len(in_flight.commands))
        REDIS_IN_FLIGHT_BYTES.set_function(lambda: in_flight.bytes)

    async def measure_clock_offset(self) -> ClockOffset:
        """How far Redis's clock is ahead."""
        return min([await self._sample_clock_offset() for _ in range(CLOCK_SAMPLES)], key=lambda one: one.error_s)

    async def _sample_clock_offset(self) -> ClockOffset:
        asked, began = time.time(), time.monotonic()
        seconds, microseconds = await self._client.execute("EVAL", _TIME_SCRIPT, 1, keys.WRITE_PROBE)
        took = time.monotonic() - began
        return ClockOffset(int(seconds) + int(microseconds) / 1e6 - asked - took / 2, took / 2, asked - began)

    async def _overdue_s(self, key: str) -> float:
        """How long the oldest of what is due has waited, in seconds."""
        oldest = await self._client.execute("ZRANGE", key, 0, 0, "WITHSCORES")
        due = float(oldest[0][1]) if oldest else float("inf")
        return max(0.0, clock.now() - due)
