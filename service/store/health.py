"""The probe of Redis, and its metrics.

The probe finds whether each primary stores commits, still has the data that it had, and has the right time.

It runs commit.lua itself, so it needs the memory, the disk, the replicas and the permissions that a commit needs. Its
keys expire before its next run, which therefore writes all of them again.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from time import monotonic

from service.games.ports import StoreUnavailable
from service.store import keys
from service.store.connection import CONNECTION_ERRORS, format_duration
from service.store.embedded import find_missing_file
from service.store.notifications import ChangeNotifications
from service.store.pipeline import PipelinedClient
from service.telemetry import clock, metrics
from service.telemetry.clock import DAY_S, ClockOffset

logger = logging.getLogger(__name__)

PROBE_TTL_S = 1
PROBE_INTERVAL_S = 5.0
RETRY_INTERVAL_S = 2.0
"""While a primary is not writable."""

MAX_PROBES = 2048
"""Hash tags that are tried for a slot of a primary: one with few slots has none among them, and is not probed."""

UNKNOWN = "unknown"
"""The primary of slots for which none is known."""

MAX_CLOCK_DIFFERENCE_S = 60
"""Redis deletes a game too early by as much as its clock is ahead."""

_SECTIONS = ("keyspace", "memory", "persistence", "replication", "stats")
_FIELDS = {
    metrics.REDIS_RDB_OK: ("rdb_last_bgsave_status", "ok"),
    metrics.REDIS_AOF_OK: ("aof_last_write_status", "ok"),
    metrics.REDIS_POLICY_OK: ("maxmemory_policy", "noeviction"),
    metrics.REDIS_EVICTED: ("evicted_keys", None),
    metrics.REDIS_REPLICAS: ("connected_slaves", None),
}
"""The field of INFO that a gauge shows, with the value that it should have; None for a number."""

_BACKUP = (metrics.BACKUP_TIME, metrics.BACKUP_MISSING, metrics.BACKUP_LOSSES)
"""What `keys.BACKUP` has."""

_GAUGES = (metrics.REDIS_WRITABLE, metrics.REDIS_KEYS, *_FIELDS)


class RedisHealth:
    """Probes every primary. `commit` runs commit.lua on these keys."""

    def __init__(self, client: PipelinedClient, commit: Callable[[tuple[str, str, str]], Awaitable[object]]) -> None:
        self._client = client
        self._commit = commit
        self._instance = secrets.token_hex(8)
        self._primaries: set[str] = set()
        """Those with gauges."""
        self._markers: dict[str, bytes] = {}
        """The marker that was last read, by key."""
        self._probed_at: dict[str, int] = {}
        """When a primary stored this instance's last probe, in milliseconds of the monotonic clock, by key."""
        self._wrong_clocks: set[str] = set()
        """Primaries whose clock was wrong at the last probe."""
        self.directory: Path | None = None
        """That of the embedded server's files."""
        self._may_read_info = True
        self.failures: dict[str, StoreUnavailable | None] = {}
        """Why a primary was not writable when it was probed last, by primary."""

    async def run(self) -> None:
        """Probe until cancelled, after the first probe that the caller has made."""
        is_writable = False
        while True:
            await asyncio.sleep(PROBE_INTERVAL_S if is_writable else RETRY_INTERVAL_S)
            is_writable = await self.probe()

    async def probe(self) -> bool:
        """Probe every primary once, and return whether all are writable, and together have all slots."""
        began_at, topology = monotonic(), self._client.topology
        if self.directory is not None:
            missing = find_missing_file(self.directory)
            text = f"Redis has lost its file {missing}, so a restart would lose the games"
            self._client.refusal = text if missing else ""
        if topology.count_missing_slots():
            with suppress(*CONNECTION_ERRORS):
                await topology.refresh()
        primaries, has_all_slots = {*topology.primaries()}, not topology.count_missing_slots()
        gauges = primaries or self._primaries
        gauges = gauges - {UNKNOWN} if has_all_slots else gauges | {UNKNOWN}
        for former in self._primaries - gauges:
            for gauge in _GAUGES:
                gauge.remove(former)
        for unreachable in gauges - primaries:
            metrics.REDIS_WRITABLE.labels(unreachable).set(0)
        self._primaries = gauges
        probes = [(primary, probe) for primary in sorted(primaries) if (probe := self._find_probe(primary))]
        self.failures = dict(await asyncio.gather(*(self._probe(*one) for one in probes)))
        is_writable = has_all_slots and not any(self.failures.values())
        if is_writable:
            self._client.outages.record_writable(began_at)
        return is_writable

    def _find_probe(self, primary: str) -> str | None:
        """Return a hash tag whose slot this primary serves."""
        probes = (f"probe-{number}" for number in range(MAX_PROBES))
        topology = self._client.topology
        return next((probe for probe in probes if topology.primary_for_key(keys.marker(probe)) == primary), None)

    async def _probe(self, primary: str, probe: str) -> tuple[str, StoreUnavailable | None]:
        """Set the gauges of a primary, and return it with why it is not writable."""
        attempts = (
            self._commit(keys.probe_keys(probe, self._instance)),
            self._check_data(primary, probe),
            self._check_clock(primary),
            self._read_info(primary),
        )
        outcomes = await asyncio.gather(*attempts, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException) and not isinstance(outcome, StoreUnavailable):
                raise outcome
        failure = outcomes[0] if isinstance(outcomes[0], StoreUnavailable) else None
        metrics.REDIS_WRITABLE.labels(primary).set(failure is None)
        return primary, failure

    async def _check_data(self, primary: str, probe: str) -> None:
        """Log and count if a primary has lost data since the last probe. Raise StoreUnavailable."""
        key, own_key, now_ms = keys.marker(probe), keys.last_probe(probe, self._instance), int(monotonic() * 1000)
        new = secrets.token_hex(8).encode()
        stored, probed_at = await asyncio.gather(
            self._client.execute("SET", key, new, "NX", "GET", wait_for_replicas=True),
            self._client.execute("GET", own_key),  # before it is set: a SET that no replica confirms is stored
        )
        known, self._markers[key] = self._markers.get(key), stored or new
        last_ms, self._probed_at[key] = self._probed_at.get(key), int(probed_at or now_ms)
        if stored is None and known is None:
            logger.info("Redis (%s) is new to this service", primary)
        elif known not in (None, stored):
            metrics.REDIS_EMPTIED.inc()
            loss = "was emptied" if stored is None else "has other data than before"
            logger.error("Redis (%s) %s: its marker is %s", primary, loss, "another" if stored else "gone")
            await self._client.execute("SET", keys.EMPTIED, int(clock.now()))
        elif last_ms is not None and now_ms - last_ms < DAY_S * 1000 and int(probed_at or 0) < last_ms:
            metrics.REDIS_WENT_BACK.inc()
            age = format_duration((now_ms - int(probed_at)) / 1000) if probed_at else "a time that only its clock knows"
            logger.error("Redis (%s) went back by %s: what it acknowledged meanwhile is lost", primary, age)
            if probed_at is None:  # it has expired, and games with it
                await self._client.execute("SET", keys.EMPTIED, int(clock.now()))
        await self._client.execute("SET", own_key, now_ms, "EX", DAY_S, wait_for_replicas=True)
        self._probed_at[key] = now_ms

    async def _check_clock(self, primary: str) -> None:
        """Log and count if a primary's clock differs much from this machine's. Raise StoreUnavailable."""
        sent_at = time.time()
        seconds = int((await self._client.execute("TIME", primary=primary))[0])
        ahead_s = min(seconds - sent_at, seconds - time.time(), key=abs)  # the process may have been stopped meanwhile
        if abs(ahead_s) < MAX_CLOCK_DIFFERENCE_S:
            self._wrong_clocks.discard(primary)
            return
        metrics.REDIS_CLOCK_WRONG.inc()
        if primary not in self._wrong_clocks:
            self._wrong_clocks.add(primary)
            side = "ahead of this machine's, so games are deleted early" if ahead_s > 0 else "behind this machine's"
            logger.warning("Redis' clock (%s) is %s %s", primary, timedelta(minutes=round(abs(ahead_s) / 60)), side)

    async def _read_info(self, primary: str) -> None:
        """Set the gauges of what a primary says of itself, if the ACL allows INFO. Raise StoreUnavailable."""
        if not self._may_read_info:
            return
        try:
            info = await self._client.execute("INFO", *_SECTIONS, primary=primary)
        except StoreUnavailable as error:
            self._may_read_info = error.cause != "permission"
            raise
        fields = dict(line.split(":", 1) for line in bytes(info).decode().split() if ":" in line)
        for gauge, (field, wanted) in _FIELDS.items():
            gauge.labels(primary).set(fields.get(field) == wanted if wanted else int(fields.get(field, 0)))
        keyspace = fields.get(f"db{self._client.topology.url.options.get('db', 0)}", "keys=0")
        metrics.REDIS_KEYS.labels(primary).set(int(keyspace.removeprefix("keys=").partition(",")[0]))


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
                metrics.CLOCK_OFFSET.set(measured.ahead_s)
                metrics.CLOCK_ERROR.set(measured.error_s)
                for work, key in _SCHEDULES.items():
                    metrics.OVERDUE.labels(work).set(await self._overdue_s(key))
                metrics.ARCHIVE_PENDING_AGE.set(await self._overdue_s(keys.ARCHIVE_PENDING))
                metrics.ARCHIVE_PENDING.set(await self._client.execute("ZCARD", keys.ARCHIVE_PENDING))
                await self._read_backup()
                with suppress(*CONNECTION_ERRORS):
                    metrics.REDIS_CERTIFICATE_END.set(await self._client.topology.read_certificate_end())
            except StoreUnavailable:
                metrics.OVERDUE.clear()
                pause_s = RETRY_DELAY_S
            await asyncio.sleep(pause_s)

    def register_gauges(self) -> None:
        """Let the gauges of connections and commands in flight read this store."""
        metrics.REDIS_UP.set_function(lambda: self._client.unreachable_s() == 0)
        metrics.NOTIFICATIONS_UP.set_function(lambda: self._notifications.is_up)
        in_flight = self._client.in_flight
        metrics.REDIS_IN_FLIGHT.set_function(lambda: len(in_flight.commands))
        metrics.REDIS_IN_FLIGHT_BYTES.set_function(lambda: in_flight.bytes)

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
            value = b"%d 0 0" % clock.now()
            await self._client.execute("SET", keys.BACKUP, value, "NX")
        for gauge, number in zip(_BACKUP, value.split(), strict=False):
            gauge.set(int(number))
