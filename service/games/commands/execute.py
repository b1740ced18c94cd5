"""The one way of all commands: `run` tries a change of the stored game, and starts over after a version conflict.

A command in play is tried on the cached game first, so that the commit is its only round trip to the store. A cached
game may accept a command, never reject one: after an error or a conflict the stored game decides. Attempts are bounded,
with growing pauses and jitter.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cached_property
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from schemas.commands import IncludeQuery
from schemas.game import GameView
from schemas.lobby import CreateGame
from service.engine import Game, Message, TileSetIndex, build_view
from service.games import idempotency, repository
from service.games.access import NOBODY, AccessRecord, Principal, authorize_action, index_key, subject_of_key
from service.games.api_key import ApiKey
from service.games.automatic_turns import play_bots
from service.games.errors import Conflict, GameError, GameNotActive, VersionMismatch
from service.games.lifecycle import bot_on_turn
from service.games.ports import Revision, StoredDiff, StoredGame
from service.games.queries import load_digest
from service.games.repository import Context
from service.games.webhook_owner import attach_to_key
from service.i18n import ENGLISH, Language
from service.supervision import Backoff

MAX_ATTEMPTS = 20
"""Each conflict is another client's success, so this many clients can change one game at once and all succeed.

No clock ends them earlier: it would also count how long the machine was paused.
"""

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


class GameRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A whole request to change a game. A route's is a subclass, which says how HTTP carries it."""

    id: str
    """The game's."""
    token: str | None = None
    if_match: Sequence[Revision] | None = None
    """The game must be at one of these revisions, of which an empty digest stands for any; None accepts any."""
    idempotency_key: str | None = None
    charge: ClientCharge | None = None

    @property
    def body(self) -> Any:
        """Return what the client sent, if the request has a body."""
        return None

    @property
    def identities(self) -> Sequence[str] | None:
        """Return what says who sends the request, beside its token; None where the response has no tokens."""
        return None


class TokenRequest(GameRequest, frozen=True, kw_only=True):
    """A request whose response has tokens."""

    creator_key: str | None = None
    """By which the creator lists the game later."""
    api_key: ApiKey | None = None

    @property
    def identities(self) -> Sequence[str]:
        """Return the API key's name and the `Creator-Key`: those that the request has."""
        key_name = [] if self.api_key is None else [subject_of_key(self.api_key.name)]
        return key_name if self.creator_key is None else [*key_name, self.creator_key]


B = TypeVar("B")


class CommandRequest(GameRequest, Generic[B], frozen=True, kw_only=True):
    """A request to change an active game."""

    body: B
    query: IncludeQuery = IncludeQuery()
    prefers_game: bool = False
    """Whether the response shall contain GAME."""
    language: Language = ENGLISH
    """Of the legal moves' texts."""


Q = TypeVar("Q", bound=GameRequest)
R = TypeVar("R")


class Attempt(msgspec.Struct, Generic[Q], dict=True):
    """What a command works on: a request and the stored game, and what becomes of them."""

    context: Context
    request: Q
    stored: StoredGame
    """The command changes its game and access record, or replaces them."""
    principal: Principal = NOBODY
    """Who sends the request."""
    diffs: Sequence[StoredDiff] = ()
    """Of the change: none if the request is a retry, or changes nothing."""
    version: int = 0
    """Of the game after the change; of a rematch, where one is created."""
    detail: int | None = None
    """What the idempotency record says beside the version: a command's own, or the number of diffs."""
    revoked: bytes | None = None
    """The hash of a token that is valid no more."""

    @property
    def index(self) -> TileSetIndex:
        """Return the index of the game's tile set. Raises TileSetMissing."""
        return self.context.tilesets.get(self.stored.game.tileset).index

    @cached_property
    def secret(self) -> bytes:
        """Return what new tokens are derived from, the same for a retry. Raises Malformed."""
        return idempotency.token_secret(self.request.idempotency_key)

    async def load_digest(self) -> str:
        """Return the digest of the version, as clients get it."""
        digest = self.diffs[-1].digest.hex() if self.diffs else None
        return digest or await load_digest(self.context, self.stored.id, self.version)


