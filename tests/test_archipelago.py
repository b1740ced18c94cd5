"""The default tile set has everything that the rulebooks specify ("The default tile set" in the rules).

`tests/rules` tests the numbers of tiles, ships and boats, and the ships.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import service
from schemas.tileset import Bridge, Island, Market, Sea, Segment, Tile, TileSet
from schemas.vocabulary import EDGES
from service.engine.tileset_validation import parse_tileset

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = Path(service.__file__).parent / "tilesets" / "archipelago.json"
SET: TileSet = parse_tileset(FILE.read_bytes())
TILES = [tile for tile in SET.tiles for _ in range(tile.count)]
START = next(tile for tile in SET.tiles if tile.id == SET.start)


def edges(tile: Tile) -> list[str]:
    return [getattr(tile.edges, edge) for edge in EDGES]


def bridges(tile: Tile) -> list[Bridge]:
    return [segment for segment in tile.segments if isinstance(segment, Bridge)]


def islands(tile: Tile) -> list[Island]:
    return [segment for segment in tile.segments if isinstance(segment, Island)]


def seas(tile: Tile) -> list[Sea]:
    return [segment for segment in tile.segments if isinstance(segment, Sea)]


def has_market(tile: Tile) -> bool:
    return any(isinstance(segment, Market) for segment in tile.segments)


def ends(tile: Tile) -> list[Bridge]:
    """Return the bridges that start at one edge and end inside the tile."""
    return [bridge for bridge in bridges(tile) if len(bridge.edges) == 1]


def art(tile: Tile) -> tuple[object, ...]:
    """Describe a tile without its wares."""
    return tile.edges, tuple(without_wares(segment) for segment in tile.segments)


def without_wares(segment: Segment) -> tuple[object, ...]:
    match segment:
        case Bridge() | Island():
            return type(segment), segment.edges
        case Sea():
            return Sea, segment.halves
        case Market():
            return (Market,)


def test_its_provenance_is_a_reconstruction() -> None:
    assert (SET.id, SET.provenance) == ("archipelago", "reconstruction")


def test_r1_2_at_least_one_of_the_other_72_looks_like_the_start_tile() -> None:
    assert sum(art(tile) == art(START) for tile in TILES) >= 2


def test_the_start_tile_has_each_kind_of_edge() -> None:
    assert set(edges(START)) == {"sea", "bridge", "island"}


def test_r1_5_the_start_tile_has_no_boat() -> None:
    assert not any(sea.boat for sea in seas(START))


def test_r9_ships_are_worth_2_to_6_and_at_least_two_are_worth_6() -> None:
    points = Counter(ship.points for ship in SET.ships)
    assert set(points) == {2, 3, 4, 5, 6}
    assert points[6] >= 2


def test_all_ships_together_cost_about_as_many_of_each_ware() -> None:
    costs = Counter(
        {
            "bananas": sum(ship.cost.bananas for ship in SET.ships),
            "shells": sum(ship.cost.shells for ship in SET.ships),
            "fish": sum(ship.cost.fish for ship in SET.ships),
        }
    )
    assert max(costs.values()) - min(costs.values()) <= 1


def test_r0_fish_come_in_groups_of_one_and_two() -> None:
    assert {group for tile in TILES for sea in seas(tile) for group in sea.fish} == {1, 2}


def is_island_across_two_seas(tile: Tile) -> bool:
    return any({"w", "e"} == set(island.edges) for island in islands(tile)) and len(seas(tile)) == 2


def is_two_islands_and_three_seas(tile: Tile) -> bool:
    return sum(bool(island.edges) for island in islands(tile)) == 2 and len(seas(tile)) == 3


def is_junction_of(number: int) -> Callable[[Tile], bool]:
    def is_junction(tile: Tile) -> bool:
        return len(ends(tile)) == len(tile.segments) - len(seas(tile)) == number

    return is_junction


@pytest.mark.parametrize(
    "is_kind",
    (
        pytest.param(lambda tile: bridges(tile) and has_market(tile) and seas(tile), id="R9 bridge, market and sea"),
        pytest.param(lambda tile: islands(tile) and bridges(tile) and seas(tile), id="R9 island, bridge and sea"),
        pytest.param(is_island_across_two_seas, id="R9 an island from w to e has a sea on each side"),
        pytest.param(is_two_islands_and_three_seas, id="R9 two islands whose tips touch, three seas"),
        pytest.param(is_junction_of(3), id="a junction of three bridges"),
        pytest.param(is_junction_of(4), id="a junction of four bridges"),
        pytest.param(lambda tile: has_market(tile) and ends(tile), id="a bridge to a market"),
        pytest.param(lambda tile: islands(tile) and ends(tile) and not has_market(tile), id="a bridge to an island"),
        pytest.param(lambda tile: any(len(bridge.edges) == 2 for bridge in bridges(tile)), id="a bridge through"),
        pytest.param(lambda tile: any(len(island.edges) <= 1 for island in islands(tile)), id="a small island"),
        pytest.param(lambda tile: any(len(island.edges) >= 3 for island in islands(tile)), id="a large island"),
        pytest.param(lambda tile: edges(tile) == ["sea"] * 4, id="the open sea"),
        pytest.param(lambda tile: any(sea.boat and 2 in sea.fish for sea in seas(tile)), id="R9 a boat beside fish"),
    ),
)
def test_it_has_every_specified_kind_of_tile(is_kind: Callable[[Tile], object]) -> None:
    assert any(is_kind(tile) for tile in TILES)


def test_r5_10_it_has_several_markets_each_with_a_bridge_to_it() -> None:
    markets = [tile for tile in TILES if has_market(tile)]
    assert len(markets) >= 5
    assert all(ends(tile) for tile in markets)


@pytest.mark.parametrize("shells", (2, 4))
def test_r9_a_bridge_can_be_worth(shells: int) -> None:
    """Two ends of different tiles and up to two tiles between them."""
    closing = [bridge.shells for tile in TILES for bridge in ends(tile)[:1]]
    between = [bridge.shells for tile in TILES for bridge in bridges(tile)[:1] if len(bridge.edges) == 2]
    assert shells in sums(closing, between)


@pytest.mark.parametrize("bananas", (2, 4))
def test_r9_an_island_can_be_worth(bananas: int) -> None:
    """As the bridge: two coasts and up to two tiles between them."""
    closing = [island.bananas for tile in TILES for island in islands(tile)[:1] if len(island.edges) == 1]
    between = [island.bananas for tile in TILES for island in islands(tile)[:1] if len(island.edges) == 2]
    assert bananas in sums(closing, between)


def sums(closing: list[int], between: list[int]) -> set[int]:
    """Return the symbols of every chain of two closing segments and up to two between them."""
    spans = {0, *between, *map(sum, combinations(between, 2))}
    return {end + span for end in map(sum, combinations(closing, 2)) for span in spans}


def test_r9_a_sea_enclosed_by_four_corners_can_be_worth_5_fish() -> None:
    corners = [
        sum(sea.fish)
        for tile in TILES
        for sea in seas(tile)[:2]
        if sea.halves and set(sea.halves) in ({1, 2}, {3, 4}, {5, 6}, {7, 0})
    ]
    assert 5 in map(sum, combinations(corners, 4))


def test_tiles_have_few_segments_on_average() -> None:
    assert sum(len(tile.segments) for tile in TILES) / len(TILES) <= 4.2
