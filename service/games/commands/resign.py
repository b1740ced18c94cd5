"""Resigning, and coming back to a seat that a bot has kept."""

from schemas.acting import ForSeat
from service.engine import Game, resign, step_back
from service.games.access import OWNER, Access, Reader, acting_seat
from service.games.cache import Table
from service.games.commands.execute import Asked, Done, change, decided_by
from service.games.context import Context
from service.games.diffs import record
from service.games.errors import NotReplaced, Resigned
from service.games.lifecycle import stood_in
from service.games.ports import StoredDiff


async def resign_seat(context: Context, game_id: str, asked: Asked[ForSeat]) -> Done:
    """Resign, on turn or not, for good. Raises Resigned where that was done."""

    async def make(table: Table, reader: Reader) -> list[StoredDiff]:
        game, tables = table.game, table.tileset.tables
        seat = acting_seat(table.access, reader, asked.body.seat, game.decider, None)
        if game.players[seat].resigned:
            raise Resigned(seat)
        events = resign(tables, game, seat)
        return [record(tables, game, events, at=context.now(), seat=seat, by=decided_by(reader))]

    return await change(context, game_id, "resign", asked, make)


async def return_to_seat(context: Context, game_id: str, asked: Asked[ForSeat]) -> Done:
    """Take a seat back from the bot that stands in. Raises NotReplaced, Resigned."""

    async def make(table: Table, reader: Reader) -> list[StoredDiff]:
        game, tables = table.game, table.tileset.tables
        seat = acting_seat(table.access, reader, asked.body.seat, _left_seat(game, table.access, reader), None)
        if game.players[seat].resigned:
            raise Resigned(seat)
        if not stood_in(game, seat):
            raise NotReplaced(seat)
        return [record(tables, game, step_back(game, seat), at=context.now(), seat=seat, by=decided_by(reader))]

    return await change(context, game_id, "return", asked, make)


def _left_seat(game: Game, access: Access, reader: Reader) -> int:
    """The seat that the owner comes back to where none is named: the one that was left, else the decider."""
    left = [seat for seat in access.owned if stood_in(game, seat)] if reader.role == OWNER else []
    return left[0] if len(left) == 1 else game.decider
