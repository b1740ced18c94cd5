"""Changes of stored snapshots, past the service."""

from collections.abc import Callable
from zlib import crc32

from redis.asyncio import Redis

from service.engine import Game, decode_snapshot, encode_snapshot
from service.engine.game import CHECKSUM_BYTES
from service.store import keys


def seal(data: bytes) -> bytes:
    """Return the snapshot with this content: it gets a valid checksum."""
    return data + crc32(data).to_bytes(CHECKSUM_BYTES)


async def change_snapshot(redis: Redis, game_id: str, change: Callable[[bytes], bytes]) -> None:
    """Change the bytes of a game's snapshot."""
    snapshot = await redis.hget(keys.game(game_id), "snapshot")
    assert isinstance(snapshot, bytes)
    changed = change(snapshot)
    assert changed != snapshot
    await redis.hset(keys.game(game_id), "snapshot", changed)


async def change_game(redis: Redis, game_id: str, change: Callable[[Game], None]) -> None:
    """Change what a game's snapshot holds."""

    def changed(snapshot: bytes) -> bytes:
        game = decode_snapshot(snapshot)
        change(game)
        return encode_snapshot(game)

    await change_snapshot(redis, game_id, changed)
