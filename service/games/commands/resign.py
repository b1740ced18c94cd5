"""Resigning, and returning to a seat that a bot plays.

The owner's token names the seat. With the decider as the default, a repeated request would be about the next player.
"""

from schemas.commands import SeatCommand
from service.engine import resign, return_player
from service.games.access import Principal, resolve_seat
from service.games.cache import GameSession
from service.games.change import Change
from service.games.commands.active_game import ActiveGameCommand, CommandRequest, CommandResult
from service.games.commands.execute import execute
from service.games.context import Context
from service.games.diffs.record import record_change
from service.games.errors import SeatNotPlayedByBot, SeatResigned
from service.games.lifecycle import is_played_by_bot
from service.games.ports.game_store import StoredDiff


async def resign_seat(context: Context, game_id: str, request: CommandRequest[SeatCommand]) -> CommandResult:
    """Resign for good, on turn or not. Raises SeatResigned for a second time, Malformed."""
    return await execute(ResignCommand(context, game_id, request))


async def return_to_seat(context: Context, game_id: str, request: CommandRequest[SeatCommand]) -> CommandResult:
    """Take a seat back from the bot that plays it. Raises SeatNotPlayedByBot, SeatResigned, Malformed."""
    return await execute(ReturnCommand(context, game_id, request))


class ResignCommand(ActiveGameCommand[SeatCommand]):
    """A player resigns."""

    name = "resign"

    async def change(self, session: GameSession, principal: Principal) -> list[StoredDiff]:
        """Resign the seat."""
        game, index = session.game, session.tileset.index
        seat = resolve_seat(session.access, principal, self.request.body.seat, None)
        if game.players[seat].resigned:
            raise SeatResigned(seat)
        events = resign(index, game, seat)
        return [record_change(index, game, Change(events, self.context.now(), seat=seat, by=principal.actor))]


class ReturnCommand(ActiveGameCommand[SeatCommand]):
    """A player returns to a seat that a bot plays."""

    name = "return"

    async def change(self, session: GameSession, principal: Principal) -> list[StoredDiff]:
        """Give the seat back to its player."""
        game, index = session.game, session.tileset.index
        seat = resolve_seat(session.access, principal, self.request.body.seat, None)
        if game.players[seat].resigned:
            raise SeatResigned(seat)
        if not is_played_by_bot(game, seat):
            raise SeatNotPlayedByBot(seat)
        events = return_player(game, seat)
        return [record_change(index, game, Change(events, self.context.now(), seat=seat, by=principal.actor))]
