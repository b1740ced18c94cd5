"""The one loop under all commands: attempt a change of the stored game, and start over after a version conflict.

A command that may use the cache is attempted on the cached session first, so that the commit is its only round trip to
the store. A cached game may accept a command, never reject one: after an error or a conflict the stored game decides.
Retries are bounded, with growing pauses and jitter.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from time import monotonic
from typing import ClassVar, Generic, Protocol, TypeVar

from schemas.lobby import CreateGame
from service.engine import Game
from service.games import repository
from service.games.access import AccessRecord, Principal, authorize_owner
from service.games.cache import GameSession
from service.games.context import Context
from service.games.errors import Conflict, GameError
from service.games.idempotency import FirstResponse, IdempotencyScope, read_record
from service.supervision import Backoff

__all__ = ["MAX_ATTEMPTS", "ClientCharge", "Command", "OwnerCommand", "execute", "retry"]

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


@dataclass
class Command(Generic[R]):
    """A request to change one game; `execute` runs it."""

    uses_cache: ClassVar[bool] = False
    """Whether the first attempt may run on a cached session."""

    context: Context
    game_id: str
    scope: IdempotencyScope | None = field(default=None, kw_only=True)
    """The idempotency key's scope, None without a key."""

    def authorize(self, access: AccessRecord) -> Principal:
        """Return who sends the command. Raises what `service.games.access` does."""
        raise NotImplementedError

    async def attempt(self, session: GameSession, principal: Principal) -> R | None:
        """Change the session's game and commit it; return None after a version conflict. Raises GameError."""
        raise NotImplementedError

    async def replay(self, session: GameSession, first: FirstResponse) -> R:
        """Return the response to the first request with the same key again."""
        raise NotImplementedError

    async def attempt_stored(self) -> R | None:
        """Attempt the change on the stored game, or replay the first response. Raises NoSuchGame."""
        context, scope = self.context, self.scope
        record, access = await repository.load_game(context, self.game_id, None if scope is None else scope.key_hash)
        principal = self.authorize(access)
        session = repository.open_session(context, record, access)
        if (first := read_record(scope, record.idempotency_record, context.clock())) is not None:
            return await self.replay(session, first)
        return await self.attempt(session, principal)


@dataclass
class OwnerCommand(Command[R]):
    """A command of the game's owner."""

    token: str | None

    def authorize(self, access: AccessRecord) -> Principal:
        """Return the owner."""
        return authorize_owner(access, self.game_id, self.token)


async def execute(command: Command[R]) -> R:
    """Run a command until it is committed, replayed or rejected. Raises what `retry` and the command's methods do."""
    if command.uses_cache and (session := command.context.cache.pop(command.game_id)) is not None:
        try:
            if (result := await command.attempt(session, command.authorize(session.access))) is not None:
                return result
        except GameError:
            pass  # the cached game may be stale: only the stored one rejects
    return await retry(command.attempt_stored)


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
