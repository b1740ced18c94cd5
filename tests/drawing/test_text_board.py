"""Boards as text. How they look, `reference_pictures` shows."""

import pytest

from schemas.tileset import Island
from service.drawing.layout.terrain import NO_SEGMENT
from service.drawing.layout.tile_layout import lay_out_tile
from service.drawing.scene import BoardOptions, Region, make_scene
from service.drawing.text_board import board_text
from service.drawing.text_tile import SMALL, _ground_character
from service.engine import build_view
from service.games.i18n import Language
from tests.drawing.example_tiles import ARCHIPELAGO
from tests.engine.random_games import new_game


def test_the_start_tile_is_an_island_to_the_west_and_a_bridge_to_the_east() -> None:
    drawn = make_scene(build_view(ARCHIPELAGO.index, new_game(ARCHIPELAGO.index, 1)), ARCHIPELAGO.tileset, [])
    rows = board_text(drawn, BoardOptions(width=80)).splitlines()[:5]
    assert rows[2].startswith("^")
    assert "=====" in rows[2]
    assert "b" in "".join(rows)
    assert "s" in rows[2]


def test_rocks_between_the_segments_of_a_tile_are_drawn_as_sea() -> None:
    island = lay_out_tile((Island(edges=("n", "e", "s", "w"), bananas=0),))
    rocks = island._replace(ground=[NO_SEGMENT] * len(island.ground))
    assert [_ground_character(layout, 0, SMALL, 2, 1) for layout in (island, rocks)] == ["^", "."]


@pytest.mark.parametrize(
    ("width", "coordinates", "rows"), ((77, False, 5), (76, False, 3), (81, True, 1 + 5), (80, True, 1 + 3))
)
def test_tiles_are_small_if_large_ones_do_not_fit(width: int, coordinates: bool, rows: int) -> None:
    drawn = make_scene(build_view(ARCHIPELAGO.index, new_game(ARCHIPELAGO.index, 1)), ARCHIPELAGO.tileset, [])
    options = BoardOptions(width=width, coordinates=coordinates, region=Region(-3, 0, 3, 0))
    assert board_text(drawn, options).splitlines().index("") == rows


@pytest.mark.parametrize(
    ("language", "player", "ship"),
    (
        ("en", "Ana: 0 points, 1 islander, 1 banana, 2 shells, 1 fish, 0 ships", "for 3 identical wares"),
        (
            "fr",
            "Ana\u00a0: 0 point, 1 insulaire, 1 banane, 2 coquillages, 1 poisson, 0 navire",
            "3 marchandises identiques",
        ),
        ("de", "Ana: 0 Punkte, 1 Insulaner, 1 Banane, 2 Muscheln, 1 Fisch, 0 Schiffe", "für 3 gleiche Waren"),
    ),
)
def test_the_words_beside_the_board_have_plural_forms(language: Language, player: str, ship: str) -> None:
    game = new_game(ARCHIPELAGO.index, 1)
    ana = game.players[0]
    ana.name, ana.supply, ana.wares = "Ana", 1, [1, 2, 1]
    game.display = [ARCHIPELAGO.index.ship_numbers["s03"]]
    drawn = make_scene(build_view(ARCHIPELAGO.index, game), ARCHIPELAGO.tileset, [])
    text = board_text(drawn, BoardOptions(sidebar=True, language=language))
    assert player in text
    assert ship in text
