"""The one way of all commands: `run` tries a change of the stored game, and starts over after a version conflict.

A command in play is tried on the cached game first, so that the commit is its only round trip to the store. A cached
game may accept a command, never reject one: after an error or a conflict the stored game decides. Attempts are bounded,
with growing pauses and jitter.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from time import monotonic
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from schemas.commands import IncludeQuery
from schemas.game import GameView
from schemas.lobby import CreateGame
from service.engine import Game, build_view
from service.games import repository
from service.games.access import NOBODY, AccessRecord, Principal, authorize_action, index_key
from service.games.automatic_turns import play_bots
from service.games.context import Context
from service.games.errors import Conflict, GameError, GameNotActive, VersionMismatch
from service.games.idempotency import (
    FirstResponse,
    IdempotencyScope,
    ReplayableResult,
    idempotency_scope,
    new_record,
    read_record,
    token_secret,
)
from service.games.lifecycle import bot_on_turn
from service.games.ports import Revision, StoredDiff, StoredGame
from service.i18n import ENGLISH, Language
from service.supervision import Backoff

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


B = TypeVar("B")


class CommandRequest(GameRequest, Generic[B], frozen=True, kw_only=True):
    """A request to change an active game."""

    body: B
    query: IncludeQuery = IncludeQuery()
    prefers_game: bool = False
    """Whether the response shall contain GAME."""
    language: Language = ENGLISH
    """Of the legal moves' texts."""


class TokenRequest(GameRequest, frozen=True, kw_only=True):
    """A request that is answered with new tokens."""

    secret: bytes = b""
    """That they are derived from."""


T = TypeVar("T", bound=TokenRequest)


def with_secret(request: T) -> T:
    """Return a request with the secret of its tokens. Raises Malformed for a key that is easy to guess."""
    return msgspec.structs.replace(request, secret=token_secret(request.idempotency_key))


class Applied(NamedTuple):
    """What a command has made of the stored game."""

    diffs: list[StoredDiff]
    """None if only the access record has changed."""
    detail: int | None = None
    """What the idempotency record says of the response, by default the number of diffs."""
    version: int | None = None
    """Of the response, where it is another game's."""
    revoked: bytes | None = None
    """The hash of a token that is valid no more."""


Q = TypeVar("Q", bound=GameRequest)
R = TypeVar("R")


class Command(NamedTuple, Generic[Q, R]):
    """A kind of change of a game: what sets it apart from the others."""

    path: str
    """The pattern of its path, which scopes its idempotency keys."""
    apply: Callable[[Context, StoredGame, Principal, Q], Awaitable[Applied | None]]
    """Changes the stored game, or replaces it; returns None where there is nothing to change. Raises GameError."""
    respond: Callable[[Context, StoredGame, Q, FirstResponse, Sequence[StoredDiff]], Awaitable[R]]
    """Returns the response; without diffs, if the request is a retry or there was nothing to change."""
    authorize: Callable[[AccessRecord, str, str | None], Principal] | None = authorize_action
    """None for a command whose `apply` does that."""
    check: Callable[[StoredGame, Principal, Q], None] | None = None
    """Raises what rejects the command whatever version `If-Match` names."""
    in_play: bool = False
    """Whether it needs an active game, in which bots answer it; the cached game may accept it."""
    changes_access: bool = False


async def run(context: Context, command: Command[Q, R], request: Q) -> ReplayableResult[R]:
    """Run a command until it is committed, replayed or rejected.

    Raises NoSuchGame, Conflict after the last attempt, and what the command does.
    """
    scope, stored, conflicts, started_at = None, None, 0, monotonic()
    if request.idempotency_key is not None:
        scope = idempotency_scope(request.idempotency_key, command.path.format(request), request.token, request.body)
    if command.in_play and (stored := context.cache.pop(request.id)) is not None:
        try:
            if (result := await _attempt(context, command, request, scope, stored)) is not None:
                return result
        except GameError:
            pass  # the cached game may be stale: only the stored one rejects
    while True:
        stored = await repository.load_game(context, request.id, None if scope is None else scope.key_hash)
        if (result := await _attempt(context, command, request, scope, stored)) is not None:
            return result
        conflicts += 1
        await pause(conflicts, started_at)


