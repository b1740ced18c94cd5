"""The one loop under all commands: load a game, authorize, attempt a change, and start over after a version conflict.

A command that may use the cache is attempted on the cached session first, so that the commit is its only round trip to
the store. A cached game may accept a command, never reject one: after an error or a conflict the loop loads the stored
game. Retries are bounded, with growing pauses and jitter. Source: api.md, "Acting".
"""

import asyncio
from contextlib import AbstractAsyncContextManager
from time import monotonic
from typing import ClassVar, Generic, Protocol, TypeVar

from schemas.lobby import CreateGame
from service.engine import Game
from service.games import repository
from service.games.access import AccessRecord, Principal
from service.games.cache import GameSession
from service.games.context import Context
from service.games.errors import Conflict, GameError
from service.games.idempotency import FirstResponse, IdempotencyScope, read_record
from service.supervision import Backoff

__all__ = ["MAX_ATTEMPTS", "ClientCharge", "Command", "Retries", "execute"]

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

    async def charge_new_game(self, new_game: CreateGame) -> None:
        """Charge for the bots of a game that is about to be created."""

    def replay_slot(self, versions: int) -> AbstractAsyncContextManager[None]:
        """Wait for a slot in which to replay a game of so many versions, and charge the replay."""


class Command(Generic[R]):
    """A request to change one game; `execute` runs it."""

    uses_cache: ClassVar[bool] = False
    """Whether the first attempt may run on a cached session."""

    def __init__(self, context: Context, game_id: str, scope: IdempotencyScope | None = None) -> None:
        self.context = context
        self.game_id = game_id
        self.scope = scope
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


class Retries:
    """The pauses between the attempts of one request."""

    def __init__(self) -> None:
        self._attempts = 1
        self._deadline = monotonic() + MAX_RETRY_S

    async def wait(self) -> None:
        """Pause before the next attempt.

        Raises Conflict after the last one: nothing was changed, while `store_unavailable` says that something may be.
        """
        if self._attempts < MAX_ATTEMPTS:
            await asyncio.sleep(BACKOFF.delay_s(self._attempts))
            self._attempts += 1
            if monotonic() < self._deadline:
                return
        raise Conflict("other requests changed the game first: nothing was done, try again")


async def execute(command: Command[R]) -> R:
    """Run a command until it is committed, replayed or rejected.

    Raises Conflict after the last attempt, NoSuchGame, and what the command's methods raise.
    """
    context, scope = command.context, command.scope
    session = context.cache.pop(command.game_id) if command.uses_cache else None
    retries = None if session is not None else Retries()  # None while the session is a cached one
    while True:
        try:
            if session is not None:
                principal = command.authorize(session.access)
            else:
                record, access = await repository.load_game(
                    context, command.game_id, None if scope is None else scope.key_hash
                )
                principal = command.authorize(access)
                session = repository.open_session(context, record, access)
                if (
                    scope is not None
                    and (first := read_record(scope, record.idempotency_record, context.clock())) is not None
                ):
                    return await command.replay(session, first)
            if (result := await command.attempt(session, principal)) is not None:
                return result
        except GameError:
            if retries is not None:
                raise
        session = None
        if retries is None:
            retries = Retries()
        else:
            await retries.wait()
