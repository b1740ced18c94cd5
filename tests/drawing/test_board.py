"""Boards of whole games, without HTTP."""

from random import Random

from service.drawing.game_picture import board_svg
from service.drawing.palette import PLAYER_COLORS
from service.drawing.scene import BoardOptions, make_scene
from service.drawing.text_board import board_text
from service.engine import TileSetIndex, build_view
from tests.drawing.example_tiles import parse_svg, random_tile_sets
from tests.engine.random_games import new_game, play_randomly

EVERYTHING = BoardOptions(coordinates=True, outline_last=True, sidebar=True, number_moves=True)


def test_games_with_every_tile_set_can_be_drawn() -> None:
    for tileset in random_tile_sets():
        index = TileSetIndex(tileset)
        game = new_game(index, 3, 3)
        for number, _ in enumerate(play_randomly(index, game, Random(3))):
            if number % 20 == 0:
                drawn = make_scene(build_view(index, game), tileset, [])
                parse_svg(board_svg(drawn, EVERYTHING))
                assert board_text(drawn, EVERYTHING)


def test_player_colours_are_distinguishable() -> None:
    """Yellow, green and black differ in lightness; red and blue on the axis that almost everybody sees."""
    lightness = {color: _lightness(paint.fill) for color, paint in PLAYER_COLORS.items()}
    assert lightness["yellow"] > lightness["green"] + 0.1 > lightness["red"] + 0.2
    assert lightness["black"] < lightness["blue"] - 0.05


def _lightness(color: str) -> float:
    red, green, blue = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return float(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2)
