"""Resigning, returning to a seat that a bot plays, and aborting the game.

The owner's token names the seat. With the decider as the default, a repeated request would be about the next player.
"""

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Raw

from schemas.commands import ActionResult, SeatCommand
from schemas.events import AnyEvent
from schemas.game import GameView
from service.engine import Game, TileSetIndex, build_view, mark_aborted, resign, return_player
from service.games import repository
from service.games.access import AccessRecord, Principal, authorize_owner, resolve_seat
from service.games.commands.execute import CommandRequest, change_game, check_if_match, execute
from service.games.context import Context, GameSession
from service.games.diffs import record_change
from service.games.errors import GameNotActive, SeatNotPlayedByBot, SeatResigned
from service.games.idempotency import ReplayableResult
from service.games.lifecycle import is_played_by_bot
from service.games.ports.game_store import Revision, StoredDiff

__all__ = ["abort_game", "resign_seat", "return_to_seat"]


async def resign_seat(context: Context, request: CommandRequest[SeatCommand]) -> ReplayableResult[ActionResult[Raw]]:
    """Resign for good, on turn or not. Raises SeatResigned for a second time, Malformed."""
    return await change_game(context, "resign", request, partial(_change_seat, resign))


async def return_to_seat(context: Context, request: CommandRequest[SeatCommand]) -> ReplayableResult[ActionResult[Raw]]:
    """Take a seat back from the bot that plays it. Raises SeatNotPlayedByBot, SeatResigned, Malformed."""
    return await change_game(context, "return", request, partial(_change_seat, _return))


async def _change_seat(
    change: Callable[[TileSetIndex, Game, int], list[AnyEvent]],
    context: Context,
    session: GameSession,
    principal: Principal,
    request: CommandRequest[SeatCommand],
) -> list[StoredDiff]:
    """Make a change of a seat that has not resigned, and return its diff."""
    game, index = session.game, session.tileset.index
    seat = resolve_seat(session.access, principal, request.body.seat, None)
    if game.players[seat].resigned:
        raise SeatResigned(seat)
    events = change(index, game, seat)
    return [record_change(index, game, events, context.now(), seat=seat, by=principal.actor)]


def _return(_index: TileSetIndex, game: Game, seat: int) -> list[AnyEvent]:
    """Give a seat back to its player, and return the events."""
    if not is_played_by_bot(game, seat):
        raise SeatNotPlayedByBot(seat)
    return return_player(game, seat)


async def abort_game(
    context: Context,
    game_id: str,
    *,
    token: str | None,
    if_match: Sequence[Revision] | None,
    authorize: Callable[[AccessRecord, str, str | None], Principal] = authorize_owner,
) -> tuple[GameView, str]:
    """Abort a game for its owner, once or again, and return GAME and its digest.

    Raises GameNotActive when it is finished, VersionMismatch, and what `authorize` does.
    """

    async def attempt(session: GameSession, _owner: Principal) -> tuple[GameView, str] | None:
        game, index = session.game, session.tileset.index
        if game.status == "finished":
            raise GameNotActive(game.status)
        check_if_match(session.revision, if_match)
        if game.status != "aborted":
            diffs = [record_change(index, game, mark_aborted(game), context.now())]
            if not await repository.commit(context, session, diffs):
                return None
        return build_view(index, game), game.digest

    return await execute(context, game_id, token, authorize, attempt)
