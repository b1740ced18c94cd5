"""Random games on the reference: set-up, choice of actions, and invariants.

Random valid tile sets with unusual tiles, so that rare rules apply often.

Parts of small tile sets in the API's format.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from random import Random

from tests.reference.board import EDGES, ISLANDERS, Json
from tests.reference.game import ReferenceGame


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


def bridge(edges: str = "", shells: int = 0) -> Json:
    """Return a bridge segment; `edges` such as "ns", empty for a bridge inside the tile."""
    return {"kind": "bridge", "edges": list(edges), "shells": shells}


def island(edges: str = "", bananas: int = 0) -> Json:
    """Return an island segment."""
    return {"kind": "island", "edges": list(edges), "bananas": bananas}


def sea(halves: Iterable[int], fish: Iterable[int] = (), *, boat: bool = False) -> Json:
    """Return a sea segment with its fish groups."""
    return {"kind": "sea", "halves": list(halves), "fish": list(fish), "boat": boat}


def market() -> Json:
    """Return a market segment."""
    return {"kind": "market"}


def ship(name: str, points: int, *, any_ware: int = 0, same: Sequence[int] = (), **named: int) -> Json:
    """Return a ship; `named` holds bananas, shells and fish."""
    wares = {"bananas": 0, "shells": 0, "fish": 0} | named
    return {"id": name, "points": points, "cost": {**wares, "any": any_ware, "same": list(same)}}


def tileset(start: str, tiles: Sequence[Json], ships: Sequence[Json]) -> Json:
    """Return a tile set."""
    return {
        "id": "small",
        "name": "A small set",
        "provenance": "made up for a test",
        "start": start,
        "tiles": list(tiles),
        "ships": list(ships),
    }


def check_tile(tile: Json) -> None:
    """Raise `AssertionError` if edges and segments disagree, or a half is not covered exactly once."""
    halves: list[int] = []
    for number, edge in enumerate(EDGES):
        kind = tile["edges"][edge]
        if kind != "island":
            halves += [2 * number, 2 * number + 1]
        reaching = [segment["kind"] for segment in tile["segments"] if edge in segment.get("edges", ())]
        assert reaching == ([] if kind == "sea" else [kind]), (tile["id"], edge)
        if kind == "sea":
            both = [{2 * number, 2 * number + 1} & set(segment.get("halves", ())) for segment in tile["segments"]]
            assert {len(shared) for shared in both} <= {0, 2}, (tile["id"], edge)
    covered = sorted(half for segment in tile["segments"] for half in segment.get("halves", ()))
    assert covered == halves, (tile["id"], covered)
    assert all(len(segment["edges"]) <= 2 for segment in tile["segments"] if segment["kind"] == "bridge"), tile["id"]


PALETTES = (
    ("sea", "sea", "bridge", "bridge", "island"),
    ("sea", "sea", "sea", "bridge", "bridge", "bridge", "island"),
    ("sea", "island"),
    ("sea", "bridge"),
    ("sea", "sea", "sea", "sea", "sea", "sea", "bridge", "island"),
)
"""The kinds from which the edges of a set's tiles are drawn."""

Parts = list[list[int]]
"""Which bridge and island edges are joined inside the tile, as lists of edge numbers."""


def random_tileset(seed: int, *, types: int = 12, copies: int = 3) -> Json:
    """Return a valid tile set of `types` tile types with 1 to `copies` of each, which the seed determines.

    The last two types have four edges of one kind, which in some sets fit nowhere (R3.5).
    """
    rng = Random(seed)
    ships = rng.choice((1, 3, 5, 9, 24))
    palette = rng.choice(PALETTES)
    last_kind = rng.choice(("sea", "bridge", "island"))
    tiles = [
        random_tile(rng, f"t{number}", rng.randint(1, copies), (last_kind,) if number >= types - 2 else palette)
        for number in range(types)
    ]
    built = tileset("t0", tiles, [random_ship(rng, f"s{number:02}") for number in range(ships)])
    return built | {"id": f"random-{seed}"}


