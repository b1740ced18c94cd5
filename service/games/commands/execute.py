"""The one loop under all commands: attempt a change of the stored game, and start over after a version conflict.

A command that may use the cache is attempted on the cached stored first, so that the commit is its only round trip to
the store. A cached game may accept a command, never reject one: after an error or a conflict the stored game decides.
Retries are bounded, with growing pauses and jitter.

`change_game` is what acting, undoing, resigning and returning to a seat have in common. Their checks run in this order:
shape, token, idempotency key, `not_active`, `If-Match`, seat, rule. Bots answer in the same commit.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Raw

from schemas.commands import ActionResult, IncludeQuery
from schemas.lobby import CreateGame
from service.engine import Game, build_view
from service.games import repository
from service.games.access import AccessRecord, Principal, authorize_action
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
)
from service.games.legal_moves import list_legal_moves, next_decision
from service.games.lifecycle import bot_on_turn
from service.games.ports import Revision, StoredDiff, StoredGame, UnreadableGame
from service.i18n import ENGLISH, Language
from service.supervision import Backoff

B = TypeVar("B")
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


class CommandRequest(msgspec.Struct, Generic[B], frozen=True, kw_only=True):
    """A whole request to change an active game. A route's is a subclass, which says how HTTP carries it."""

    id: str
    """The game's."""
    body: B
    token: str | None = None
    query: IncludeQuery = IncludeQuery()
    if_match: Sequence[Revision] | None = None
    """The game must be at one of these revisions, of which an empty digest stands for any; None accepts any."""
    idempotency_key: str | None = None
    prefers_game: bool = False
    """Whether the response shall contain GAME."""
    language: Language = ENGLISH
    """Of the legal moves' texts."""
    charge: ClientCharge | None = None


Result = ReplayableResult[ActionResult[Raw]]

Command = Callable[[Context, StoredGame, Principal, CommandRequest[B]], Awaitable[list[StoredDiff]]]
"""Changes the stored's game, or replaces it, and returns the diffs. Raises GameError."""


async def change_game(context: Context, name: str, request: CommandRequest[B], command: Command[B]) -> Result:
    """Run a command on an active game, play the bots after it, and commit both. `name` is the last part of its path."""
    game_id, key, scope = request.id, request.idempotency_key, None
    if key is not None:
        scope = idempotency_scope(key, f"/v1/games/{game_id}/{name}", request.token, request.body)

    async def attempt(stored: StoredGame, principal: Principal) -> "Result | None":
        if stored.game.status != "active":
            raise GameNotActive(stored.game.status)
        if request.if_match is not None:
            check_if_match(stored.revision, request.if_match)
        diffs = await command(context, stored, principal, request)
        game = stored.game
        if bot_on_turn(game) is not None:
            if request.charge is not None:
                await request.charge.charge_bots(game)
            diffs += await play_bots(context, context.tilesets.get(game.tileset).index, game)
        result = _build_result(context, stored, request, diffs)
        record = None if scope is None else new_record(scope, context.clock(), game.version, len(diffs))
        is_committed = await repository.commit(context, stored, diffs, idempotency=record)
        return ReplayableResult(result, game.version) if is_committed else None

    async def replay(stored: StoredGame, first: FirstResponse) -> Result:
        """Return the first response, its diffs from the log; the game and its legal moves are the current ones."""
        diffs = await context.store.load_diffs(game_id, first.version - first.detail, first.detail)
        if not diffs or diffs[-1].version != first.version:
            raise UnreadableGame(f"its log does not hold version {first.version}")
        return ReplayableResult(_build_result(context, stored, request, diffs), first.version, replayed=True)

    return await execute(
        context, game_id, request.token, authorize_action, attempt, scope=scope, replay=replay, uses_cache=True
    )


def check_if_match(revision: Revision, if_match: Sequence[Revision] | None) -> None:
    """Raise VersionMismatch unless the stored game is at one of the expected revisions."""
    if if_match is None:
        return
    for expected in if_match:
        if expected.version == revision.version and expected.digest in ("", revision.digest):
            return
    raise VersionMismatch(*revision)


def _build_result(
    context: Context, stored: StoredGame, request: CommandRequest[Any], diffs: Sequence[StoredDiff]
) -> ActionResult[Raw]:
    """Return the response to a change with these diffs."""
    index, game = repository.open_game(context.tilesets, stored)
    return ActionResult(
        version=diffs[-1].version,
        digest=diffs[-1].digest,
        diffs=[Raw(diff.data) for diff in diffs],
        game=build_view(index, game) if request.prefers_game else None,
        next=next_decision(game),
        legal_moves=None if request.query.include is None else list_legal_moves(index, game, language=request.language),
    )


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
