"""A store that a test can hold up, or make fail."""

import asyncio

from service.games.ports import Change, CommitOutcome, StoredDiff, StoredGame, StoreUnavailable
from service.store.game_store import RedisStore


class GatedStore(RedisStore):
    """A store whose reads and commits wait for gates, or fail."""

    game_gate: asyncio.Event
    log_gate: asyncio.Event
    unavailable = False
    arrivals = 0
    """Reads and commits of games that have come to the gate."""

    async def load(self, game: str, key: str | None = None) -> StoredGame | None:
        """Load the game once the gate is open."""
        await self._pass_gate()
        return await super().load(game, key)

    async def load_since(self, game: str, since: int) -> StoredGame | None:
        """Load the game with a revision once the gate is open."""
        await self._pass_gate()
        return await super().load_since(game, since)

    async def _pass_gate(self) -> None:
        self.arrivals += 1
        await self.game_gate.wait()
        if self.unavailable:
            raise StoreUnavailable("out of reach", 2)

    async def commit(self, commit: Change) -> CommitOutcome:
        """Commit once the gate is open."""
        self.arrivals += 1
        await self.game_gate.wait()
        return await super().commit(commit)

    async def load_diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        """Read the stream once its gate is open."""
        await self.log_gate.wait()
        return await super().load_diffs(game, since, limit)
