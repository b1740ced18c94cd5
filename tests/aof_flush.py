"""Waiting until a Redis server has written what it acknowledged: killed before that it loses the end (everysec)."""

import asyncio

from redis.asyncio import Redis

__all__ = ["wait_for_aof_flush"]


async def wait_for_aof_flush(url: str) -> None:
    """Wait until the server's append-only file has everything; with a busy disk that takes up to two seconds."""
    async with Redis.from_url(url) as redis, asyncio.timeout(20):
        while (await redis.info("persistence"))["aof_buffer_length"]:  # noqa: ASYNC110  it can only be asked
            await asyncio.sleep(0.02)
