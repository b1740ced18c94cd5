"""Taking the last action of one's turn back.

Nothing is stored for it: the game is played again from its log, which gives the state before that action. What comes
out must be the game as it is stored, or nothing is taken back.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext

import msgspec

from schemas.acting import SeatCommand
from schemas.events import MoveUndone
from schemas.game import GameView
from service.engine import Game, TileSetIndex, build_view, encode_snapshot
from service.games.access import Principal, resolve_seat
from service.games.cache import GameSession
from service.games.commands.act import check_turn
from service.games.commands.execute import CommandRequest, CommandResult, actor_role, execute
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import NothingToUndo
from service.games.lifecycle import is_overdue
from service.games.ports import StoredDiff
from service.games.replay import InvalidLog, LoggedChange, Replay, UndoPoint, restore
from service.games.repository import read_log
from service.games.verify import upgrade_state
from service.json_patch import apply_patch

MAX_VERSIONS = 1000
"""A whole game has a few hundred; whoever acts and takes back for ever shall not make it ever dearer."""


ReplayGuard = Callable[[int], AbstractAsyncContextManager[None]]
"""What a game of so many versions is replayed within: whoever has many players may let few replay at once."""


async def undo(
    context: Context,
    game_id: str,
    asked: CommandRequest[SeatCommand],
    replaying: ReplayGuard = lambda _versions: nullcontext(),
) -> CommandResult:
    """Take the decider's last action back. Raises NothingToUndo, NotYourTurn, Replaced, and what `replaying` does."""

    async def make(table: GameSession, reader: Principal) -> list[StoredDiff]:
        game, index = table.game, table.tileset.index
        seat = resolve_seat(table.access, reader, asked.body.seat, game.decider, None)
        check_turn(game, seat)
        if not game.undoable or game.version > MAX_VERSIONS or is_overdue(game, int(context.clock())):
            raise NothingToUndo(seat)
        async with replaying(game.version):
            past = await asyncio.to_thread(
                compute_undo_point, index, game, await read_log(context.store, game.id, game.version)
            )
        if past is None:
            raise NothingToUndo(seat)
        table.game = restore(game, past)
        return [
            record_change(
                index,
                table.game,
                [MoveUndone(seat=seat, move=past.move)],
                at=context.now(),
                seat=seat,
                by=actor_role(reader),
                before=build_view(index, game),
            )
        ]

    return await execute(context, game_id, "undo", asked, make)


def compute_undo_point(index: TileSetIndex, game: Game, log: list[StoredDiff]) -> UndoPoint | None:
    """The state before the last action; None where the log does not give the game as it is."""
    if not log:
        return None
    try:
        patch = msgspec.json.decode(log[0].data)["patch"]
        first = msgspec.convert(upgrade_state(apply_patch({}, patch)), GameView)
        replay = Replay(index, first, game.seed, game.first_seat, game.creator)
        for diff in log[1:]:
            replay.step(_DECODER.decode(diff.data))
    except (InvalidLog, msgspec.DecodeError, AttributeError, LookupError, TypeError, ValueError):
        return None
    return replay.past[-1] if replay.past and encode_snapshot(replay.game) == encode_snapshot(game) else None


_DECODER = msgspec.json.Decoder(LoggedChange)
