"""The default tile set has everything that the rulebooks specify, and what reviews say of the printed one.

`tests/cli/test_verify.py` tests the rulebooks' own numbers, tiles and ships.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import service
from schemas.tileset import Bridge, Cost, Island, Market, Sea, Tile, TileSet
from schemas.vocabulary import EDGES
from service.cli.tileset import list_gaps
from service.engine.tileset_validation import parse_tileset

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = Path(service.__file__).parent / "tilesets" / "lagoon.json"
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


def test_its_provenance_is_a_reconstruction() -> None:
    assert (SET.id, SET.provenance) == ("lagoon", "reconstruction")


@pytest.mark.parametrize("file", (FILE, FILE.with_name("archipelago.json")), ids=lambda file: file.stem)
def test_it_lacks_nothing_that_the_rulebooks_say_of_the_printed_game(file: Path) -> None:
    assert [*list_gaps(parse_tileset(file.read_bytes()))] == []


def test_the_start_tile_has_each_kind_of_edge() -> None:
    assert set(edges(START)) == {"sea", "bridge", "island"}


def test_r1_5_the_start_tile_has_no_boat() -> None:
    assert not any(sea.boat for sea in seas(START))


def test_r9_ships_are_worth_2_to_6() -> None:
    assert {ship.points for ship in SET.ships} == {2, 3, 4, 5, 6}


def test_a_ship_of_3_points_asks_for_two_fish_and_a_banana() -> None:
    assert (3, Cost(bananas=1, shells=0, fish=2, any=0, same=())) in [(ship.points, ship.cost) for ship in SET.ships]


def test_groups_of_two_fish_are_about_as_many_as_single_ones() -> None:
    groups = Counter(group for tile in TILES for sea in seas(tile) for group in sea.fish)
    assert {*groups} == {1, 2}
    assert abs(groups[1] - groups[2]) <= 3


def test_some_edge_patterns_are_left_out_so_that_gaps_stay_open() -> None:
    patterns = {min(tuple(sides[turn:] + sides[:turn]) for turn in range(4)) for sides in map(edges, TILES)}
    assert len(patterns) == 16  # of 24


def is_junction_of_four(tile: Tile) -> bool:
    return len(ends(tile)) == len(tile.segments) - len(seas(tile)) == 4


@pytest.mark.parametrize(
    "is_kind",
    (
        pytest.param(is_junction_of_four, id="a junction of four bridges"),
        pytest.param(lambda tile: any(len(bridge.edges) == 2 for bridge in bridges(tile)), id="a bridge through"),
        pytest.param(lambda tile: any(len(island.edges) <= 1 for island in islands(tile)), id="a small island"),
        pytest.param(lambda tile: any(len(island.edges) >= 3 for island in islands(tile)), id="a large island"),
        pytest.param(lambda tile: edges(tile) == ["sea"] * 4, id="the open sea"),
        pytest.param(lambda tile: any(sea.boat and 2 in sea.fish for sea in seas(tile)), id="R9 a boat beside fish"),
        pytest.param(lambda tile: bridges(tile) and any(sea.boat for sea in seas(tile)), id="a boat beside a bridge"),
        pytest.param(lambda tile: any(not island.bananas for island in islands(tile)), id="an island without bananas"),
        pytest.param(lambda tile: any(not bridge.shells for bridge in ends(tile)), id="a bridge's end without shells"),
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
        for sea in seas(tile)
        if sea.halves and set(sea.halves) in ({1, 2}, {3, 4}, {5, 6}, {7, 0})
    ]
    assert 5 in map(sum, combinations(corners, 4))


def test_tiles_have_few_segments_on_average() -> None:
    assert sum(len(tile.segments) for tile in TILES) / len(TILES) <= 4.2
