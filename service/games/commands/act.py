"""Acting: one action, a move by its id, or a list of actions."""

from collections.abc import Sequence
from typing import Any, get_args

import msgspec

from schemas.actions import Action, ActionRequest, Deliver, Pass, PlaceTile
from schemas.commands import Act
from schemas.events import AnyEvent, TileDrawn
from schemas.vocabulary import PassPhase, Wares
from service.engine import Game, IllegalMove, apply_action, move_id, parse_move_id
from service.games.access import Principal, resolve_seat
from service.games.cache import GameSession
from service.games.change import Change
from service.games.commands.active_game import ActiveGameCommand, CommandRequest, CommandResult
from service.games.commands.execute import execute
from service.games.context import Context
from service.games.diffs.record import record_change
from service.games.errors import ListTooLong, Malformed, MoveRejected, NotYourTurn, SeatPlayedByBot, SeatResigned
from service.games.lifecycle import is_played_by_bot, reveals_hidden
from service.games.ports.game_store import StoredDiff
from service.telemetry import tracing
from service.telemetry.metrics import ACTIONS

ACTION_TYPES: dict[str, tuple[type[Action], dict[str, bool]]] = {
    str(kind.__struct_config__.tag): (kind, {field.name: field.required for field in msgspec.structs.fields(kind)})
    for kind in get_args(Action)
}
"""For each type of action, its class, its fields, and whether each is required."""

_ACTIONS = {actor: ACTIONS.labels(actor) for actor in ("owner", "seat")}


async def act(context: Context, game_id: str, request: CommandRequest[Act]) -> CommandResult:
    """Apply one or more actions, all or none, and let bots answer."""
    return await execute(ActCommand(context, game_id, request))


class ActCommand(ActiveGameCommand[Act]):
    """Actions of the decider."""

    name = "actions"

    def __init__(self, context: Context, game_id: str, request: CommandRequest[Act]) -> None:
        self.actions = parse_actions(request.body)
        super().__init__(context, game_id, request)

    async def change(self, session: GameSession, principal: Principal) -> list[StoredDiff]:
        """Apply the actions, each as its own version; the first that is rejected rejects them all."""
        if self.request.body.actions is None:
            diffs = [self._apply(session, principal, self.actions[0], None)[2]]
        else:
            diffs = self._apply_list(session, principal)
        _ACTIONS[principal.actor].inc(len(diffs))
        return diffs

    def _apply(
        self, session: GameSession, principal: Principal, action: Action, position: int | None
    ) -> tuple[Action, list[AnyEvent], StoredDiff]:
        """Check the seat, apply one action, and return it in full with its events and its diff."""
        game, index = session.game, session.tileset.index
        seat = resolve_seat(session.access, principal, self.request.body.seat, game.decider, position)
        check_turn(game, seat, position)
        try:
            with tracing.span("apply"):
                applied, events = apply_action(index, game, action)
        except IllegalMove as refusal:
            raise MoveRejected(refusal.rule, refusal.reason, position) from refusal
        with tracing.span("record"):
            at = self.context.now()
            diff = record_change(index, game, Change(events, at, seat=seat, move=move_id(applied), by=principal.actor))
        return applied, events, diff

    def _apply_list(self, session: GameSession, principal: Principal) -> list[StoredDiff]:
        """Apply a list of actions; skip a pass that the engine made by itself."""
        diffs: list[StoredDiff] = []
        skippable: set[PassPhase] = set()
        is_revealed = False
        for index, action in enumerate(self.actions):
            if isinstance(action, Pass) and action.phase in skippable and action.phase != session.game.phase:
                continue
            if is_revealed:
                raise ListTooLong(index)
            applied, events, diff = self._apply(session, principal, action, index)
            diffs.append(diff)
            is_revealed = reveals_hidden(events)
            skippable |= passed_by_engine(session.game, applied, events)
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
    if is_played_by_bot(game, seat):
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
