"""Acting: one action, a move by its id, or a list of actions."""

from collections.abc import Sequence
from functools import partial
from typing import Any, get_args

import msgspec
from msgspec import Raw

from schemas.actions import Action, ActionRequest, Deliver, Pass, PlaceTile
from schemas.commands import Act, ActionResult
from schemas.events import AnyEvent, TileDrawn
from schemas.vocabulary import PassPhase, Wares
from service.engine import Game, IllegalMove, apply_action, move_id, parse_move_id
from service.games.access import Principal, resolve_seat
from service.games.commands.execute import CommandRequest, change_game
from service.games.context import Context, GameSession
from service.games.diffs import record_change
from service.games.errors import ListTooLong, Malformed, MoveRejected, NotYourTurn, SeatPlayedByBot, SeatResigned
from service.games.idempotency import ReplayableResult
from service.games.lifecycle import reveals_hidden
from service.games.ports.game_store import StoredDiff
from service.telemetry import tracing
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
    session: GameSession,
    principal: Principal,
    request: CommandRequest[Act],
) -> list[StoredDiff]:
    """Apply the actions, each as its own version; the first that is rejected rejects them all.

    In a list, a pass that the engine made by itself is skipped.
    """
    game, index, body = session.game, session.tileset.index, request.body
    diffs: list[StoredDiff] = []
    skippable: set[PassPhase] = set()
    is_revealed = False
    for position, action in enumerate(actions):
        if skippable and isinstance(action, Pass) and action.phase in skippable and action.phase != game.phase:
            continue
        if is_revealed:
            raise ListTooLong(position)
        place = None if body.actions is None else position
        seat = resolve_seat(session.access, principal, body.seat, game.decider, place)
        check_turn(game, seat, place)
        try:
            with tracing.span("apply"):
                applied, events = apply_action(index, game, action)
        except IllegalMove as refusal:
            raise MoveRejected(refusal.rule, refusal.reason, place) from refusal
        with tracing.span("record"):
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
