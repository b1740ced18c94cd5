"""The tile set index, compared with results computed directly from each tile."""

from itertools import product

import pytest

from schemas.base import canonical_json
from service.engine.tileset_index import COORDINATE_LIMIT, SIDE_OFFSETS, TileSetIndex, pack_cell, unpack_cell
from service.engine.tileset_validation import parse_tileset
from tests.engine.lockstep import archipelago
from tests.reference.payments import payments
from tests.reference.pieces import STEPS, Json, Ship, Tile
from tests.reference.random_tilesets import random_tileset

SETS = (archipelago(), *(random_tileset(seed) for seed in range(12)))
SHOWN = (None, "sea", "bridge", "island")
"""What two bits of a cell's packed edges mean."""


def named(tileset: Json) -> str:
    return str(tileset["id"])


def tables_of(tileset: Json) -> TileSetIndex:
    return TileSetIndex(parse_tileset(canonical_json(tileset)))


@pytest.mark.parametrize("tileset", SETS, ids=named)
def test_fits_lists_the_rotations_in_which_all_shared_edges_are_alike(tileset: Json) -> None:
    index = tables_of(tileset)
    for number, data in enumerate(tileset["tiles"]):
        tile = Tile.of(data)
        for packed, around in enumerate(product(SHOWN, repeat=4)):
            neighbours = around[::-1]
            expected = [
                rotation
                for rotation in range(4)
                if all(
                    displayed in (None, edge)
                    for displayed, edge in zip(neighbours, tile.turned_edges(rotation), strict=True)
                )
            ]
            assert [*index.fitting_rotations[number][packed]] == (expected if packed else []), (data["id"], neighbours)


@pytest.mark.parametrize("tileset", SETS, ids=named)
def test_marks_are_what_the_neighbour_across_a_side_is_shown(tileset: Json) -> None:
    index = tables_of(tileset)
    for number, data in enumerate(tileset["tiles"]):
        for rotation, side in product(range(4), range(4)):
            displayed = index.edge_masks[number * 4 + rotation][side]
            facing = (side + 2) % 4
            assert displayed == displayed & 3 << 2 * facing
            assert SHOWN[displayed >> 2 * facing] == Tile.of(data).turned_edges(rotation)[side]


@pytest.mark.parametrize("tileset", SETS, ids=named)
def test_slots_are_the_segments_along_a_side_and_meet_the_neighbours_in_reverse(tileset: Json) -> None:
    """Across a side the halves meet 0-5 and 1-4, or 2-7 and 3-6: the first of one with the second of the other."""
    index = tables_of(tileset)
    for number, data in enumerate(tileset["tiles"]):
        for rotation, side in product(range(4), range(4)):
            expected = along(Tile.of(data).turned(rotation), side)
            turned = number * 4 + rotation
            assert index.slots_clockwise[turned][side] == expected
            assert index.slots_facing[turned][side] == expected[::-1]


def along(tile: Tile, side: int) -> tuple[int, ...]:
    """Return the segments of a tile along a side, clockwise."""
    first, second = (
        [index for index, segment in enumerate(tile.segments) if half in segment.halves]
        for half in (2 * side, 2 * side + 1)
    )
    land = [index for index, segment in enumerate(tile.segments) if side in segment.edges]
    return (*first, *land, *second) if land else (*first,)


@pytest.mark.parametrize("tileset", SETS, ids=named)
def test_every_ship_takes_the_payments_that_the_reference_finds(tileset: Json) -> None:
    index = tables_of(tileset)
    for number, data in enumerate(tileset["ships"]):
        ship = index.ships[number]
        purse = dict.fromkeys(("bananas", "shells", "fish"), ship.total_wares)
        assert [*ship.payments] == payments(Ship.of(data), purse)
        assert {sum(payment) for payment in ship.payments} == {ship.total_wares}


def test_cells_pack_and_unpack() -> None:
    reach = range(1 - COORDINATE_LIMIT, COORDINATE_LIMIT, 7)
    cells = {pack_cell(x, y): (x, y) for x, y in product(reach, reach)}
    assert len(cells) == len(reach) ** 2
    assert all(unpack_cell(cell) == place for cell, place in cells.items())


def test_a_neighbour_is_one_addition_away() -> None:
    for x, y in product((-COORDINATE_LIMIT + 2, -1, 0, 1, COORDINATE_LIMIT - 2), repeat=2):
        assert [unpack_cell(pack_cell(x, y) + step) for step in SIDE_OFFSETS] == [(x + dx, y + dy) for dx, dy in STEPS]
