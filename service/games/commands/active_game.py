"""Changes of an active game: what acting, undoing, resigning and returning to a seat have in common.

Checks run in this order: shape, token, idempotency key, `not_active`, `If-Match`, seat, rule. Bots answer in the same
commit.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Raw

from schemas.commands import ActionResult
from service.engine import build_view
from service.games import repository
from service.games.access import Principal, authorize_action
from service.games.bot_turns import play_bots
from service.games.bots.priority import bot_on_turn
from service.games.cache import GameSession
from service.games.commands.execute import ClientCharge, execute
from service.games.context import Context
from service.games.errors import GameNotActive, VersionMismatch
from service.games.idempotency import FirstResponse, ReplayableResult, idempotency_scope, new_record
from service.games.ports.game_store import Revision, StoredDiff, UnreadableGame
from service.games.queries.legal_moves import list_legal_moves, next_decision
from service.i18n import ENGLISH, Language

__all__ = ["CommandRequest", "change_game", "check_if_match"]

B = TypeVar("B")


class CommandRequest(msgspec.Struct, Generic[B], frozen=True):
    """A whole request to change an active game."""

    body: B
    token: str | None
    if_match: Sequence[Revision] | None = None
    """The game must be at one of these revisions, of which an empty digest stands for any; None accepts any."""
    key: str | None = None
    """The idempotency key."""
    include_moves: bool = False
    include_game: bool = False
    language: Language = ENGLISH
    """Of the legal moves' texts."""
    charge: ClientCharge | None = None


Result = ReplayableResult[ActionResult[Raw]]

Command = Callable[[Context, GameSession, Principal, CommandRequest[B]], Awaitable[list[StoredDiff]]]
"""Changes the session's game, or replaces it, and returns the diffs. Raises GameError."""


async def change_game(
    context: Context, game_id: str, name: str, request: CommandRequest[B], command: Command[B]
) -> Result:
    """Run a command on an active game, play the bots after it, and commit both. `name` is the last part of its path."""
    scope = None
    if request.key is not None:
        scope = idempotency_scope(request.key, f"/v1/games/{game_id}/{name}", request.token, request.body)

    async def attempt(session: GameSession, principal: Principal) -> "Result | None":
        if session.game.status != "active":
            raise GameNotActive(session.game.status)
        if request.if_match is not None:
            check_if_match(session.revision, request.if_match)
        diffs = await command(context, session, principal, request)
        game = session.game
        if bot_on_turn(game) is not None:
            if request.charge is not None:
                await request.charge.charge_bots(game)
            diffs += await play_bots(context, session.tileset.index, game)
        result = _build_result(session, request, diffs)
        record = None if scope is None else new_record(scope, context.clock(), game.version, len(diffs))
        is_committed = await repository.commit(context, session, diffs, idempotency=record)
        return ReplayableResult(result, game.version) if is_committed else None

    async def replay(session: GameSession, first: FirstResponse) -> Result:
        """Return the first response, its diffs from the log; the game and its legal moves are the current ones."""
        diffs = await context.store.load_diffs(game_id, first.version - first.detail, first.detail)
        if not diffs or diffs[-1].version != first.version:
            raise UnreadableGame(f"its log does not hold version {first.version}")
        return ReplayableResult(_build_result(session, request, diffs), first.version, replayed=True)

    return await execute(
        context, game_id, request.token, authorize_action, attempt, scope=scope, replay=replay, uses_cache=True
    )


def check_if_match(revision: Revision | None, if_match: Sequence[Revision] | None) -> None:
    """Raise VersionMismatch unless the stored game is at one of the expected revisions."""
    if if_match is None or revision is None:
        return
    for expected in if_match:
        if expected.version == revision.version and expected.digest in ("", revision.digest):
            return
    raise VersionMismatch(*revision)


def _build_result(session: GameSession, request: CommandRequest[Any], diffs: Sequence[StoredDiff]) -> ActionResult[Raw]:
    """Return the response to a change with these diffs."""
    game, index = session.game, session.tileset.index
    return ActionResult(
        version=diffs[-1].version,
        digest=diffs[-1].digest,
        diffs=[Raw(diff.data) for diff in diffs],
        game=build_view(index, game) if request.include_game else None,
        next=next_decision(game),
        legal_moves=list_legal_moves(index, game, language=request.language) if request.include_moves else None,
    )
