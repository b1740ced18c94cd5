"""Announcements that games have changed, over a connection of their own.

Redis announces a commit only where somebody else listens: whoever commits knows what it did, and hearing it once more
takes some 20 us of every action.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from service.games.port import Hint
from service.store import keys

__all__ = ["Hints"]

_PAUSE_S = 0.25
"""Between attempts at a connection."""


class Hints:
    """Listens to announcements for this process."""

    def __init__(self, redis: Redis, *, ping_s: float = 1.0, silence_s: float = 3.0) -> None:
        self._redis = redis
        self._ping_s = ping_s
        self._silence_s = silence_s
        self.listening = 0
        """How many of those who listen are of this process."""

    async def listen(self) -> AsyncGenerator[Hint]:
        """Which games others have changed, for ever; what is announced while a connection is made anew is lost.

        A connection is asked for a sign of life after `ping_s` of silence, and dropped after `silence_s`.
        """
        while True:
            try:
                async with self._redis.pubsub() as subscription, aclosing(self._heard(subscription)) as heard:
                    async for hint in heard:
                        yield hint
            except (RedisError, OSError, AttributeError):  # redis-py leaks AttributeError when a connection goes
                await asyncio.sleep(_PAUSE_S)

    async def _heard(self, subscription: PubSub) -> AsyncGenerator[Hint]:
        """What one connection announces, until it falls silent."""
        loop = asyncio.get_running_loop()
        await subscription.subscribe(keys.HINTS)
        alive_at, confirmed = loop.time(), 0
        try:
            while loop.time() - alive_at < self._silence_s:
                message = await subscription.get_message(timeout=self._ping_s)
                if message is None:
                    await subscription.ping()
                    continue
                alive_at = loop.time()
                if message["type"] == "subscribe" and not confirmed:
                    self.listening += (confirmed := 1)
                elif message["type"] == "message":
                    game, _, version = message["data"].decode(errors="replace").partition(" ")
                    if version.isdecimal():
                        yield Hint(game, int(version))
        finally:
            self.listening -= confirmed
