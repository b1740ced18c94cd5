"""Pictures that stand for all others: a drawing that changes by mistake differs from them.

`python -m tests.web.drawing.reference_pictures` writes them again, after a change that is meant. Look at them first.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from service.engine import build_view, legal_moves
from service.web.drawing.game_picture import board_svg
from service.web.drawing.palette import THEMES
from service.web.drawing.scene import BoardOptions, Region, Scene, make_scene
from service.web.drawing.ships import ship_svg
from service.web.drawing.text_board import board_text
from service.web.drawing.tile import tile_svg
from tests.engine.random_games import new_game, play_randomly
from tests.web.drawing.example_tiles import ARCHIPELAGO, random_tile_sets

FOLDER = Path(__file__).with_name("reference")

EVERYTHING = BoardOptions(coordinates=True, outline_last=True, sidebar=True, number_moves=True)


def draw_pictures() -> Iterator[tuple[str, str]]:
    """Draw all pictures; yields their file names and contents."""
    finished, placing, choosing = _play(5, None), _play(3, 24), _play(2, 13)
    yield "finished.svg", board_svg(finished, EVERYTHING)
    yield "finished.txt", board_text(finished, EVERYTHING._replace(width=200))
    yield "placing.svg", board_svg(placing, EVERYTHING._replace(theme="dark"))
    for width in (80, 200):
        yield f"placing-{width}.txt", board_text(placing, EVERYTHING._replace(width=width))
    yield "choosing.svg", board_svg(choosing, EVERYTHING._replace(region=Region(-1, -1, 1, 1), width=400))
    yield "choosing.txt", board_text(choosing, EVERYTHING._replace(width=80))
    for name, colors in THEMES.items():
        for ship in ARCHIPELAGO.tileset.ships[::12]:
            yield f"{ship.id}-{name}.svg", ship_svg(ship, colors, 120)
    for number, tileset in enumerate(random_tile_sets()[:3]):
        largest = max(tileset.tiles, key=lambda tile: len(tile.segments))
        yield f"tile-{number}.svg", tile_svg(largest, rotation=number + 1, width=200)


def _play(players: int, actions: int | None) -> Scene:
    """Return a game after so many random actions, or at its end, with its legal moves."""
    index = ARCHIPELAGO.index
    game = new_game(index, players, players)
    for _ in islice(play_randomly(index, game, Random(players)), actions):
        pass
    return make_scene(build_view(index, game), ARCHIPELAGO.tileset, legal_moves(index, game))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, picture in draw_pictures():
        (FOLDER / name).write_text(picture)
