"""Acting: one action, a move by its id, or a list of actions.

Undoing the last action of a turn.

Nothing is stored for it: a replay of the log gives the state before that action. An action is only undone if the replay
ends in the stored game.

Resigning, returning to a seat that a bot plays, and aborting the game.

The owner's token names the seat. With the decider as the default, a repeated request would be about the next player.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, get_args

import msgspec
from msgspec import Raw

from schemas.actions import Action, ActionRequest, Deliver, Pass, PlaceTile
from schemas.commands import Act, ActionResult, SeatCommand
from schemas.events import AnyEvent, MoveUndone, TileDrawn
from schemas.game import GameView
from schemas.vocabulary import PassPhase, Wares
from service.engine import (
    Game,
    IllegalMove,
    TileSetIndex,
    apply_action,
    build_view,
    encode_snapshot,
    mark_aborted,
    move_id,
    parse_move_id,
    resign,
    return_player,
)
from service.games import repository
from service.games.access import AccessRecord, Principal, authorize_owner, resolve_seat
from service.games.commands.execute import CommandRequest, change_game, check_if_match, execute
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import (
    GameNotActive,
    ListTooLong,
    Malformed,
    MoveRejected,
    NothingToUndo,
    NotYourTurn,
    SeatNotPlayedByBot,
    SeatPlayedByBot,
    SeatResigned,
)
from service.games.history import InvalidLog, LoggedChange, Replay, UndoPoint, restore
from service.games.idempotency import ReplayableResult
from service.games.lifecycle import is_overdue, is_played_by_bot, reveals_hidden
from service.games.ports import Revision, StoredDiff, StoredGame
from service.games.repository import open_game, read_log
from service.json_patch import apply_patch
from service.telemetry.metrics import ACTIONS

ACTION_TYPES: dict[str, tuple[type[Action], dict[str, bool]]] = {
    str(kind.__struct_config__.tag): (kind, {field.name: field.required for field in msgspec.structs.fields(kind)})
    for kind in get_args(Action)
}
"""For each type of action, its class, its fields, and whether each is required."""

_ACTIONS = {actor: ACTIONS.labels(actor) for actor in ("owner", "seat")}


async def act(context: Context, request: CommandRequest[Act]) -> ReplayableResult[ActionResult[Raw]]:
    """Apply one or more actions, all or none, and let bots answer."""
    return await change_game(context, "actions", request, partial(_act, parse_actions(request.body)))


async def _act(
    actions: Sequence[Action],
    context: Context,
    stored: StoredGame,
    principal: Principal,
    request: CommandRequest[Act],
) -> list[StoredDiff]:
    """Apply the actions, each as its own version; the first that is rejected rejects them all.

    In a list, a pass that the engine made by itself is skipped.
    """
    index, game = open_game(context.tilesets, stored)
    body = request.body
    diffs: list[StoredDiff] = []
    skippable: set[PassPhase] = set()
    is_revealed = False
    for position, action in enumerate(actions):
        if skippable and isinstance(action, Pass) and action.phase in skippable and action.phase != game.phase:
            continue
        if is_revealed:
            raise ListTooLong(position)
        place = None if body.actions is None else position
        seat = resolve_seat(stored.access, principal, body.seat, game.decider, place)
        check_turn(game, seat, place)
        try:
            applied, events = apply_action(index, game, action)
        except IllegalMove as refusal:
            raise MoveRejected(refusal.rule, refusal.reason, place) from refusal
        at, move = context.now(), move_id(applied)
        diffs.append(record_change(index, game, events, at, seat=seat, move=move, by=principal.actor))
        if body.actions is not None:
            is_revealed = reveals_hidden(events)
            skippable |= passed_by_engine(game, applied, events)
    _ACTIONS[principal.actor].inc(len(diffs))
    return diffs


def parse_actions(body: Act) -> list[Action]:
    """Return the actions of a request. Raises Malformed, which names the field."""
    if body.actions is not None:
        return [parse_action(action, f"$.actions[{index}]") for index, action in enumerate(body.actions)]
    if body.action is not None:
        return [parse_action(body.action, "$.action")]
    action = parse_move_id(body.move or "")
    if action is None:
        raise Malformed(f"{body.move} is no move id", "$.move")
    return [action]


def parse_action(given: ActionRequest, path: str) -> Action:
    """Return an action of its type's class. Raises Malformed for a missing or an unexpected field."""
    kind, fields = ACTION_TYPES[given.type]
    values: dict[str, Any] = {}
    for name in ("x", "y", "rotation", "segment", "ship", "wares", "phase"):
        value = getattr(given, name)
        if value is None:
            if fields.get(name):
                raise Malformed(f"{given.type} needs `{name}`", f"{path}.{name}")
        elif name not in fields:
            raise Malformed(f"`{name}` is no field of {given.type}", f"{path}.{name}")
        else:
            values[name] = value
    if given.wares is not None:
        values["wares"] = Wares(**{ware: count or 0 for ware, count in msgspec.structs.asdict(given.wares).items()})
    return kind(**values)


