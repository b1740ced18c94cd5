"""Trying a lost race again: a bounded number of times, at growing pauses with jitter, and then no more."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Self, TypeVar

from service.games import desk
from service.games.access import Access
from service.games.context import Context
from service.games.errors import Conflict
from service.games.held import Table
from service.games.idempotency import Idempotency, KeyRecord, find
from service.supervision import Backoff

__all__ = ["GAVE_UP", "MAX_ATTEMPTS", "Attempts", "until_committed"]

T = TypeVar("T")
R = TypeVar("R")

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


async def until_committed(
    context: Context,
    game_id: str,
    check: Callable[[Access], R],
    attempt: Callable[[Table, R], Awaitable[T | None]],
    idempotency: Idempotency | None = None,
    replay: Callable[[Table, KeyRecord], Awaitable[T]] | None = None,
) -> T:
    """Load a game, let `check` say who asks, and change and commit it; begin again where `attempt` gives None.

    Where the key was answered before, `replay` tells it again. Raises Conflict after the last attempt, and what
    `desk.load`, `desk.open_table` and the three do.
    """
    async for _ in Attempts():
        loaded, access = await desk.load(context, game_id, idempotency and idempotency.stored_key)
        checked = check(access)
        table = desk.open_table(context, loaded, access)
        if replay is not None and (before := find(idempotency, loaded.record, context.clock())) is not None:
            return await replay(table, before)
        if (done := await attempt(table, checked)) is not None:
            return done
    raise Conflict(GAVE_UP)
