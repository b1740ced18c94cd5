"""Acting, and aborting. Source: api.md, "Acting". Checks: shape, token, answered key, active, If-Match, seat, rule."""

from collections.abc import Callable, Sequence

from schemas.acting import Act
from schemas.actions import (
    Action,
    ActionRequest,
    Deliver,
    Pass,
    PlaceIslander,
    PlaceTile,
    RetrieveIslander,
    TakeShip,
)
from schemas.events import AnyEvent, TileDrawn
from schemas.vocabulary import PassPhase, Wares
from service.engine import Game, IllegalMove, apply_action, move_id, parse_move_id
from service.games.access import Principal, resolve_seat
from service.games.cache import GameSession
from service.games.commands.execute import (
    CommandRequest,
    CommandResult,
    actor_role,
    execute,
)
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import ListTooLong, Malformed, MoveRejected, NotYourTurn, SeatPlayedByBot
from service.games.lifecycle import is_played_by_bot, reveals_hidden
from service.games.ports import StoredDiff
from service.telemetry import tracing
from service.telemetry.metrics import ACTIONS

ACTION_FIELDS: dict[str, tuple[set[str], set[str]]] = {
    "place_tile": ({"x", "y", "rotation"}, set()),
    "place_islander": ({"segment"}, set()),
    "retrieve_islander": ({"x", "y", "segment"}, set()),
    "take_ship": ({"ship"}, set()),
    "deliver": ({"ship"}, {"wares"}),
    "pass": (set(), {"phase"}),
}
"""For each type of action the fields that it needs, and those that it may have."""

_ACTIONS = {by: ACTIONS.labels(by) for by in ("owner", "seat")}


async def act(context: Context, game_id: str, asked: CommandRequest[Act]) -> CommandResult:
    """Do what is asked, all or none, and let bots answer."""
    actions = parse_actions(asked.body)

    async def make(table: GameSession, reader: Principal) -> list[StoredDiff]:
        diffs = _apply_all(context, table, reader, actions, asked.body)
        _ACTIONS[actor_role(reader)].inc(len(diffs))
        return diffs

    return await execute(context, game_id, "actions", asked, make)


def parse_actions(asked: Act) -> list[Action]:
    """The actions of a request, in full shape; raises Malformed, which names the field."""
    if asked.actions is not None:
        return [parse_action(action, f"$.actions[{index}]") for index, action in enumerate(asked.actions)]
    if asked.action is not None:
        return [parse_action(asked.action, "$.action")]
    action = parse_move_id(asked.move or "")
    if action is None:
        raise Malformed(f"{asked.move} is the id of no move", "$.move")
    return [action]


def parse_action(asked: ActionRequest, path: str) -> Action:
    """One action of optional fields as the one that its type says; raises Malformed for a field too few or too many."""
    needed, possible = ACTION_FIELDS[asked.type]
    for name in ("x", "y", "rotation", "segment", "ship", "wares", "phase"):
        given = getattr(asked, name) is not None
        if given and name not in needed | possible:
            raise Malformed(f"`{name}` is no field of {asked.type}", f"{path}.{name}")
        if not given and name in needed:
            raise Malformed(f"{asked.type} needs `{name}`", f"{path}.{name}")
    return _BUILDERS[asked.type](asked)


def _retrieve(asked: ActionRequest) -> Action:
    return RetrieveIslander(asked.x or 0, asked.y or 0, asked.segment or 0)


def _deliver(asked: ActionRequest) -> Action:
    wares = asked.wares
    return Deliver(
        asked.ship or "",
        None if wares is None else Wares(bananas=wares.bananas, shells=wares.shells, fish=wares.fish),
    )


_BUILDERS: dict[str, Callable[[ActionRequest], Action]] = {
    "place_tile": lambda asked: PlaceTile(asked.x or 0, asked.y or 0, asked.rotation or 0),
    "place_islander": lambda asked: PlaceIslander(asked.segment or 0),
    "retrieve_islander": _retrieve,
    "take_ship": lambda asked: TakeShip(asked.ship or ""),
    "deliver": _deliver,
    "pass": lambda asked: Pass(asked.phase),
}


def check_turn(game: Game, seat: int, index: int | None = None) -> None:
    """Raise NotYourTurn unless a seat decides now, Replaced where a bot does so for it."""
    if seat != game.decider:
        raise NotYourTurn(seat, game.decider, index)
    if is_played_by_bot(game, seat):
        raise SeatPlayedByBot(seat, index)


def _apply_one(
    context: Context,
    table: GameSession,
    reader: Principal,
    action: Action,
    action_index: int | None,
    asked: Act,
) -> tuple[Action, list[AnyEvent], StoredDiff]:
    """One action: the seat, then the rules; gives it in full, what happened, and its diff."""
    game, index = table.game, table.tileset.index
    seat = resolve_seat(table.access, reader, asked.seat, game.decider, action_index)
    check_turn(game, seat, action_index)
    try:
        with tracing.span("apply"):
            done, events = apply_action(index, game, action)
    except IllegalMove as refusal:
        raise MoveRejected(refusal.rule, refusal.reason, action_index) from refusal
    with tracing.span("record"):
        diff = record_change(
            index, game, events, at=context.now(), seat=seat, move=move_id(done), by=actor_role(reader)
        )
    return done, events, diff


def _apply_all(
    context: Context, table: GameSession, reader: Principal, actions: Sequence[Action], asked: Act
) -> list[StoredDiff]:
    """All actions of a request, each its own version; the first that is refused refuses them all."""
    if asked.actions is None:
        return [_apply_one(context, table, reader, actions[0], None, asked)[2]]
    diffs: list[StoredDiff] = []
    skippable: set[PassPhase] = set()
    revealed = False
    for index, action in enumerate(actions):
        if isinstance(action, Pass) and action.phase in skippable and action.phase != table.game.phase:
            continue
        if revealed:
            raise ListTooLong(index)
        done, events, diff = _apply_one(context, table, reader, action, index, asked)
        diffs.append(diff)
        revealed = reveals_hidden(events)
        skippable |= passed_by_engine(table.game, done, events)
    return diffs


def passed_by_engine(game: Game, action: Action, events: Sequence[AnyEvent]) -> set[PassPhase]:
    """The phases that the engine passed by itself after an action, because there was nothing else to do."""
    passed: set[PassPhase] = set()
    over = game.status != "active" or any(isinstance(event, TileDrawn) for event in events)
    if isinstance(action, PlaceTile) and (over or game.phase != "islander"):
        passed.add("islander")
    if over and not isinstance(action, Deliver | Pass):
        passed.add("deliver")
    if over and isinstance(action, Pass) and action.phase == "islander":
        passed.add("deliver")
    return passed
