"""Aborting a game, for its owner."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.game import GameView
from service.engine import build_view, mark_aborted
from service.games import repository
from service.games.access import Principal
from service.games.cache import GameSession
from service.games.change import Change
from service.games.commands.active_game import ExpectedVersion, check_if_match
from service.games.commands.execute import OwnerCommand, execute
from service.games.context import Context
from service.games.diffs.record import record_change
from service.games.errors import GameNotActive

__all__ = ["abort_game"]


async def abort_game(
    context: Context, game_id: str, *, token: str | None, if_match: Sequence[ExpectedVersion] | None
) -> tuple[GameView, str]:
    """Abort a game for its owner, once or again, and return GAME and its digest.

    Raises GameNotActive when it is finished, VersionMismatch, and what `authorize_owner` does.
    """
    return await execute(AbortCommand(context, game_id, token, if_match))


@dataclass
class AbortCommand(OwnerCommand[tuple[GameView, str]]):
    """The owner's request to abort a game."""

    if_match: Sequence[ExpectedVersion] | None

    async def attempt(self, session: GameSession, _owner: Principal) -> tuple[GameView, str] | None:
        """Abort the game unless it is aborted already."""
        game, index = session.game, session.tileset.index
        if game.status == "finished":
            raise GameNotActive(game.status)
        check_if_match(session.revision, self.if_match)
        if game.status != "aborted":
            diffs = [record_change(index, game, Change(mark_aborted(game), self.context.now()))]
            if not await repository.commit(self.context, session, diffs):
                return None
        return build_view(index, game), game.digest
