"""One change of an active game, asked for by somebody: what acting, undoing, resigning and returning have in common.

Checks come in this order: shape, token, answered key, `not_active`, `If-Match`, seat, rule. Bots answer in the same
commit. Without If-Match a lost race is tried again. Source: api.md, "Acting".

A change is first made on the table that this instance holds, if it does: then the commit is the only question to the
store. What is refused there, or lost, is asked again of the game as it is stored.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Raw

from schemas.acting import ActionResult
from schemas.base import encode_json
from service.engine import Game, build_view
from service.games import repository
from service.games.access import OWNER, Principal, authorize_action
from service.games.bot_turns import next_due_at, play_bots
from service.games.bots.priority import bot_on_turn
from service.games.cache import GameSession
from service.games.commands.retry import until_committed
from service.games.context import Context
from service.games.errors import GameError, GameNotActive, VersionMismatch
from service.games.i18n import ENGLISH, Language
from service.games.idempotency import FirstResponse, IdempotencyScope, idempotency_scope, new_record
from service.games.ports import Revision, StoredDiff, UnreadableGame
from service.games.queries.games import list_legal_moves, next_decision

B = TypeVar("B")

Mutation = Callable[[GameSession, Principal], Awaitable[list[StoredDiff]]]
"""Changes the table's game, or puts another in its place; gives the diffs, or raises what is refused."""


class ExpectedVersion(NamedTuple):
    """An If-Match: a version, and perhaps its digest."""

    version: int
    digest: str | None


class CommandRequest(NamedTuple, Generic[B]):
    """A whole request to change a game."""

    body: B
    token: str | None
    if_match: Sequence[ExpectedVersion] | None = None
    """Any of them must be the game's version; None expects nothing."""
    key: str | None = None
    include_moves: bool = False
    include_game: bool = False
    language: Language = ENGLISH
    """Of the legal moves' texts."""
    charge_bots: Callable[[Game], Awaitable[None]] | None = None
    """Called with the changed game before its bots think; what it raises refuses the change."""


class CommandResult(NamedTuple):
    """The answer to a change."""

    response: ActionResult[Raw]
    """Without its diffs, which nobody here looks at."""
    body: bytes
    """The whole of it as JSON."""
    replayed: bool = False
    """Whether it was done before, and is told again."""


async def execute(
    context: Context, game_id: str, what: str, asked: CommandRequest[Any], make: Mutation
) -> CommandResult:
    """Make a change of an active game, let bots answer, and store it all at once; `what` is the end of its path."""
    idempotency = idempotency_scope(asked.key, f"/v1/games/{game_id}/{what}", asked.token, asked.body)
    held = context.cache.pop(game_id)
    if held is not None and (done := await _try_held(context, held, asked, idempotency, make)) is not None:
        return done

    async def attempt(table: GameSession, reader: Principal) -> CommandResult | None:
        return await _try(context, table, reader, asked, idempotency, make)

    async def replay(table: GameSession, before: FirstResponse) -> CommandResult:
        return await _again(context, table, asked, before)

    check = partial(authorize_action, game=game_id, token=asked.token)
    return await until_committed(context, game_id, check, attempt, idempotency, replay)


def check_version(stored: Revision | None, if_match: Sequence[ExpectedVersion] | None) -> None:
    """Raise VersionMismatch unless the stored game has one of the expected versions."""
    if if_match is None or stored is None:
        return
    for expected in if_match:
        if expected.version == stored.version and expected.digest in (None, stored.digest):
            return
    raise VersionMismatch(stored.version, stored.digest)


def actor_role(reader: Principal) -> str:
    """As whom a token decides, for a diff's `by`."""
    return "owner" if reader.role == OWNER else "seat"


async def _try_held(
    context: Context,
    table: GameSession,
    asked: CommandRequest[Any],
    idempotency: IdempotencyScope | None,
    make: Mutation,
) -> CommandResult | None:
    """Make the change on a table that was held; None where it is to be asked of the stored game instead."""
    try:
        reader = authorize_action(table.access, table.game.id, asked.token)
        return await _try(context, table, reader, asked, idempotency, make)
    except GameError:
        return None


async def _try(
    context: Context,
    table: GameSession,
    reader: Principal,
    asked: CommandRequest[Any],
    idempotency: IdempotencyScope | None,
    make: Mutation,
) -> CommandResult | None:
    """Make the change, let bots answer, and store everything; None where somebody else was first."""
    if table.game.status != "active":
        raise GameNotActive(table.game.status)
    check_version(table.revision, asked.if_match)
    diffs = await make(table, reader)
    game, index = table.game, table.tileset.index
    if game.status == "active":
        if asked.charge_bots is not None and bot_on_turn(game) is not None:
            await asked.charge_bots(game)
        diffs += await play_bots(context, index, game)
    acted = _acted(table, asked, game.version, game.digest)
    body = encode_json(acted)
    kept = new_record(idempotency, context.clock(), game.version, len(diffs))
    is_committed = await repository.commit(context, table, diffs, idempotency=kept, due_at=next_due_at(context, game))
    return _done(acted, body, diffs) if is_committed else None


async def _again(
    context: Context, table: GameSession, asked: CommandRequest[Any], before: FirstResponse
) -> CommandResult:
    """The answer given before, its diffs out of the log; the game and its legal moves are as they are now."""
    diffs = await context.store.load_diffs(table.game.id, before.version - before.detail, before.detail)
    if not diffs or diffs[-1].version != before.version:
        raise UnreadableGame(f"its log does not hold version {before.version}")
    acted = _acted(table, asked, before.version, diffs[-1].digest)
    return _done(acted, encode_json(acted), diffs, replayed=True)


def _acted(table: GameSession, asked: CommandRequest[Any], version: int, digest: str) -> ActionResult[Raw]:
    """The answer without its diffs."""
    game, index = table.game, table.tileset.index
    return ActionResult(
        version=version,
        digest=digest,
        diffs=list[Raw](),
        game=build_view(index, game) if asked.include_game else None,
        next=next_decision(game),
        legal_moves=list_legal_moves(index, game, language=asked.language) if asked.include_moves else None,
    )


def _done(
    acted: ActionResult[Raw], body: bytes, diffs: Sequence[StoredDiff], *, replayed: bool = False
) -> CommandResult:
    """An answer that was encoded without its diffs, with them."""
    data = b'"diffs":[%b]' % b",".join([diff.data for diff in diffs])
    return CommandResult(acted, body.replace(_NO_DIFFS, data, 1), replayed)


_NO_DIFFS = b'"diffs":[]'
