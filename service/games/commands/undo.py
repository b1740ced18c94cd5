"""Undoing the last action of a turn.

Nothing is stored for it: a replay of the log gives the state before that action. An action is only undone if the replay
ends in the stored game.
"""

import asyncio
from contextlib import nullcontext

import msgspec
from msgspec import Raw

from schemas.commands import ActionResult, SeatCommand
from schemas.events import AnyEvent, MoveUndone
from schemas.game import GameView
from service.engine import Game, TileSetIndex, build_view, encode_snapshot
from service.games.access import Principal, resolve_seat
from service.games.commands.act import check_turn
from service.games.commands.execute import CommandRequest, change_game
from service.games.context import Context, GameSession
from service.games.diffs import record_change
from service.games.errors import NothingToUndo
from service.games.history.replay import InvalidLog, LoggedChange, Replay, UndoPoint, restore
from service.games.idempotency import ReplayableResult
from service.games.lifecycle import is_overdue
from service.games.ports.game_store import StoredDiff
from service.games.repository import read_log
from service.json_patch import apply_patch

MAX_VERSIONS = 1000
"""A whole game has a few hundred; this bounds the cost of a replay for a player who acts and undoes for ever."""


async def undo(context: Context, request: CommandRequest[SeatCommand]) -> ReplayableResult[ActionResult[Raw]]:
    """Take the decider's last action back. Raises NothingToUndo, NotYourTurn, SeatPlayedByBot."""
    return await change_game(context, "undo", request, _undo)


async def _undo(
    context: Context, session: GameSession, principal: Principal, request: CommandRequest[SeatCommand]
) -> list[StoredDiff]:
    """Put the game as it was before the last action in the session's place."""
    game, index, charge = session.game, session.tileset.index, request.charge
    seat = resolve_seat(session.access, principal, request.body.seat, game.decider)
    check_turn(game, seat)
    if not game.undoable or game.version > MAX_VERSIONS or is_overdue(game, int(context.clock())):
        raise NothingToUndo(seat)
    async with nullcontext() if charge is None else charge.replay_slot():
        log = await read_log(context.store, game.id, game.version)
        point = await asyncio.to_thread(compute_undo_point, index, game, log)
    if point is None:
        raise NothingToUndo(seat)
    session.game = restore(game, point)
    events: list[AnyEvent] = [MoveUndone(seat=seat, move=point.move)]
    before = build_view(index, game)
    return [record_change(index, session.game, events, context.now(), seat=seat, by=principal.actor, before=before)]


def compute_undo_point(index: TileSetIndex, game: Game, log: list[StoredDiff]) -> UndoPoint | None:
    """Return the state before the last action, None where the log does not end in this game."""
    if not log:
        return None
    try:
        patch = msgspec.json.decode(log[0].data)["patch"]
        first = msgspec.convert(apply_patch({}, patch), GameView)
        replay = Replay(index, first, game.seed, game.first_seat, game.creator)
        replay.game.schema_version = game.schema_version
        for diff in log[1:]:
            replay.step(_DECODER.decode(diff.data))
    except (InvalidLog, msgspec.DecodeError, AttributeError, LookupError, TypeError, ValueError):
        return None
    return (
        replay.undo_points[-1] if replay.undo_points and encode_snapshot(replay.game) == encode_snapshot(game) else None
    )


_DECODER = msgspec.json.Decoder(LoggedChange)
