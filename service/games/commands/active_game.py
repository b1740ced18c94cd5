"""Changes of an active game: what acting, undoing, resigning and returning to a seat have in common.

Checks run in this order: shape, token, idempotency key, `not_active`, `If-Match`, seat, rule. Bots answer in the same
commit.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import Raw

from schemas.base import encode_json
from schemas.commands import ActionResult
from service.engine import build_view
from service.games import repository
from service.games.access import AccessRecord, Principal, authorize_action
from service.games.bot_turns import play_bots
from service.games.bots.priority import bot_on_turn
from service.games.cache import GameSession
from service.games.commands.execute import ClientCharge, Command
from service.games.context import Context
from service.games.errors import GameNotActive, VersionMismatch
from service.games.idempotency import FirstResponse, idempotency_scope, new_record
from service.games.ports.game_store import Revision, StoredDiff, UnreadableGame
from service.games.queries.legal_moves import list_legal_moves, next_decision
from service.i18n import ENGLISH, Language

__all__ = ["ActiveGameCommand", "CommandRequest", "CommandResult", "ExpectedVersion", "check_if_match"]

B = TypeVar("B")


class ExpectedVersion(msgspec.Struct, frozen=True):
    """One entity tag of If-Match: a version, and perhaps its digest."""

    version: int
    digest: str | None


class CommandRequest(msgspec.Struct, Generic[B], frozen=True):
    """A whole request to change an active game."""

    body: B
    token: str | None
    if_match: Sequence[ExpectedVersion] | None = None
    """The game's version must be one of these; None accepts any."""
    key: str | None = None
    """The idempotency key."""
    include_moves: bool = False
    include_game: bool = False
    language: Language = ENGLISH
    """Of the legal moves' texts."""
    charge: ClientCharge | None = None


class CommandResult(msgspec.Struct, frozen=True):
    """The response to a change."""

    response: ActionResult[Raw]
    """Without its diffs."""
    diffs: Sequence[StoredDiff]
    """These, encoded already."""
    replayed: bool = False
    """Whether the request is a retry, and was executed before."""

    def encode(self) -> bytes:
        """Return the whole response as JSON."""
        diffs = b'"diffs":[%b]' % b",".join([diff.data for diff in self.diffs])
        return encode_json(self.response).replace(b'"diffs":[]', diffs, 1)


class ActiveGameCommand(Command[CommandResult], Generic[B]):
    """A change of an active game. Subclasses define `change`."""

    name: ClassVar[str]
    """Last part of the command's path."""
    uses_cache = True

    def __init__(self, context: Context, game_id: str, request: CommandRequest[B]) -> None:
        self.context = context
        self.game_id = game_id
        self.request = request
        self.scope = None
        if request.key is not None:
            self.scope = idempotency_scope(request.key, f"/v1/games/{game_id}/{self.name}", request.token, request.body)

    async def change(self, session: GameSession, principal: Principal) -> list[StoredDiff]:
        """Change the session's game, or replace it; return the diffs. Raises GameError."""
        raise NotImplementedError

    def authorize(self, access: AccessRecord) -> Principal:
        """Return the owner or seat that the token stands for."""
        return authorize_action(access, self.game_id, self.request.token)

    async def attempt(self, session: GameSession, principal: Principal) -> CommandResult | None:
        """Make the change, play the bots after it, and commit both."""
        context, request = self.context, self.request
        if session.game.status != "active":
            raise GameNotActive(session.game.status)
        if request.if_match is not None:
            check_if_match(session.revision, request.if_match)
        diffs = await self.change(session, principal)
        game = session.game
        if bot_on_turn(game) is not None:
            if request.charge is not None:
                await request.charge.charge_bots(game)
            diffs += await play_bots(context, session.tileset.index, game)
        result = build_result(session, request, diffs)
        record = None if self.scope is None else new_record(self.scope, context.clock(), game.version, len(diffs))
        return result if await repository.commit(context, session, diffs, idempotency=record) else None

    async def replay(self, session: GameSession, first: FirstResponse) -> CommandResult:
        """Return the first response, its diffs from the log; the game and its legal moves are the current ones."""
        diffs = await self.context.store.load_diffs(self.game_id, first.version - first.detail, first.detail)
        if not diffs or diffs[-1].version != first.version:
            raise UnreadableGame(f"its log does not hold version {first.version}")
        return build_result(session, self.request, diffs, replayed=True)


def check_if_match(revision: Revision | None, if_match: Sequence[ExpectedVersion] | None) -> None:
    """Raise VersionMismatch unless the stored game has one of the expected versions."""
    if if_match is None or revision is None:
        return
    for expected in if_match:
        if expected.version == revision.version and expected.digest in (None, revision.digest):
            return
    raise VersionMismatch(revision.version, revision.digest)


def build_result(
    session: GameSession, request: CommandRequest[Any], diffs: Sequence[StoredDiff], *, replayed: bool = False
) -> CommandResult:
    """Return the response to a change with these diffs."""
    game, index = session.game, session.tileset.index
    response = ActionResult(
        version=diffs[-1].version,
        digest=diffs[-1].digest,
        diffs=list[Raw](),
        game=build_view(index, game) if request.include_game else None,
        next=next_decision(game),
        legal_moves=list_legal_moves(index, game, language=request.language) if request.include_moves else None,
    )
    return CommandResult(response, diffs, replayed)