def random_tile(rng: Random, name: str, count: int, palette: tuple[str, ...] = PALETTES[0]) -> Json:
    """Return a tile whose land segments do not cross, and whose seas fill the remaining edges."""
    kinds = [rng.choice(palette) for _ in EDGES]
    parts = _join_edges(rng, [edge for edge in range(4) if kinds[edge] != "sea"])
    segments = [segment for part in parts for segment in _land(rng, kinds, part)]
    if rng.random() < 0.15:
        segments.append(rng.choice((market(), island("", rng.randint(0, 2)))))
    segments = _with_one_market(segments)
    segments += _seas(rng, kinds, parts)
    rng.shuffle(segments)
    built = {"id": name, "count": count, "edges": dict(zip(EDGES, kinds, strict=True)), "segments": segments}
    check_tile(built)
    return built


def _join_edges(rng: Random, edges: list[int]) -> Parts:
    """Split the edges into parts of which none crosses another: of four edges only n-s with e-w would."""
    parts: Parts = []
    for edge in edges:
        joined = rng.randrange(len(parts) + 1)
        if joined < len(parts):
            parts[joined].append(edge)
        else:
            parts.append([edge])
    return [[*range(4)]] if sorted(parts) == [[0, 2], [1, 3]] else parts


def _land(rng: Random, kinds: list[str], part: list[int]) -> list[Json]:
    """Return the land of one part: one island for its island edges, bridges that end there, or a bridge through."""
    bridges = [EDGES[edge] for edge in part if kinds[edge] == "bridge"]
    islands = "".join(EDGES[edge] for edge in part if kinds[edge] == "island")
    if len(part) == len(bridges) == 2 and rng.random() < 0.6:
        return [bridge("".join(bridges), rng.randint(0, 2))]
    land = [bridge(edge, rng.randint(0, 2)) for edge in bridges]
    if islands:
        land.append(island(islands, rng.randint(0, 3)))
    elif len(part) == 1 or rng.random() < 0.3:
        land.append(rng.choice((market(), island("", rng.randint(0, 2)))))
    return land


def _with_one_market(segments: list[Json]) -> list[Json]:
    """Replace all markets but the first by islets, since a tile has at most one."""
    markets = [number for number, segment in enumerate(segments) if segment == market()]
    return [island("", 1) if number in markets[1:] else segment for number, segment in enumerate(segments)]


def _seas(rng: Random, kinds: list[str], parts: Parts) -> list[Json]:
    """Return the seas: shores between two land edges, joined if no land separates them."""
    seas: Parts = []
    sea_positions: list[float] = []
    for position, shore in _shores(kinds):
        for number, sea_position in enumerate(sea_positions):
            if not any(_divides(part, position, sea_position) for part in parts):
                seas[number] += shore
                break
        else:
            seas.append(list(shore))
            sea_positions.append(position)
    wet = [halves for halves in seas if halves] or [[]]
    boat = rng.randrange(len(wet)) if rng.random() < 0.35 else None
    return [
        sea(sorted(halves), [rng.randint(1, 2) for _ in range(rng.choice((0, 1, 1, 2)))], boat=number == boat)
        for number, halves in enumerate(wet)
    ]


def _shores(kinds: list[str]) -> list[tuple[float, list[int]]]:
    """List the halves between each two neighbouring land edges, with a position between those edges."""
    land = [edge for edge in range(4) if kinds[edge] != "sea"]
    if not land:
        return [(0, [*range(8)])]
    shores = []
    for first, last in pairwise([*land, land[0] + 4]):
        halves = [2 * first + 1, *range(2 * first + 2, 2 * last), 2 * last]
        wet = [half % 8 for half in halves if kinds[half // 2 % 4] != "island"]
        shores.append(((first + 0.5) % 4, wet))
    return shores


def _divides(part: list[int], one: float, other: float) -> bool:
    """Return whether land of this part separates two positions."""
    low, high = sorted((one, other))
    between = [low < edge < high for edge in part]
    return any(between) and not all(between)


def random_ship(rng: Random, name: str) -> Json:
    """Return a ship whose cost has up to three parts (R6.3)."""
    named = {ware: rng.choice((0, 0, 1, 2)) for ware in ("bananas", "shells", "fish")}
    any_ware = rng.choice((0, 0, 2, 4))
    same = rng.choice(((), (), (2,), (3, 1), (2, 2), (1, 1, 1)))
    if not any_ware and not same and not sum(named.values()):
        any_ware = 3
    return ship(name, rng.randint(2, 6), any_ware=any_ware, same=same, **named)
