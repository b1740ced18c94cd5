"""Resigning, and coming back to a seat that a bot has kept."""

from schemas.acting import SeatCommand
from service.engine import Game, resign, return_player
from service.games.access import OWNER, AccessRecord, Principal, resolve_seat
from service.games.cache import GameSession
from service.games.commands.execute import CommandRequest, CommandResult, actor_role, execute
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import SeatNotPlayedByBot, SeatResigned
from service.games.lifecycle import is_played_by_bot
from service.games.ports import StoredDiff


async def resign_seat(context: Context, game_id: str, asked: CommandRequest[SeatCommand]) -> CommandResult:
    """Resign, on turn or not, for good. Raises Resigned where that was done."""

    async def make(table: GameSession, reader: Principal) -> list[StoredDiff]:
        game, index = table.game, table.tileset.index
        seat = resolve_seat(table.access, reader, asked.body.seat, game.decider, None)
        if game.players[seat].resigned:
            raise SeatResigned(seat)
        events = resign(index, game, seat)
        return [record_change(index, game, events, at=context.now(), seat=seat, by=actor_role(reader))]

    return await execute(context, game_id, "resign", asked, make)


async def return_to_seat(context: Context, game_id: str, asked: CommandRequest[SeatCommand]) -> CommandResult:
    """Take a seat back from the bot that stands in. Raises NotReplaced, Resigned."""

    async def make(table: GameSession, reader: Principal) -> list[StoredDiff]:
        game, index = table.game, table.tileset.index
        seat = resolve_seat(table.access, reader, asked.body.seat, _left_seat(game, table.access, reader), None)
        if game.players[seat].resigned:
            raise SeatResigned(seat)
        if not is_played_by_bot(game, seat):
            raise SeatNotPlayedByBot(seat)
        return [
            record_change(index, game, return_player(game, seat), at=context.now(), seat=seat, by=actor_role(reader))
        ]

    return await execute(context, game_id, "return", asked, make)


def _left_seat(game: Game, access: AccessRecord, reader: Principal) -> int:
    """The seat that the owner comes back to where none is named: the one that was left, else the decider."""
    left = [seat for seat in access.owner_seats if is_played_by_bot(game, seat)] if reader.role == OWNER else []
    return left[0] if len(left) == 1 else game.decider
