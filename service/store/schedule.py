"""Games, or webhooks, that somebody must look at by some time.

A date is set before the commit that brings it, so that a game that is due is never forgotten, whoever dies when. It may
be too early then: a commit that lost, or one that came later. Whoever looks finds that and settles it.
"""

import time
from collections.abc import Callable

from service.store import keys
from service.store.connection.pipeline import PipelinedClient
from service.store.scripts import Script

__all__ = ["GRACE_S", "Schedule"]

GRACE_S = 15
"""Seconds in which a commit whose date was set is stored or given up."""


class Schedule:
    """The due dates of all games, or of whatever else `key` has dates of."""

    def __init__(
        self, client: PipelinedClient, clock: Callable[[], float] = time.time, key: str = keys.GAME_SCHEDULE
    ) -> None:
        self._client = client
        self._clock = clock
        self._key = key
        self._schedule_script = Script(client, "schedule.lua", wait_for_replicas=True)
        self._reschedule_script = Script(client, "reschedule.lua")
        self._postpone_script = Script(client, "postpone.lua")

    async def schedule(self, game: str, at: int) -> bool:
        """Set the date before it is committed. False: an earlier one stands, to be settled after the commit."""
        return bool(await self._schedule_script.run([self._key], game, at))

    async def reschedule(self, game: str, until: int | None) -> None:
        """The game is due at `until`, or never; what is later than GRACE_S must be found twice."""
        now = int(self._clock())
        await self._reschedule_script.run([self._key], game, now, "" if until is None else until, f"{now + GRACE_S}.5")

    async def postpone(self, game: str, now: int, until: int) -> bool:
        """Let a game that is due `now` be due at `until`; False where it is not due."""
        return bool(await self._postpone_script.run([self._key], game, now, until))

    async def due(self, now: int, limit: int) -> list[str]:
        """Games whose date has come, the oldest first."""
        games = await self._client.execute("ZRANGE", self._key, "-inf", now, "BYSCORE", "LIMIT", 0, limit)
        return [game.decode() for game in games]
