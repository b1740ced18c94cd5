"""The long connections of one instance, sockets and event streams, and sending them away at its end."""

import asyncio
import logging
from collections.abc import Iterator
from random import SystemRandom
from typing import Literal, Protocol

from aiohttp import web

from service.web.limits import Limits

LOG = logging.getLogger(__name__)

__all__ = ["CLOSE_TIMEOUT_S", "STREAMS", "Stream", "StreamRegistry"]

CLOSE_TIMEOUT_S = 5.0
"""How long a client has to answer when it is told that its socket is closed."""


class Stream(Protocol):
    """One of them."""

    @property
    def kind(self) -> Literal["socket", "stream"]:
        """Which."""

    def request_reconnect(self, retry_after_ms: int) -> None:
        """Tell the client to come back (to another instance) after this time, and close."""


class StreamRegistry:
    """All of them."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: dict[Stream, None] = {}
        self._all_closed = asyncio.Event()
        self.is_closing = False
        """Whether all are being sent away, those too that are only now coming."""

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    def __iter__(self) -> Iterator[Stream]:
        """Those that are open."""
        return iter(self._open)

    def count(self, kind: Literal["socket", "stream"]) -> int:
        """How many of a kind are open."""
        return sum(one.kind == kind for one in [*self._open])

    def add(self, connection: Stream) -> None:
        """Keep a new one."""
        self._open[connection] = None
        if self.is_closing:
            connection.request_reconnect(self._retry_after_ms(_CHANCE.random()))

    def remove(self, connection: Stream) -> None:
        """Forget one that is closed."""
        self._open.pop(connection, None)
        if self.is_closing and not self._open:
            self._all_closed.set()

    async def close_all(self) -> None:
        """Send all of them away, spread over `close_window_s`, and wait until they have gone, but not for ever."""
        if self.is_closing:
            return
        self.is_closing = True
        if not self._open:
            return
        loop = asyncio.get_running_loop()
        begun, leaving = loop.time(), [*self._open]
        for number, connection in enumerate(leaving):
            share = number / len(leaving)
            pause = begun + share * self._limits.close_window_s - loop.time()
            if pause > 0:
                await asyncio.sleep(pause)
            if connection in self._open:
                try:
                    connection.request_reconnect(self._retry_after_ms(share))
                except Exception:
                    LOG.exception("a %s could not be sent away, the others are", connection.kind)
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S + 1):
                await self._all_closed.wait()
        except TimeoutError:
            return

    def _retry_after_ms(self, share: float) -> int:
        """The last to be told come back last, so that they come back over twice the time in which they were told.

        Those that come when all are leaving, and are told at once, come back at any time of that.
        """
        return 100 + int(1000 * share * self._limits.close_window_s)


_CHANCE = SystemRandom()

STREAMS = web.AppKey("connections", StreamRegistry)
