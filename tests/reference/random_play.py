"""Random games on the reference: set-up, choice of actions, and invariants."""

from collections import Counter
from random import Random

from tests.reference.game import ReferenceGame
from tests.reference.pieces import Json
from tests.reference.state import ISLANDERS


def deal(tileset: Json, rng: Random) -> tuple[list[str], list[str]]:
    """Return a shuffled bag (one start tile less, R1.2) and shuffled ships (R1.3)."""
    bag = [tile["id"] for tile in tileset["tiles"] for _ in range(tile["count"])]
    bag.remove(tileset["start"])
    ships = [ship["id"] for ship in tileset["ships"]]
    rng.shuffle(bag)
    rng.shuffle(ships)
    return bag, ships


def choose(game: ReferenceGame, rng: Random) -> Json:
    """Choose a legal action: each type equally often, and tiles often where they complete features."""
    by_type: dict[str, list[Json]] = {}
    for action in game.legal_actions():
        by_type.setdefault(action["type"], []).append(action)
    actions = rng.choice([*by_type.values()])
    if actions[0]["type"] == "place_tile" and rng.random() < 0.75:
        board = game.view()["board"]
        highest = max(_tiles_around(board, action) for action in actions)
        actions = [action for action in actions if _tiles_around(board, action) == highest]
    return rng.choice(actions)


def _tiles_around(board: Json, action: Json) -> int:
    around = ((action["x"] + dx, action["y"] + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
    return sum(f"{x},{y}" in board for x, y in around)


def keys(event: Json) -> list[str]:
    """Return the keys that an event is counted by: its type, and its type with the details that make it rare."""
    match event["type"]:
        case "feature_evaluated":
            return [event["type"], f"feature_evaluated:{event['kind']}:{event['cause']}"]
        case "ship_taken":
            return [event["type"], f"ship_taken:{event['by']}"]
        case "game_finished":
            return [event["type"], f"game_finished:{event['reason']}"]
        case kind:
            return [kind]


def check_invariants(tileset: Json, game: ReferenceGame) -> None:
    """Raise `AssertionError` if a piece is missing or duplicated, or a completed feature is still occupied."""
    check_pieces(tileset, game)
    check_nothing_overlooked(game)


def check_pieces(tileset: Json, game: ReferenceGame) -> None:
    """Raise `AssertionError` unless every tile, ship and islander is in exactly one place."""
    view = game.view()
    in_hand = 1 if view["turn"] is not None and view["turn"]["placed"] is None else 0
    tiles = view["bag"] + in_hand + len(view["board"]) + len(view["discarded"])
    assert tiles == sum(tile["count"] for tile in tileset["tiles"])
    won = [ship for player in view["players"] for ship in player["ships"]]
    assert len({*won, *view["display"]}) == len(won) + len(view["display"])
    assert len(won) + len(view["display"]) + view["ship_pile"] == len(tileset["ships"])
    assert len(view["display"]) == min(4, len(view["display"]) + view["ship_pile"])
    on_board = Counter(one["seat"] for placed in view["board"].values() for one in placed["islanders"])
    for player in view["players"]:
        assert player["supply"] + on_board[player["seat"]] == ISLANDERS
        assert min(player["wares"].values()) >= 0


def check_nothing_overlooked(game: ReferenceGame) -> None:
    """Raise `AssertionError` if, after the evaluation, a complete feature anywhere is occupied (R5.5, R5.9, R5.10)."""
    turn = game.view()["turn"]
    if turn is None or turn["phase"] != "islander":
        board = game.state.board
        assert not [feature for feature in board.occupied() if board.is_complete(feature)]
