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
from service import engine
from service.games import errors
from service.games.access import AccessRecord, Principal, authorize_owner, resolve_seat
from service.games.commands.execute import Attempt, Command, CommandRequest, GameRequest, respond_with_game
from service.games.diffs import record_change
from service.games.history import InvalidLog, Replay, UndoPoint, restore
from service.games.idempotency import ReplayableResult
from service.games.legal_moves import list_legal_moves, next_decision
from service.games.lifecycle import is_overdue, may_return, reveals_hidden, take_seat_back
from service.games.ports import StoredDiff, UnreadableGame
from service.games.repository import Context, read_log
from service.i18n.events import decode_change
from service.json_patch import apply_patch
from service.telemetry.metrics import ACTIONS

ACTION_TYPES: dict[str, tuple[type[Action], dict[str, bool]]] = {
    str(kind.__struct_config__.tag): (kind, {field.name: field.required for field in msgspec.structs.fields(kind)})
    for kind in get_args(Action)
}
"""For each type of action, its class, its fields, and whether each is required."""

_ACTIONS = {actor: ACTIONS.labels(actor) for actor in ("owner", "seat")}


Result = ReplayableResult[ActionResult[Raw]]


async def act(context: Context, request: CommandRequest[Act]) -> Result:
    """Apply one or more actions, all or none, and let bots answer."""
    apply = partial(_act, parse_actions(request.body))
    return await Command("/v1/games/{0.id}/actions", apply, _respond, in_play=True).run(context, request)


async def _respond(attempt: Attempt[CommandRequest[Any]]) -> ActionResult[Raw]:
    """Return the response to a change; the diffs of an earlier one are in the log, its legal moves the current ones."""
    index, game, request = attempt.index, attempt.stored.game, attempt.request
    diffs, version, number = attempt.diffs, attempt.version, attempt.detail or 0
    diffs = diffs or await attempt.context.store.load_diffs(game.id, version - number, number)
    if not diffs or diffs[-1].version != version:
        raise UnreadableGame(f"its log does not hold version {version}")
    return ActionResult(
        version=version,
        digest=diffs[-1].digest.hex(),
        diffs=[Raw(diff.data) for diff in diffs],
        game=engine.build_view(index, game) if request.prefers_game else None,
        next=next_decision(game),
        legal_moves=None if request.query.include is None else list_legal_moves(index, game, language=request.language),
    )


async def _act(actions: Sequence[Action], attempt: Attempt[CommandRequest[Act]]) -> list[StoredDiff]:
    """Apply the actions, each as its own version; the first that is rejected rejects them all.

    In a list, a pass that the engine made by itself is skipped.
    """
    context, stored, principal, body = attempt.context, attempt.stored, attempt.principal, attempt.request.body
    index, game = attempt.index, stored.game
    diffs: list[StoredDiff] = []
    skippable: set[PassPhase] = set()
    is_revealed = False
    for position, action in enumerate(actions):
        if skippable and isinstance(action, Pass) and action.phase in skippable and action.phase != game.phase:
            continue
        if is_revealed:
            raise errors.ListTooLong(position)
        place = None if body.actions is None else position
        seat = resolve_seat(stored.access, principal, body.seat, game.decider, place)
        check_turn(game, seat, place)
        try:
            applied, events = engine.apply_action(index, game, action)
        except engine.IllegalMove as refusal:
            raise errors.MoveRejected(refusal.rule, refusal.reason, place) from refusal
        at, move = context.now(), engine.move_id(applied)
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
    action = engine.parse_move_id(body.move or "")
    if action is None:
        raise errors.Malformed(f"{body.move} is no move id, as `legal-moves` lists them", "$.move")
    return [action]


def parse_action(given: ActionRequest, path: str) -> Action:
    """Return an action of its type's class. Raises Malformed for a missing or an unexpected field."""
    kind, fields = ACTION_TYPES[given.type]
    values: dict[str, Any] = {}
    for name in ("x", "y", "rotation", "segment", "ship", "wares", "phase"):
        value = getattr(given, name)
        if value is None:
            if fields.get(name):
                raise errors.Malformed(f"{given.type} needs `{name}`", f"{path}.{name}")
        elif name not in fields:
            raise errors.Malformed(f"`{name}` is no field of {given.type}", f"{path}.{name}")
        else:
            values[name] = value
    if given.wares is not None:
        values["wares"] = Wares(**{ware: count or 0 for ware, count in msgspec.structs.asdict(given.wares).items()})
    return kind(**values)


def check_turn(game: engine.Game, seat: int, index: int | None = None) -> None:
    """Raise SeatResigned, SeatPlayedByBot where a bot decides for the player, NotYourTurn unless it decides now."""
    if game.players[seat].resigned:
        raise errors.SeatResigned(seat, index)
    if game.players[seat].bot is not None:
        raise errors.SeatPlayedByBot(seat, index)
    if seat != game.decider:
        raise errors.NotYourTurn(seat, game.decider, index)


