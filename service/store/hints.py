"""Announcements that games have changed, over a connection of their own."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from service.games.port import Hint
from service.store import keys

__all__ = ["hints"]

_PAUSE_S = 0.25
"""Between attempts at a connection."""


async def hints(redis: Redis, *, ping_s: float = 1.0, silence_s: float = 3.0) -> AsyncGenerator[Hint]:
    """Which games have changed, for ever; what is announced while the connection is being made anew is lost.

    A connection is asked for a sign of life after `ping_s` of silence, and dropped after `silence_s`.
    """
    while True:
        try:
            async with redis.pubsub() as subscription, aclosing(_heard(subscription, ping_s, silence_s)) as heard:
                async for hint in heard:
                    yield hint
        except (RedisError, OSError, AttributeError):  # redis-py leaks AttributeError when a connection goes
            await asyncio.sleep(_PAUSE_S)


async def _heard(subscription: PubSub, ping_s: float, silence_s: float) -> AsyncGenerator[Hint]:
    """What one connection announces, until it falls silent."""
    loop = asyncio.get_running_loop()
    await subscription.subscribe(keys.HINTS)
    alive_at = loop.time()
    while loop.time() - alive_at < silence_s:
        message = await subscription.get_message(timeout=ping_s)
        if message is None:
            await subscription.ping()
            continue
        alive_at = loop.time()
        if message["type"] == "message":
            game, _, version = message["data"].decode(errors="replace").partition(" ")
            if version.isdecimal():
                yield Hint(game, int(version))
