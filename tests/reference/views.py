"""Views: the rule parts of GAME, and the scores (R8.2 to R8.4)."""

from tests.reference.board import WARE_OF, WARES, Json, Placed, Spot, State, Turn
from tests.reference.evaluation import ware_points, wares_of, winning_seats
from tests.reference.moves import best_ships

ROLES = {"bridge": "shell_collector", "island": "banana_picker", "sea": "fisherman", "market": "merchant"}


def game_view(state: State) -> Json:
    """Return the rule parts of the API's GAME."""
    return {
        "status": "active" if state.result is None else "finished",
        "players": [
            {
                "seat": seat,
                "supply": player.supply,
                "wares": dict(player.wares),
                "ships": list(player.ships),
                "points": state.ship_points(seat),
            }
            for seat, player in enumerate(state.players)
        ],
        "turn": None if state.turn is None else turn_view(state.turn),
        "board": {f"{x},{y}": placed_view(placed) for (x, y), placed in state.board.placed.items()},
        "display": list(state.display),
        "ship_pile": len(state.pile),
        "bag": len(state.bag),
        "discarded": list(state.discarded),
        "result": state.result,
    }


def turn_view(turn: Turn) -> Json:
    """Return the turn without its deadline and undo count, which the rules do not define."""
    return {
        "number": turn.number,
        "seat": turn.seat,
        "phase": turn.phase,
        "decider": turn.decider,
        "tile": turn.tile,
        "placed": None if turn.placed is None else {"x": turn.placed[0], "y": turn.placed[1]},
    }


def placed_view(placed: Placed) -> Json:
    """Return one cell of the board."""
    return {
        "tile": placed.tile.id,
        "rotation": placed.rotation,
        "order": placed.order,
        "islanders": [{"segment": segment, "seat": seat} for segment, seat in sorted(placed.islanders.items())],
        "covered": [{"segment": segment, "group": group} for segment, group in sorted(placed.covered)],
    }


def scores_view(state: State) -> Json:
    """Return points now and if the game ended now (R8.3), and each islander's value (R8.4)."""
    islanders = sorted(state.board.islanders(), key=lambda one: (one[1], one[0].y, one[0].x, one[0].segment))
    return {
        "players": [player_scores(state, seat) for seat in range(len(state.players))],
        "islanders": [islander_value(state, spot, seat) for spot, seat in islanders],
    }


def player_scores(state: State, seat: int) -> Json:
    """Return a player's points, now and after an evaluation of all occupied features by R7.2."""
    pending = dict.fromkeys(WARES, 0)
    for feature in state.board.occupied():
        if feature.kind != "market" and seat in winning_seats(state.board, feature):
            for ware, count in wares_of(state.board, feature).items():
                pending[ware] += count
    wares_now = state.players[seat].wares
    ships = state.ship_points(seat)
    wares = ware_points({ware: wares_now[ware] + pending[ware] for ware in WARES})
    return {
        "seat": seat,
        "points_now": ships,
        "if_ended_now": {"ships": ships, "wares": wares, "total": ships + wares, "pending": pending},
    }


def islander_value(state: State, spot: Spot, seat: int) -> Json:
    """Return what its owner would gain from the islander's feature now (R8.4)."""
    feature = state.board.feature(spot)
    kind = feature.kind
    if kind == "market":
        unit, majority = "points", True
        value = max((state.ships[ship].points for ship in best_ships(state)), default=0)
    else:
        unit, majority = WARE_OF[kind], seat in winning_seats(state.board, feature)
        value = wares_of(state.board, feature)[unit] if majority else 0
    return {
        "seat": seat,
        **spot._asdict(),
        "kind": kind,
        "role": ROLES[kind],
        "value": value,
        "unit": unit,
        "majority": majority,
    }
