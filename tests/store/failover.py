"""A failover at a given moment: a game is as a promoted replica has it, just after the former primary has replied."""

import asyncio
from typing import Any

from redis.asyncio import Redis

from service.store import keys
from service.store.game_store import RedisStore

__all__ = ["Failover", "dump_game", "restore_game"]


async def dump_game(redis: Redis, game: str) -> dict[str, bytes]:
    """Return what a server has of a game, by key."""
    return {key: await redis.dump(key) or b"" for key in (keys.game(game), keys.log(game))}


async def restore_game(redis: Redis, dumped: dict[str, bytes]) -> None:
    """Replace a game by what a server had of it."""
    for key, value in dumped.items():
        await redis.restore(key, 0, value, replace=True)


class Failover:
    """Replaces a game by what the promoted replica has of it, after the first reply that concerns it."""

    def __init__(self, store: RedisStore, redis: Redis, promoted: dict[str, bytes]) -> None:
        self.has_happened = False
        self._redis = redis
        self._promoted = promoted
        self._execute = store._client.execute
        store._client.execute = self._execute_before  # type: ignore[method-assign]  # there is one client, in use

    def _execute_before(self, *arguments: Any, **options: Any) -> asyncio.Future[Any]:
        reply = self._execute(*arguments, **options)
        return reply if self.has_happened else asyncio.ensure_future(self._fail_over(arguments, reply))

    async def _fail_over(self, arguments: tuple[Any, ...], reply: asyncio.Future[Any]) -> Any:
        received = await reply
        if not self.has_happened and not self._promoted.keys().isdisjoint(arguments):
            self.has_happened = True
            await restore_game(self._redis, self._promoted)
        return received
