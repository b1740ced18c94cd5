"""Random valid tile sets with unusual tiles, so that rare rules apply often."""

from __future__ import annotations

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
"""What the edges of a set's tiles are drawn from."""

Parts = list[list[int]]
"""Which bridge and island edges are joined inside the tile, as lists of edge numbers."""


def random_tileset(seed: int, *, types: int = 12, copies: int = 3) -> Json:
    """Return a valid tile set of `types` tile types with 1 to `copies` of each, which the same seed gives again.

    The last two types have four edges of one kind, which in some sets fit nowhere (R3.5).
    """
    chance = Random(seed)
    ships = chance.choice((1, 3, 5, 9, 24))
    palette = chance.choice(PALETTES)
    stranger = chance.choice(("sea", "bridge", "island"))
    tiles = [
        random_tile(chance, f"t{number}", chance.randint(1, copies), (stranger,) if number >= types - 2 else palette)
        for number in range(types)
    ]
    created = tileset("t0", tiles, [random_ship(chance, f"s{number:02}") for number in range(ships)])
    return created | {"id": f"random-{seed}"}


def random_tile(chance: Random, name: str, count: int, palette: tuple[str, ...] = PALETTES[0]) -> Json:
    """Return a tile whose land is joined without crossing and whose seas are what the land leaves."""
    kinds = [chance.choice(palette) for _ in EDGES]
    parts = _join_edges(chance, [edge for edge in range(4) if kinds[edge] != "sea"])
    segments = [segment for part in parts for segment in _land(chance, kinds, part)]
    if chance.random() < 0.15:
        segments.append(chance.choice((market(), island("", chance.randint(0, 2)))))
    segments = _with_one_market(segments)
    segments += _seas(chance, kinds, parts)
    chance.shuffle(segments)
    created = {"id": name, "count": count, "edges": dict(zip(EDGES, kinds, strict=True)), "segments": segments}
    check_tile(created)
    return created


def _join_edges(chance: Random, edges: list[int]) -> Parts:
    """Split the edges into parts of which none crosses another: of four edges only n-s with e-w would."""
    parts: Parts = []
    for edge in edges:
        joined = chance.randrange(len(parts) + 1)
        if joined < len(parts):
            parts[joined].append(edge)
        else:
            parts.append([edge])
    return [[*range(4)]] if sorted(parts) == [[0, 2], [1, 3]] else parts


def _land(chance: Random, kinds: list[str], part: list[int]) -> list[Json]:
    """Return the land of one part: one island for its island edges, bridges that end there, or a bridge through."""
    bridges = [EDGES[edge] for edge in part if kinds[edge] == "bridge"]
    islands = "".join(EDGES[edge] for edge in part if kinds[edge] == "island")
    if len(part) == len(bridges) == 2 and chance.random() < 0.6:
        return [bridge("".join(bridges), chance.randint(0, 2))]
    land = [bridge(edge, chance.randint(0, 2)) for edge in bridges]
    if islands:
        land.append(island(islands, chance.randint(0, 3)))
    elif len(part) == 1 or chance.random() < 0.3:
        land.append(chance.choice((market(), island("", chance.randint(0, 2)))))
    return land


def _with_one_market(segments: list[Json]) -> list[Json]:
    """Make islets of all markets but the first: a tile has at most one."""
    markets = [number for number, segment in enumerate(segments) if segment == market()]
    return [island("", 1) if number in markets[1:] else segment for number, segment in enumerate(segments)]


def _seas(chance: Random, kinds: list[str], parts: Parts) -> list[Json]:
    """Return the seas: stretches of shore between two land edges, joined where no land lies between them."""
    seas: Parts = []
    shores = _shores(kinds)
    places: list[list[float]] = []
    for place, shore in shores:
        for number, there in enumerate(places):
            if not any(_divides(part, place, there[0]) for part in parts):
                seas[number] += shore
                there.append(place)
                break
        else:
            seas.append(list(shore))
            places.append([place])
    wet = [halves for halves in seas if halves] or [[]]
    boat = chance.randrange(len(wet)) if chance.random() < 0.35 else None
    return [
        sea(sorted(halves), [chance.randint(1, 2) for _ in range(chance.choice((0, 1, 1, 2)))], boat=number == boat)
        for number, halves in enumerate(wet)
    ]


def _shores(kinds: list[str]) -> list[tuple[float, list[int]]]:
    """List the stretches of halves between neighbouring land edges, each with a place between those edges."""
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
    """Say whether land of this part reaches the shore on both ways from one place to the other."""
    low, high = sorted((one, other))
    between = [low < edge < high for edge in part]
    return any(between) and not all(between)


def random_ship(chance: Random, name: str) -> Json:
    """Return a ship whose cost has up to three parts (R6.3)."""
    named = {ware: chance.choice((0, 0, 1, 2)) for ware in ("bananas", "shells", "fish")}
    any_ware = chance.choice((0, 0, 2, 4))
    same = chance.choice(((), (), (2,), (3, 1), (2, 2), (1, 1, 1)))
    if not any_ware and not same and not sum(named.values()):
        any_ware = 3
    return ship(name, chance.randint(2, 6), any_ware=any_ware, same=same, **named)