class Command(NamedTuple, Generic[Q, R]):
    """A kind of change of a game: what sets it apart from the others."""

    path: str
    """The pattern of its path, which scopes its idempotency keys."""
    apply: Callable[[Attempt[Q]], Awaitable[list[StoredDiff] | None]]
    """Changes the stored game and returns the diffs, or None if there is nothing to change. Raises GameError."""
    respond: Callable[[Attempt[Q]], Awaitable[R]]
    """Returns the response, the first one or again."""
    authorize: Callable[[AccessRecord, str, str | None], Principal] | None = authorize_action
    """None for a command whose `apply` does that."""
    check: Callable[[Attempt[Q]], None] | None = None
    """Raises what rejects the command whatever version `If-Match` names."""
    in_play: bool = False
    """Whether it needs an active game, in which bots answer it; the cached game may accept it."""
    changes_access: bool = False
    find: Callable[[Context, Q, idempotency.IdempotencyScope | None], Awaitable[StoredGame]] | None = None
    """Of a command that creates a game: returns a new one, or the one that an earlier request has created."""

    async def run(self, context: Context, request: Q) -> idempotency.ReplayableResult[R]:
        """Run the command until it is committed, replayed or rejected.

        Raises NoSuchGame, Conflict after the last attempt, and what the command does.
        """
        scope, conflicts = None, 0
        if request.idempotency_key is not None:
            path = self.path.format(request)
            scope = idempotency.idempotency_scope(
                request.idempotency_key, path, request.token, request.body, request.identities
            )
        if self.in_play and (stored := context.cache.pop(request.id)) is not None:
            try:
                if (result := await _attempt(self, Attempt(context, request, stored), scope)) is not None:
                    return result
            except GameError:
                pass  # the cached game may be stale: only the stored one rejects
        while True:
            if self.find is not None:
                stored = await self.find(context, request, scope)
            else:
                stored = await repository.load_game(context, request.id, None if scope is None else scope.key_hash)
            if (result := await _attempt(self, Attempt(context, request, stored), scope)) is not None:
                if self.find is not None:
                    await attach_to_key(context, stored)
                return result
            conflicts += 1
            await pause(conflicts)


async def _attempt(
    command: Command[Q, R], attempt: Attempt[Q], scope: idempotency.IdempotencyScope | None
) -> idempotency.ReplayableResult[R] | None:
    """Run a command on a game and commit it; return None after a version conflict.

    It is checked in this order: token, idempotency key, status, `If-Match`, seat and rule.
    """
    context, request, stored = attempt.context, attempt.request, attempt.stored
    if command.authorize is not None:
        attempt.principal = command.authorize(stored.access, request.id, request.token)
    first = None if scope is None else idempotency.read_record(scope, stored.idempotency_record, context.clock())
    if first is not None:
        attempt.version, attempt.detail = first
        return idempotency.ReplayableResult(await command.respond(attempt), first.version, replayed=True)
    if command.in_play and stored.game.status != "active":
        raise GameNotActive(stored.game.status)
    if command.check is not None:
        command.check(attempt)
    version, digest = stored.revision
    if request.if_match is not None and {(version, digest), (version, b"")}.isdisjoint(request.if_match):
        raise VersionMismatch(version, digest)
    diffs = await command.apply(attempt)
    game = stored.game
    if diffs is not None and command.in_play and bot_on_turn(game) is not None:
        if request.charge is not None:
            await request.charge.charge_bots(game)
        diffs += await play_bots(context, attempt.index, game)
    attempt.version, attempt.diffs = attempt.version or game.version, diffs or ()
    response = await command.respond(attempt)
    detail, access = len(attempt.diffs) if attempt.detail is None else attempt.detail, command.changes_access
    record = None if scope is None else idempotency.new_record(scope, context.clock(), attempt.version, detail)
    revoked = attempt.revoked
    if diffs is not None and not await repository.commit(
        context, stored, diffs, stores_access=access, revokes_token=revoked is not None, idempotency=record
    ):
        return None
    if revoked is not None:
        await context.store.unindex([index_key(revoked, None)], game.id)
    return idempotency.ReplayableResult(response, attempt.version)


async def respond_with_game(attempt: Attempt[Any]) -> tuple[GameView, str]:
    """Return GAME and its digest."""
    game = attempt.stored.game
    return build_view(attempt.index, game), game.digest.hex()


async def pause(conflicts: int) -> None:
    """Pause before the next attempt, after this many version conflicts.

    Raises Conflict after the last attempt: nothing was changed, while `store_unavailable` says that something may be.
    """
    if conflicts >= MAX_ATTEMPTS:
        raise Conflict(Message("other requests changed the game first: nothing was done, try again"))
    await asyncio.sleep(BACKOFF.delay_s(conflicts))
