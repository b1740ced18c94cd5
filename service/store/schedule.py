"""Queues of what is due, and the leases of their entries."""

import math
from uuid import uuid4

from service.store import keys
from service.store.pipeline import PipelinedClient, Script
from service.supervision import Backoff

GRACE_S = 15
"""Seconds within which a commit is stored or given up after its date was set."""

FAILURE_COUNT_TTL_S = 60
"""How long after the delay a failed entry counts as failing: its next failure then is the first of a row."""


class RedisDueQueue:
    """`service.games.ports.DueQueue` on Redis: the sorted set `key`."""

    def __init__(self, client: PipelinedClient, key: str) -> None:
        self._client = client
        self._key = key
        self._schedule_script = Script(client, "schedule.lua", wait_for_replicas=True)
        self._reschedule_script = Script(client, "reschedule.lua")
        self._lease_script = Script(client, "lease.lua")

    async def schedule(self, entry: str, at: int) -> bool:
        """Set the due date of a commit before it is stored.

        Return False if an earlier date stands; then reschedule the entry after the commit.
        """
        return bool(await self._schedule_script.run([self._key], entry, at))

    async def list_due(self, now: int, limit: int) -> list[str]:
        """Return entries that are due, the oldest date first."""
        entries = await self._client.execute("ZRANGE", self._key, "-inf", now, "BYSCORE", "LIMIT", 0, limit)
        return [entry.decode() for entry in entries]

    async def reschedule(self, entry: str, now: int, until: int | None) -> None:
        """Move the due date after looking at the entry; None removes it.

        A date more than GRACE_S away counts only when a second look confirms it: a commit may be about to be stored.
        """
        await self._reschedule_script.run([self._key], entry, now, "" if until is None else until, f"{now + GRACE_S}.5")

    async def defer(self, entry: str, now: int, until: int) -> bool:
        """Move an entry that is due to `until`, and return False if it is not due."""
        return bool(await self._reschedule_script.run([self._key], entry, now, until, ""))

    async def postpone(self, entry: str, now: int, backoff: Backoff) -> int | None:
        """Defer an entry that failed, for longer after each failure in a row.

        Return the number of failures in a row; None if the entry is not due any more.
        """
        key = keys.failures(self._key, entry)
        failures = int(await self._client.execute("GET", key) or 0) + 1
        pause_s = math.ceil(backoff.delay_s(failures))
        if not await self.defer(entry, now, now + pause_s):
            return None
        await self._client.execute("SET", key, failures, "EX", 2 * pause_s + FAILURE_COUNT_TTL_S)
        return failures

    async def acquire_lease(self, entry: str, seconds: int) -> str | None:
        """Lease an entry for `seconds`; return the lease's holder, or None if there is another one."""
        holder = uuid4().hex
        return holder if await self._lease_script.run([keys.lease(self._key, entry)], holder, seconds) else None

    async def release_lease(self, entry: str, holder: str) -> None:
        """Release a lease, unless another one has it by now."""
        await self._lease_script.run([keys.lease(self._key, entry)], holder, "")
