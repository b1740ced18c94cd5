"""Aborting a game, for its owner. Source: api.md, "Aborting"."""

from collections.abc import Sequence
from functools import partial

from schemas.game import GameView
from service.engine import build_view, mark_aborted
from service.games import repository
from service.games.access import authorize_owner
from service.games.cache import GameSession
from service.games.commands.execute import ExpectedVersion, check_version
from service.games.commands.retry import until_committed
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import GameNotActive

__all__ = ["abort_game"]


async def abort_game(
    context: Context, game_id: str, *, token: str | None, if_match: Sequence[ExpectedVersion] | None
) -> tuple[GameView, str]:
    """End a game for its owner; gives GAME and its digest. Repeatable; raises NotActive when it is finished."""

    async def attempt(table: GameSession, _owner: None) -> tuple[GameView, str] | None:
        game, index = table.game, table.tileset.index
        if game.status == "finished":
            raise GameNotActive(game.status)
        check_version(table.revision, if_match)
        if game.status != "aborted":
            diffs = [record_change(index, game, mark_aborted(game), at=context.now())]
            if not await repository.commit(context, table, diffs):
                return None
        return build_view(index, game), game.digest

    return await until_committed(context, game_id, partial(authorize_owner, game=game_id, token=token), attempt)