async def _attempt(
    context: Context, command: Command[Q, R], request: Q, scope: IdempotencyScope | None, stored: StoredGame
) -> ReplayableResult[R] | None:
    """Run a command on a game and commit it; return None after a version conflict.

    It is checked in this order: token, idempotency key, status, `If-Match`, seat and rule.
    """
    principal = NOBODY if command.authorize is None else command.authorize(stored.access, request.id, request.token)
    first = read_record(scope, stored.idempotency_record, context.clock())
    if first is not None:
        return ReplayableResult(
            await command.respond(context, stored, request, first, ()), first.version, replayed=True
        )
    if command.in_play and stored.game.status != "active":
        raise GameNotActive(stored.game.status)
    if command.check is not None:
        command.check(stored, principal, request)
    if request.if_match is not None:
        check_if_match(stored.revision, request.if_match)
    applied = await command.apply(context, stored, principal, request)
    game = stored.game
    if applied is None:
        first = FirstResponse(game.version, 0)
        return ReplayableResult(await command.respond(context, stored, request, first, ()), game.version)
    diffs, detail, version, revoked = applied
    if command.in_play and bot_on_turn(game) is not None:
        if request.charge is not None:
            await request.charge.charge_bots(game)
        diffs += await play_bots(context, context.tilesets.get(game.tileset).index, game)
    first = FirstResponse(version or game.version, len(diffs) if detail is None else detail)
    response = await command.respond(context, stored, request, first, diffs)
    if not await repository.commit(
        context,
        stored,
        diffs,
        stores_access=command.changes_access,
        revokes_token=revoked is not None,
        idempotency=new_record(scope, context.clock(), first.version, first.detail),
    ):
        return None
    if revoked is not None:
        await context.store.unindex([index_key(revoked, None)], game.id)
    return ReplayableResult(response, first.version)


def check_if_match(revision: Revision, if_match: Sequence[Revision] | None) -> None:
    """Raise VersionMismatch unless the stored game is at one of the expected revisions."""
    if if_match is None:
        return
    for expected in if_match:
        if expected.version == revision.version and expected.digest in ("", revision.digest):
            return
    raise VersionMismatch(*revision)


async def pause(conflicts: int, started_at: float) -> None:
    """Pause before the next attempt, after this many version conflicts.

    Raises Conflict after the last attempt: nothing was changed, while `store_unavailable` says that something may be.
    """
    if conflicts < MAX_ATTEMPTS:
        await asyncio.sleep(BACKOFF.delay_s(conflicts))
        if monotonic() < started_at + MAX_RETRY_S:
            return
    raise Conflict("other requests changed the game first: nothing was done, try again")


async def respond_with_game(
    context: Context, stored: StoredGame, _request: GameRequest, _first: FirstResponse, _diffs: Sequence[StoredDiff]
) -> tuple[GameView, str]:
    """Return GAME and its digest."""
    index, game = repository.open_game(context.tilesets, stored)
    return build_view(index, game), game.digest


async def execute(  # noqa: PLR0913  each says something else of the command
    context: Context,
    game_id: str,
    token: str | None,
    authorize: Callable[[AccessRecord, str, str | None], Principal],
    attempt: Callable[[StoredGame, Principal], Awaitable[R | None]],
    *,
    scope: IdempotencyScope | None = None,
    replay: Callable[[StoredGame, FirstResponse], Awaitable[R]] | None = None,
    uses_cache: bool = False,
) -> R:
    """Run a command until it is committed, replayed or rejected, and return what `attempt` or `replay` returns.

    `attempt` changes a stored's game and commits it; it returns None after a version conflict. With the `scope` of an
    idempotency key, `replay` returns the response to the first request with the key again. With `uses_cache` the first
    attempt may run on a cached stored. Raises NoSuchGame, Conflict, and what the callables do.
    """
    if uses_cache and (stored := context.cache.pop(game_id)) is not None:
        try:
            if (result := await attempt(stored, authorize(stored.access, game_id, token))) is not None:
                return result
        except GameError:
            pass  # the cached game may be stale: only the stored one rejects

    async def attempt_stored() -> R | None:
        stored = await repository.load_game(context, game_id, None if scope is None else scope.key_hash)
        principal = authorize(stored.access, game_id, token)
        if replay is not None and (first := read_record(scope, stored.idempotency_record, context.clock())) is not None:
            return await replay(stored, first)
        return await attempt(stored, principal)

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
