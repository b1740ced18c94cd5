"""Random valid tile sets with unusual tiles, so that rare rules apply often."""

from itertools import pairwise
from random import Random

from tests.reference.pieces import EDGES, Json
from tests.reference.tileset_builder import bridge, check_tile, island, market, sea, ship, tileset

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