def check_turn(game: Game, seat: int, index: int | None = None) -> None:
    """Raise SeatResigned, SeatPlayedByBot where a bot decides for the player, NotYourTurn unless it decides now."""
    if game.players[seat].resigned:
        raise SeatResigned(seat, index)
    if game.players[seat].bot is not None:
        raise SeatPlayedByBot(seat, index)
    if seat != game.decider:
        raise NotYourTurn(seat, game.decider, index)


def passed_by_engine(game: Game, action: Action, events: Sequence[AnyEvent]) -> set[PassPhase]:
    """Return the phases that the engine passed by itself after an action: there was nothing else to do."""
    passed: set[PassPhase] = set()
    over = game.status != "active" or any(isinstance(event, TileDrawn) for event in events)
    if isinstance(action, PlaceTile) and (over or game.phase != "islander"):
        passed.add("islander")
    if over and not isinstance(action, Deliver | Pass):
        passed.add("deliver")
    if over and isinstance(action, Pass) and action.phase == "islander":
        passed.add("deliver")
    return passed


MAX_VERSIONS = 1000
"""A whole game has a few hundred; this bounds the cost of a replay for a player who acts and undoes for ever."""


async def undo(context: Context, request: CommandRequest[SeatCommand]) -> ReplayableResult[ActionResult[Raw]]:
    """Take the decider's last action back. Raises NothingToUndo, NotYourTurn, SeatPlayedByBot."""
    return await change_game(context, "undo", request, _undo)


async def _undo(
    context: Context, stored: StoredGame, principal: Principal, request: CommandRequest[SeatCommand]
) -> list[StoredDiff]:
    """Put the game as it was before the last action in the stored's place."""
    index, game = open_game(context.tilesets, stored)
    charge = request.charge
    seat = resolve_seat(stored.access, principal, request.body.seat, game.decider)
    check_turn(game, seat)
    if not game.undoable or game.version > MAX_VERSIONS or is_overdue(game, int(context.clock())):
        raise NothingToUndo(seat)
    async with nullcontext() if charge is None else charge.replay_slot():
        log = await read_log(context.store, game.id, game.version)
        point = await asyncio.to_thread(compute_undo_point, index, game, log)
    if point is None:
        raise NothingToUndo(seat)
    stored.game = restore(game, point)
    events: list[AnyEvent] = [MoveUndone(seat=seat, move=point.move)]
    before = build_view(index, game)
    return [record_change(index, stored.game, events, context.now(), seat=seat, by=principal.actor, before=before)]


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


async def resign_seat(context: Context, request: CommandRequest[SeatCommand]) -> ReplayableResult[ActionResult[Raw]]:
    """Resign for good, on turn or not. Raises SeatResigned for a second time, Malformed."""
    return await change_game(context, "resign", request, partial(_change_seat, resign))


async def return_to_seat(context: Context, request: CommandRequest[SeatCommand]) -> ReplayableResult[ActionResult[Raw]]:
    """Take a seat back from the bot that plays it. Raises SeatNotPlayedByBot, SeatResigned, Malformed."""
    return await change_game(context, "return", request, partial(_change_seat, _return))


async def _change_seat(
    change: Callable[[TileSetIndex, Game, int], list[AnyEvent]],
    context: Context,
    stored: StoredGame,
    principal: Principal,
    request: CommandRequest[SeatCommand],
) -> list[StoredDiff]:
    """Make a change of a seat that has not resigned, and return its diff."""
    index, game = open_game(context.tilesets, stored)
    seat = resolve_seat(stored.access, principal, request.body.seat, None)
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

    async def attempt(stored: StoredGame, _owner: Principal) -> tuple[GameView, str] | None:
        index, game = open_game(context.tilesets, stored)
        if game.status == "finished":
            raise GameNotActive(game.status)
        check_if_match(stored.revision, if_match)
        if game.status != "aborted":
            diffs = [record_change(index, game, mark_aborted(game), context.now())]
            if not await repository.commit(context, stored, diffs):
                return None
        return build_view(index, game), game.digest

    return await execute(context, game_id, token, authorize, attempt)
