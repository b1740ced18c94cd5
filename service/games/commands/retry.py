"""Trying a lost race again: a bounded number of times, at growing pauses with jitter, and then no more."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

from service.games import repository
from service.games.access import AccessRecord
from service.games.cache import GameSession
from service.games.context import Context
from service.games.errors import Conflict
from service.games.idempotency import FirstResponse, IdempotencyScope, read_record
from service.supervision import Backoff

__all__ = ["MAX_ATTEMPTS", "retry_on_conflict", "until_committed"]

T = TypeVar("T")
R = TypeVar("R")

MAX_ATTEMPTS = 20
"""Each loss is somebody else's success: so many who change one game at the same moment all get through."""

MAX_RETRY_S = 5.0
"""No attempt begins later: each may play bots for half a second."""

BACKOFF = Backoff(0.004, 0.25, jitter=1.0)
"""Anywhere between nothing and a bound that doubles, so that those who lost together do not come back together."""


async def retry_on_conflict(attempt: Callable[[int], Awaitable[T | None]]) -> T:
    """Give what the first attempt gives that is not None; each gets its number, and a pause before it but the first.

    After the last it raises Conflict: nothing was changed, while `store_unavailable` says that something may have been.
    """
    until = monotonic() + MAX_RETRY_S
    for number in range(MAX_ATTEMPTS):
        if number:
            await asyncio.sleep(BACKOFF.delay_s(number))
            if monotonic() >= until:
                break
        if (done := await attempt(number)) is not None:
            return done
    raise Conflict("others kept being first: nothing was done, ask again")


async def until_committed(
    context: Context,
    game_id: str,
    check: Callable[[AccessRecord], R],
    attempt: Callable[[GameSession, R], Awaitable[T | None]],
    idempotency: IdempotencyScope | None = None,
    replay: Callable[[GameSession, FirstResponse], Awaitable[T]] | None = None,
) -> T:
    """Load a game, let `check` say who asks, and change and commit it; begin again where `attempt` gives None.

    Where the key was answered before, `replay` tells it again. Raises Conflict after the last attempt, and what
    `desk.load`, `desk.open_table` and the three do.
    """

    async def load_and_attempt(_number: int) -> T | None:
        loaded, access = await repository.load_game(context, game_id, idempotency and idempotency.stored_key)
        checked = check(access)
        table = repository.open_session(context, loaded, access)
        if replay is not None and (before := read_record(idempotency, loaded.record, context.clock())) is not None:
            return await replay(table, before)
        return await attempt(table, checked)

    return await retry_on_conflict(load_and_attempt)
