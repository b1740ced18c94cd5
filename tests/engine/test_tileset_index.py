"""Cells of the whole range of coordinates. What the index says of tiles and ships is compared with the reference."""

from itertools import product

import pytest

from service.engine.tileset_index import COORDINATE_LIMIT, SIDE_OFFSETS, pack_cell, unpack_cell
from tests.engine.random_games import lagoon_index
from tests.reference.pieces import STEPS


def test_cells_pack_and_unpack() -> None:
    reach = range(1 - COORDINATE_LIMIT, COORDINATE_LIMIT, 7)
    cells = {pack_cell(x, y): (x, y) for x, y in product(reach, reach)}
    assert len(cells) == len(reach) ** 2
    assert all(unpack_cell(cell) == place for cell, place in cells.items())


def test_a_neighbour_is_one_addition_away() -> None:
    for x, y in product((-COORDINATE_LIMIT + 2, -1, 0, 1, COORDINATE_LIMIT - 2), repeat=2):
        assert [unpack_cell(pack_cell(x, y) + step) for step in SIDE_OFFSETS] == [(x + dx, y + dy) for dx, dy in STEPS]


@pytest.mark.parametrize(
    ("tile", "number"),
    (
        ("atoll", 1),
        ("bridge-straight-1", 2),
        ("market-2", 2),
        ("islands-tips", 2),
        ("bridge-straight-2", 4),
        ("start", 4),
    ),
)
def test_a_symmetric_tile_has_fewer_rotations(tile: str, number: int) -> None:
    """Wares count: a straight bridge with a boat on one side has four."""
    index = lagoon_index()
    assert index.distinct_rotations[index.tile_numbers[tile]] == number
