"""Trying a lost race again: a bounded number of times, at growing pauses with jitter, and then no more."""

import asyncio
from time import monotonic
from typing import Self

from service.supervision import Backoff

__all__ = ["GAVE_UP", "MAX_ATTEMPTS", "Attempts"]

GAVE_UP = "others kept being first: nothing was done, ask again"
"""What a Conflict says after the last attempt."""

MAX_ATTEMPTS = 20
"""Each loss is somebody else's success: so many who change one game at the same moment all get through."""

MAX_RETRY_S = 5.0
"""No attempt begins later: each may play bots for half a second."""

BACKOFF = Backoff(0.004, 0.25, jitter=1.0)
"""Anywhere between nothing and a bound that doubles, so that those who lost together do not come back together."""


class Attempts:
    """The attempts of one request, as `async for`: it pauses before each one but the first.

    Where it ends, raise Conflict: nothing was changed, while `store_unavailable` says that something may have been.
    """

    __slots__ = ("_number", "_until")

    def __init__(self) -> None:
        self._number = 0
        self._until = monotonic() + MAX_RETRY_S

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> int:
        number, self._number = self._number, self._number + 1
        if number >= MAX_ATTEMPTS:
            raise StopAsyncIteration
        if number:
            await asyncio.sleep(BACKOFF.pause_s(number))
            if monotonic() >= self._until:
                raise StopAsyncIteration
        return number