def passed_by_engine(game: engine.Game, action: Action, events: Sequence[AnyEvent]) -> set[PassPhase]:
    """Return the phases that the engine passed by itself after an action: there was nothing else to do."""
    passed: set[PassPhase] = set()
    over = game.status != "active" or any(isinstance(event, TileDrawn) for event in events)
    if isinstance(action, PlaceTile) and (over or game.phase != "islander"):
        passed.add("islander")
    if over and not isinstance(action, Deliver) and action != Pass("deliver"):
        passed.add("deliver")
    return passed


MAX_VERSIONS = 1000
"""A whole game has a few hundred; this bounds the cost of a replay for a player who acts and undoes for ever."""


async def _undo(attempt: Attempt[CommandRequest[SeatCommand]]) -> list[StoredDiff]:
    """Put the game as it was before the decider's last action in the stored's place.

    Raises NothingToUndo, NotYourTurn, SeatPlayedByBot.
    """
    context, stored, principal, request = attempt.context, attempt.stored, attempt.principal, attempt.request
    index, game, charge = attempt.index, stored.game, request.charge
    seat = resolve_seat(stored.access, principal, request.body.seat, game.decider)
    check_turn(game, seat)
    if not game.undoable or game.version > MAX_VERSIONS or is_overdue(game, int(context.clock())):
        raise errors.NothingToUndo(seat)
    async with nullcontext() if charge is None else charge.replay_slot():
        log = await read_log(context.store, game.id, game.version)
        point = await asyncio.to_thread(compute_undo_point, index, game, log)
    if point is None:
        raise errors.NothingToUndo(seat)
    stored.game = restore(game, point)
    events: list[AnyEvent] = [MoveUndone(seat=seat, move=point.move)]
    before = engine.build_view(index, game)
    return [record_change(index, stored.game, events, context.now(), seat=seat, by=principal.actor, before=before)]


undo = Command("/v1/games/{0.id}/undo", _undo, _respond, in_play=True).run


def compute_undo_point(index: engine.TileSetIndex, game: engine.Game, log: list[StoredDiff]) -> UndoPoint | None:
    """Return the state before the last action, None where the log does not end in this game."""
    if not log:
        return None
    try:
        patch = msgspec.json.decode(log[0].data)["patch"]
        first = msgspec.convert(apply_patch({}, patch), GameView)
        replay = Replay(index, first, game.seed, game.first_seat, game.creator)
        replay.game.schema_version = game.schema_version
        for diff in log[1:]:
            replay.step(decode_change(diff.data))
        replay.game.digest = log[-1].digest
    except (InvalidLog, msgspec.DecodeError, AttributeError, LookupError, TypeError, ValueError):
        return None
    is_same = engine.encode_snapshot(replay.game) == engine.encode_snapshot(game)
    return replay.undo_points[-1] if replay.undo_points and is_same else None


async def _resign(attempt: Attempt[CommandRequest[SeatCommand]]) -> list[StoredDiff]:
    """Resign for good, on turn or not. Raises SeatResigned for a second time, Malformed."""
    seat = _resolve_seat_in_play(attempt)
    return _record(attempt, seat, engine.resign(attempt.index, attempt.stored.game, seat))


async def _return(attempt: Attempt[CommandRequest[SeatCommand]]) -> list[StoredDiff]:
    """Take a seat back from the bot that plays it, or resume a paused game.

    Raises SeatNotPlayedByBot, SeatResigned, Malformed.
    """
    game, seat = attempt.stored.game, _resolve_seat_in_play(attempt)
    if not may_return(game, seat):
        raise errors.SeatNotPlayedByBot(seat)
    return _record(attempt, seat, take_seat_back(game, seat))


resign_seat = Command("/v1/games/{0.id}/resign", _resign, _respond, in_play=True).run
return_to_seat = Command("/v1/games/{0.id}/return", _return, _respond, in_play=True).run


def _resolve_seat_in_play(attempt: Attempt[CommandRequest[SeatCommand]]) -> int:
    """Return the seat that a request is about. Raises SeatResigned, WrongSeat, Malformed."""
    stored = attempt.stored
    seat = resolve_seat(stored.access, attempt.principal, attempt.request.body.seat, None)
    if stored.game.players[seat].resigned:
        raise errors.SeatResigned(seat)
    return seat


def _record(attempt: Attempt[Any], seat: int, events: list[AnyEvent]) -> list[StoredDiff]:
    game, at = attempt.stored.game, attempt.context.now()
    return [record_change(attempt.index, game, events, at, seat=seat, by=attempt.principal.actor)]


async def abort_game(
    context: Context,
    request: GameRequest,
    authorize: Callable[[AccessRecord, str, str | None], Principal] = authorize_owner,
) -> tuple[GameView, str]:
    """Abort a game for its owner, once or again, and return GAME and its digest.

    Raises GameNotActive when it is finished, VersionMismatch, and what `authorize` does.
    """
    command = Command("/v1/games/{0.id}", _abort, respond_with_game, authorize, _check_is_unfinished)
    return (await command.run(context, request)).response


def _check_is_unfinished(attempt: Attempt[GameRequest]) -> None:
    if attempt.stored.game.status == "finished":
        raise errors.GameNotActive("finished")


async def _abort(attempt: Attempt[GameRequest]) -> list[StoredDiff] | None:
    game = attempt.stored.game
    if game.status == "aborted":
        return None
    return [record_change(attempt.index, game, engine.mark_aborted(game), attempt.context.now())]
