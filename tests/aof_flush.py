"""Waiting until a Redis server has written its append-only file; killed before that, it loses the end (everysec)."""

import asyncio

from redis.asyncio import Redis


async def wait_for_aof_flush(url: str) -> None:
    """Wait until the server's append-only buffer is empty, which takes up to two seconds with a busy disk."""
    async with Redis.from_url(url) as redis, asyncio.timeout(20):
        while (await redis.info("persistence"))["aof_buffer_length"]:  # noqa: ASYNC110  Redis sends no event
            await asyncio.sleep(0.02)
