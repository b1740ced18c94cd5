"""The one loop under all commands: attempt a change of the stored game, and start over after a version conflict.

A command that may use the cache is attempted on the cached session first, so that the commit is its only round trip to
the store. A cached game may accept a command, never reject one: after an error or a conflict the stored game decides.
Retries are bounded, with growing pauses and jitter.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from time import monotonic
from typing import Protocol, TypeVar

from schemas.lobby import CreateGame
from service.engine import Game
from service.games import repository
from service.games.access import AccessRecord, Principal
from service.games.cache import GameSession
from service.games.context import Context
from service.games.errors import Conflict, GameError
from service.games.idempotency import FirstResponse, IdempotencyScope, read_record
from service.supervision import Backoff

__all__ = ["MAX_ATTEMPTS", "ClientCharge", "execute", "retry"]

R = TypeVar("R")

MAX_ATTEMPTS = 20
"""Each conflict is another client's success, so this many clients can change one game at once and all succeed."""

MAX_RETRY_S = 5.0
"""No attempt starts later than this: each may play bots for half a second."""

BACKOFF = Backoff(0.004, 0.25, jitter=1.0)
"""Pauses with full jitter, so that clients whose commits conflicted do not come back together."""


class ClientCharge(Protocol):
    """What a command costs its client beyond the request. Each method raises what rejects the command."""

    async def charge_bots(self, game: Game) -> None:
        """Charge for the bots that are on turn now."""

    async def charge_join(self) -> None:
        """Charge a seat that is taken in a public game."""

    async def charge_new_game(self, new_game: CreateGame) -> None:
        """Charge for the bots of a game that is about to be created."""

    def replay_slot(self) -> AbstractAsyncContextManager[None]:
        """Wait for a slot in which to replay a game, and charge the replay."""


async def execute(  # noqa: PLR0913  each says something else of the command
    context: Context,
    game_id: str,
    token: str | None,
    authorize: Callable[[AccessRecord, str, str | None], Principal],
    attempt: Callable[[GameSession, Principal], Awaitable[R | None]],
    *,
    scope: IdempotencyScope | None = None,
    replay: Callable[[GameSession, FirstResponse], Awaitable[R]] | None = None,
    uses_cache: bool = False,
) -> R:
    """Run a command until it is committed, replayed or rejected, and return what `attempt` or `replay` returns.

    `attempt` changes a session's game and commits it; it returns None after a version conflict. With the `scope` of an
    idempotency key, `replay` returns the response to the first request with the key again. With `uses_cache` the first
    attempt may run on a cached session. Raises NoSuchGame, Conflict, and what the callables do.
    """
    if uses_cache and (session := context.cache.pop(game_id)) is not None:
        try:
            if (result := await attempt(session, authorize(session.access, game_id, token))) is not None:
                return result
        except GameError:
            pass  # the cached game may be stale: only the stored one rejects

    async def attempt_stored() -> R | None:
        record, access = await repository.load_game(context, game_id, None if scope is None else scope.key_hash)
        principal = authorize(access, game_id, token)
        session = repository.open_session(context, record, access)
        if replay is not None and (first := read_record(scope, record.idempotency_record, context.clock())) is not None:
            return await replay(session, first)
        return await attempt(session, principal)

    return await retry(attempt_stored)


async def retry(attempt: Callable[[], Awaitable[R | None]]) -> R:
    """Return the first result of `attempt` that is not None; pause after each None, which means a version conflict.

    Raises Conflict after the last attempt: nothing was changed, while `store_unavailable` says that something may be.
    """
    deadline = monotonic() + MAX_RETRY_S
    for conflicts in range(MAX_ATTEMPTS):
        if conflicts:
            await asyncio.sleep(BACKOFF.delay_s(conflicts))
            if monotonic() >= deadline:
                break
        if (result := await attempt()) is not None:
            return result
    raise Conflict("other requests changed the game first: nothing was done, try again")
