"""What the rulebooks say of the tiles and ships of the printed game, and what a set lacks of it."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from schemas.tileset import Bridge, Cost, Island, Market, Sea, Segment, Ship, Tile, TileSet

__all__ = ["list_gaps"]


class Fact(NamedTuple):
    """A rule, and the number of tiles, ships or symbols that it names."""

    rule: str
    number: int
    noun: str
    count: Callable[[TileSet], int]
    is_exact: bool = False
    """Whether there are no more of them."""


def list_gaps(tileset: TileSet) -> Iterator[str]:
    """Yield in words what a set lacks of the printed game, or has too many of."""
    for fact in FACTS:
        number = fact.count(tileset)
        if number < fact.number or (fact.is_exact and number > fact.number):
            least = "" if fact.is_exact else "at least "
            yield f"{fact.noun}: {number}; the printed game has {least}{fact.number} ({fact.rule})"


def _tiles(is_kind: Callable[[Tile], object]) -> Callable[[TileSet], int]:
    """Return the count of a set's tiles of a kind."""
    return lambda tileset: sum(tile.count for tile in tileset.tiles if is_kind(tile))


def _ships(is_kind: Callable[[Ship], object]) -> Callable[[TileSet], int]:
    return lambda tileset: sum(bool(is_kind(ship)) for ship in tileset.ships)


def _fish_groups(fish: int) -> Callable[[TileSet], int]:
    return lambda tileset: sum(
        tile.count * sea.fish.count(fish) for tile in tileset.tiles for sea in tile.segments if isinstance(sea, Sea)
    )


def _like_start(tileset: TileSet) -> int:
    """Return the number of tiles that show what the start tile shows, wares aside."""
    pictures = {tile.id: [_without_wares(segment) for segment in tile.segments] for tile in tileset.tiles}
    return _tiles(lambda tile: pictures[tile.id] == pictures.get(tileset.start))(tileset)


def _without_wares(segment: Segment) -> tuple[object, ...]:
    match segment:
        case Bridge() | Island():
            return type(segment), {*segment.edges}
        case Sea():
            return Sea, {*segment.halves}
        case Market():
            return (Market,)


def _number_of(tile: Tile, kind: type[Segment]) -> int:
    return sum(isinstance(segment, kind) for segment in tile.segments)


def _has_all(*kinds: type[Segment]) -> Callable[[Tile], bool]:
    return lambda tile: all(_number_of(tile, kind) for kind in kinds)


def _bridge_ends(tile: Tile) -> int:
    return sum(isinstance(segment, Bridge) and len(segment.edges) == 1 for segment in tile.segments)


def _is_junction(tile: Tile) -> bool:
    return _bridge_ends(tile) >= 3 and not (_number_of(tile, Island) or _number_of(tile, Market))


def _is_island_across(tile: Tile) -> bool:
    across = any(isinstance(one, Island) and {*one.edges} in ({"w", "e"}, {"n", "s"}) for one in tile.segments)
    return across and _number_of(tile, Sea) == 2


SHIPS = {
    "2 shells, 1 fish and 1 banana": (5, Cost(bananas=1, shells=2, fish=1, any=0, same=())),
    "6 wares of any kind": (5, Cost(bananas=0, shells=0, fish=0, any=6, same=())),
    "5 wares of any kind": (4, Cost(bananas=0, shells=0, fish=0, any=5, same=())),
    "4 identical wares": (3, Cost(bananas=0, shells=0, fish=0, any=0, same=(4,))),
    "3 identical wares and 1 of another kind": (3, Cost(bananas=0, shells=0, fish=0, any=0, same=(3, 1))),
}
"""The ships of the examples, with their points."""


def _ship_fact(wares: str, points: int, cost: Cost) -> Fact:
    return Fact(
        "R9", 1, f"ships of {points} points for {wares}", _ships(lambda one: (one.points, one.cost) == (points, cost))
    )


FACTS = (
    Fact("R1.2", 73, "tiles, with the start tile", _tiles(lambda _: True), is_exact=True),
    Fact("R1.2", 2, "tiles with the start tile's picture", _like_start),
    Fact("R1.3", 24, "ships", _ships(lambda _: True), is_exact=True),
    Fact(
        "R1.5",
        19,
        "tiles with a boat",
        _tiles(lambda tile: any(isinstance(one, Sea) and one.boat for one in tile.segments)),
        is_exact=True,
    ),
    Fact("R5.1", 1, "tiles with a junction of 3 bridges or more", _tiles(_is_junction)),
    Fact(
        "R5.1",
        1,
        "tiles with a bridge that ends at an island",
        _tiles(lambda tile: _bridge_ends(tile) and _has_all(Island)(tile)),
    ),
    Fact(
        "R5.1",
        1,
        "tiles with a bridge that ends at a market",
        _tiles(lambda tile: _bridge_ends(tile) and _has_all(Market)(tile)),
    ),
    Fact("R5.7", 1, "groups of two fish", _fish_groups(2)),
    Fact("R5.7", 1, "single fish", _fish_groups(1)),
    Fact("R9", 1, "tiles with a bridge, a market and a sea", _tiles(_has_all(Bridge, Market, Sea))),
    Fact("R9", 1, "tiles with a bridge, an island and a sea", _tiles(_has_all(Bridge, Island, Sea))),
    Fact("R9", 1, "tiles with an island from one side to the opposite one and 2 seas", _tiles(_is_island_across)),
    Fact(
        "R9",
        1,
        "tiles with 2 islands and 3 seas",
        _tiles(lambda tile: (_number_of(tile, Island), _number_of(tile, Sea)) == (2, 3)),
    ),
    *(_ship_fact(wares, *ship) for wares, ship in SHIPS.items()),
    Fact("R9", 1, "ships of 2 points", _ships(lambda ship: ship.points == 2)),
    Fact("R9", 2, "ships of 6 points", _ships(lambda ship: ship.points == 6)),
)
