"""Metrics of Redis: the offset of its clock, overdue work, connections and commands in flight."""

import asyncio
import time

from service.games.ports.game_store import StoreUnavailable
from service.store import keys
from service.store.connection.pipeline import PipelinedClient
from service.store.notifications import ChangeNotifications
from service.telemetry import clock
from service.telemetry.clock import ClockOffset
from service.telemetry.metrics import (
    ARCHIVE_PENDING,
    ARCHIVE_PENDING_AGE,
    BACKUP_MISSING,
    BACKUP_TIME,
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
"""Delay after a measurement that failed."""

CLOCK_SAMPLES = 5
"""The number of samples, of which the one with the shortest round trip counts."""

_TIME_SCRIPT = "return redis.call('TIME')"
"""A script, because a script has a key: in a Cluster all samples go to the same node, and thus read the same clock."""

_SCHEDULES = {"games": keys.GAME_SCHEDULE, "webhooks": keys.WEBHOOK_SCHEDULE}


class RedisMonitor:
    """The gauges of Redis."""

    def __init__(self, client: PipelinedClient, notifications: ChangeNotifications) -> None:
        self._client = client
        self._notifications = notifications

    async def run(self) -> None:
        """Measure every MEASURE_INTERVAL_S until cancelled. A gauge keeps its value while Redis does not reply."""
        while True:
            pause_s = MEASURE_INTERVAL_S
            try:
                measured = await self.measure_clock_offset()
                clock.set_offset(measured)
                CLOCK_OFFSET.set(measured.ahead_s)
                CLOCK_ERROR.set(measured.error_s)
                for work, key in _SCHEDULES.items():
                    OVERDUE.labels(work).set(await self._overdue_s(key))
                ARCHIVE_PENDING_AGE.set(await self._overdue_s(keys.ARCHIVE_PENDING))
                ARCHIVE_PENDING.set(await self._client.execute("ZCARD", keys.ARCHIVE_PENDING))
                await self._read_backup()
            except StoreUnavailable:
                OVERDUE.clear()
                pause_s = RETRY_DELAY_S
            await asyncio.sleep(pause_s)

    def register_gauges(self) -> None:
        """Let the gauges of connections and commands in flight read this store."""
        REDIS_UP.set_function(self._client.is_up)
        NOTIFICATIONS_UP.set_function(lambda: self._notifications.is_up)
        in_flight = self._client.in_flight
        REDIS_IN_FLIGHT.set_function(lambda: len(in_flight.commands))
        REDIS_IN_FLIGHT_BYTES.set_function(lambda: in_flight.bytes)

    async def measure_clock_offset(self) -> ClockOffset:
        """Return how far the clock of Redis is ahead of this one."""
        return min([await self._sample_clock_offset() for _ in range(CLOCK_SAMPLES)], key=lambda sample: sample.error_s)

    async def _sample_clock_offset(self) -> ClockOffset:
        sent_at, started = time.time(), time.monotonic()
        seconds, microseconds = await self._client.execute("EVAL", _TIME_SCRIPT, 1, keys.PROBE)
        round_trip_s = time.monotonic() - started
        return ClockOffset(
            int(seconds) + int(microseconds) / 1e6 - sent_at - round_trip_s / 2, round_trip_s / 2, sent_at - started
        )

    async def _overdue_s(self, key: str) -> float:
        """Return for how many seconds the oldest entry of a schedule has been due."""
        oldest = await self._client.execute("ZRANGE", key, 0, 0, "WITHSCORES")
        due = float(oldest[0][1]) if oldest else float("inf")
        return max(0.0, clock.now() - due)

    async def _read_backup(self) -> None:
        """Read what the last export of all games left; without one, its age counts from now."""
        value = await self._client.execute("GET", keys.BACKUP)
        if value is None:
            value = b"%d 0" % clock.now()
            await self._client.execute("SET", keys.BACKUP, value, "NX")
        ended_at, missing = map(int, value.split())
        BACKUP_TIME.set(ended_at)
        BACKUP_MISSING.set(missing)
