"""Boards as text. How they look, `reference_pictures` shows."""

import pytest

from schemas.tileset import Island
from service.drawing.scene import BoardOptions, Region, make_scene
from service.drawing.terrain import NO_SEGMENT
from service.drawing.text_board import SMALL, _ground_character, board_text
from service.drawing.tile_layout import lay_out_tile
from service.engine import build_view
from tests.drawing.example_tiles import LAGOON
from tests.engine.random_games import new_game


def test_rocks_between_the_segments_of_a_tile_are_drawn_as_sea() -> None:
    island = lay_out_tile((Island(edges=("n", "e", "s", "w"), bananas=0),))
    rocks = island._replace(ground=[NO_SEGMENT] * len(island.ground))
    assert [_ground_character(layout, 0, SMALL, 2, 1) for layout in (island, rocks)] == ["^", "."]


@pytest.mark.parametrize(
    ("width", "coordinates", "rows"), ((77, False, 5), (76, False, 3), (81, True, 1 + 5), (80, True, 1 + 3))
)
def test_tiles_are_small_if_large_ones_do_not_fit(width: int, coordinates: bool, rows: int) -> None:
    drawn = make_scene(build_view(LAGOON.index, new_game(LAGOON.index, 1)), LAGOON.tileset, [])
    options = BoardOptions(width=width, coordinates=coordinates, region=Region(-3, 0, 3, 0))
    assert board_text(drawn, options).splitlines().index("") == rows
