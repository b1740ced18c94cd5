"""Cells of the whole range of coordinates. What the index says of tiles and ships is compared with the reference."""

from itertools import product

from service.engine.tileset_index import COORDINATE_LIMIT, SIDE_OFFSETS, pack_cell, unpack_cell
from tests.reference.pieces import STEPS


def test_cells_pack_and_unpack() -> None:
    reach = range(1 - COORDINATE_LIMIT, COORDINATE_LIMIT, 7)
    cells = {pack_cell(x, y): (x, y) for x, y in product(reach, reach)}
    assert len(cells) == len(reach) ** 2
    assert all(unpack_cell(cell) == place for cell, place in cells.items())


def test_a_neighbour_is_one_addition_away() -> None:
    for x, y in product((-COORDINATE_LIMIT + 2, -1, 0, 1, COORDINATE_LIMIT - 2), repeat=2):
        assert [unpack_cell(pack_cell(x, y) + step) for step in SIDE_OFFSETS] == [(x + dx, y + dy) for dx, dy in STEPS]
