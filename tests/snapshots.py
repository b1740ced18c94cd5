"""Changes of stored snapshots, past the service."""

from collections.abc import Callable

from redis.asyncio import Redis

from service.engine import Game, decode_snapshot, encode_snapshot
from service.store import keys
from service.store.log_entries import SNAPSHOTS


async def change_snapshot(redis: Redis, game_id: str, change: Callable[[bytes], bytes]) -> None:
    """Change the bytes of a game's snapshot, which are stored compressed."""
    stored = await redis.hget(keys.game(game_id), "snapshot")
    assert isinstance(stored, bytes)
    snapshot = SNAPSHOTS.decompress(stored)
    changed = change(snapshot)
    assert changed != snapshot
    await redis.hset(keys.game(game_id), "snapshot", SNAPSHOTS.compress(changed))


async def change_game(redis: Redis, game_id: str, change: Callable[[Game], None]) -> None:
    """Change what a game's snapshot holds."""

    def changed(snapshot: bytes) -> bytes:
        game = decode_snapshot(snapshot)
        change(game)
        return encode_snapshot(game)

    await change_snapshot(redis, game_id, changed)
