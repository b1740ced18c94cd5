"""Taking the last action of one's turn back.

Nothing is stored for it: the game is played again from its log, which gives the state before that action. What comes
out must be the game as it is stored, or nothing is taken back.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext

import msgspec

from schemas.acting import ForSeat
from schemas.events import MoveUndone
from schemas.game import GameView
from service.engine import Game, Tables, encode, view
from service.games.access import Reader, acting_seat
from service.games.cache import Table
from service.games.commands.act import check_deciding
from service.games.commands.execute import Asked, Done, change, decided_by
from service.games.context import Context
from service.games.diffs import record
from service.games.errors import NothingToUndo
from service.games.lifecycle import overdue
from service.games.ports import StoredDiff
from service.games.replay import Broken, Past, Replay, Told, went_back
from service.games.stored import read_log
from service.games.verify import grown
from service.json_patch import apply_patch

MOST_VERSIONS = 1000
"""A whole game has a few hundred; whoever acts and takes back for ever shall not make it ever dearer."""


Replaying = Callable[[int], AbstractAsyncContextManager[None]]
"""What a game of so many versions is replayed within: whoever has many players may let few replay at once."""


async def undo(
    context: Context, game_id: str, asked: Asked[ForSeat], replaying: Replaying = lambda _versions: nullcontext()
) -> Done:
    """Take the decider's last action back. Raises NothingToUndo, NotYourTurn, Replaced, and what `replaying` does."""

    async def make(table: Table, reader: Reader) -> list[StoredDiff]:
        game, tables = table.game, table.tileset.tables
        seat = acting_seat(table.access, reader, asked.body.seat, game.decider, None)
        check_deciding(game, seat)
        if not game.undoable or game.version > MOST_VERSIONS or overdue(game, int(context.clock())):
            raise NothingToUndo(seat)
        async with replaying(game.version):
            past = await asyncio.to_thread(
                last_state, tables, game, await read_log(context.store, game.id, game.version)
            )
        if past is None:
            raise NothingToUndo(seat)
        table.game = went_back(game, past)
        return [
            record(
                tables,
                table.game,
                [MoveUndone(seat=seat, move=past.move)],
                at=context.now(),
                seat=seat,
                by=decided_by(reader),
                before=view(tables, game),
            )
        ]

    return await change(context, game_id, "undo", asked, make)


def last_state(tables: Tables, game: Game, log: list[StoredDiff]) -> Past | None:
    """The state before the last action; None where the log does not give the game as it is."""
    if not log:
        return None
    try:
        patch = msgspec.json.decode(log[0].data)["patch"]
        first = msgspec.convert(grown(apply_patch({}, patch)), GameView)
        replay = Replay(tables, first, game.seed, game.first_seat, game.creator)
        for diff in log[1:]:
            replay.step(_DECODER.decode(diff.data))
    except (Broken, msgspec.DecodeError, AttributeError, LookupError, TypeError, ValueError):
        return None
    return replay.past[-1] if replay.past and encode(replay.game) == encode(game) else None


_DECODER = msgspec.json.Decoder(Told)
