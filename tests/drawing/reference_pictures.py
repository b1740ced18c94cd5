"""Pictures that stand for all others: a drawing that changes by mistake differs from them.

`python -m tests.drawing.reference_pictures` writes them again, after a change that is meant. Look at them first.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import get_args, get_type_hints

import msgspec
from msgspec.structs import replace

from schemas.actions import TakeShip
from schemas.tileset import Cost, Ship, Tile
from schemas.vocabulary import EDGES
from service.drawing.game_picture import board_svg
from service.drawing.palette import THEMES
from service.drawing.scene import BoardOptions, Region, Scene, make_scene
from service.drawing.ships import ship_svg
from service.drawing.text_board import board_text
from service.drawing.tile import draw_rotations, tile_svg, tiles_svg
from service.engine import build_view, legal_moves
from tests.drawing.example_tiles import LAGOON, random_tile_sets
from tests.engine.lockstep import new_game, play_randomly
from tests.reference.board import Json
from tests.reference.random_play import bridge, check_tile, island, market, sea

FOLDER = Path(__file__).with_name("reference")

COSTS = {
    "five": Cost(bananas=2, shells=1, fish=0, any=2, same=()),
    "six": Cost(bananas=0, shells=0, fish=1, any=0, same=(3, 2)),
    "ten": Cost(bananas=4, shells=0, fish=5, any=1, same=()),
    "eleven": Cost(bananas=0, shells=4, fish=3, any=0, same=(2, 1, 1)),
}


def _make_tile(name: str, *segments: Json) -> Tile:
    """Return a valid tile with these segments."""
    kinds = {edge: next((one["kind"] for one in segments if edge in one.get("edges", ())), "sea") for edge in EDGES}
    tile = {"id": name, "count": 1, "edges": kinds, "segments": segments}
    check_tile(tile)
    return msgspec.convert(tile, Tile)


RARE_TILES = (
    _make_tile("junction", bridge("ns", 13), bridge("e", 1), sea((1, 2)), sea((3, 4), (1, 2)), sea((0, 5, 6, 7))),
    _make_tile("crossing", bridge("ne", 2), bridge("sw", 1), *(sea((half, (half + 1) % 8)) for half in (1, 3, 5, 7))),
    _make_tile("lagoons", island("nesw", 12), sea((), (1,)), sea((), (2,), boat=True)),
    _make_tile("harvest", island("n", 13), sea(range(2, 8), (1, 1, 2), boat=True)),
    _make_tile("inside", bridge("", 3), market(), island("", 1), sea(range(8))),
    _make_tile("tips", island("n", 1), island("s"), sea((2, 3)), sea((6, 7), (1,))),
)

LANGUAGES = get_args(get_type_hints(BoardOptions)["language"])

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
    close_up = EVERYTHING._replace(region=Region(0, 0, 0, 0), width=300)
    for name, scene in (("delivering", _play(2, 66)), ("taking", _taking_ships()), ("waiting", _waiting())):
        yield f"{name}.svg", board_svg(scene, close_up)
        for language in LANGUAGES:
            yield f"{name}-{language}.txt", board_text(scene, EVERYTHING._replace(width=60, language=language))
    for language in LANGUAGES:
        yield f"resigned-{language}.txt", board_text(_resigned(), BoardOptions(sidebar=True, language=language))
        unmarked = BoardOptions(number_moves=True, outline_last=False, language=language)
        yield f"unmarked-{language}.txt", board_text(choosing, unmarked)
    retrieving = _play(3, 7)
    yield "retrieving.svg", board_svg(retrieving, BoardOptions(sidebar=True, number_moves=True, width=100))
    yield "retrieving.txt", board_text(retrieving, BoardOptions(sidebar=True, number_moves=True))
    yield "part.txt", board_text(retrieving, BoardOptions(number_moves=True, region=Region(1, -1, 2, 1)))
    yield "part.svg", board_svg(placing, BoardOptions(number_moves=True, region=Region(3, 2, 3, 2)))
    yield "high.svg", board_svg(retrieving, EVERYTHING._replace(sidebar=False, region=Region(-40, -28, -40, 28)))
    yield "plain.txt", board_text(choosing, BoardOptions())
    for name, colors in THEMES.items():
        for ship in LAGOON.tileset.ships[::12]:
            yield f"{ship.id}-{name}.svg", ship_svg(ship, colors, 120)
    for name, cost in COSTS.items():
        yield f"cost-{name}.svg", ship_svg(Ship(id=name, points=12, cost=cost))
    for tile in RARE_TILES:
        yield f"tile-{tile.id}.svg", tile_svg(tile, rotation=1)
    yield "tiles.svg", tiles_svg(map(draw_rotations, RARE_TILES))
    yield "tile-covered.svg", tile_svg(random_tile_sets()[0].tiles[4])  # a segment covers the spot of an islander
    for number, tileset in enumerate(random_tile_sets()[:3]):
        largest = max(tileset.tiles, key=lambda tile: len(tile.segments))
        yield f"tile-{number}.svg", tile_svg(largest, number + 1, THEMES["dark"], 200)


def _taking_ships() -> Scene:
    """Return a game with long names, in which another player may take any ship, out of order."""
    scene = _play(5, 60)
    assert scene.game.turn is not None
    turn = replace(scene.game.turn, decider=(scene.game.turn.seat + 1) % 5)
    players = [replace(player, name=f"Wilhelmina {player.name}") for player in scene.game.players]
    moves = [TakeShip(ship=ship) for ship in (*scene.game.display[::-1], scene.game.display[0])]
    return scene._replace(game=replace(scene.game, players=players, turn=turn), moves=moves)


def _resigned() -> Scene:
    """Return a game that the player with the most points has lost by resigning; numbers of words are 0, 1 and more."""
    game = new_game(LAGOON.index, 1)
    game.status, game.end_reason = "finished", "last_ship"
    first, second = game.players
    first.supply, first.wares = 1, [1, 2, 1]
    second.wares, second.resigned = [12, 0, 0], True
    return make_scene(build_view(LAGOON.index, game), LAGOON.tileset, [])


def _waiting() -> Scene:
    """Return a game that waits for its second player, on a start tile with many bananas; the font lacks a snowman."""
    scene = _play(2, 0)
    creator, joining = scene.game.players
    players = [replace(creator, name=f"\u2603 {creator.name}"), replace(joining, name=None, color=None)]
    tiles = {"start": _make_tile("start", island("n", 13), sea(range(2, 8), (2,)))}
    board = {"0,0": replace(scene.game.board["0,0"], tile="start")}
    game = replace(scene.game, board=board, players=players, turn=None, display=[])
    return scene._replace(game=game, tiles=tiles, moves=[])


def _play(players: int, actions: int | None) -> Scene:
    """Return a game after so many random actions, or at its end, with its legal moves."""
    index = LAGOON.index
    game = new_game(index, players, players)
    for _ in islice(play_randomly(index, game, Random(players)), actions):
        pass
    return make_scene(build_view(index, game), LAGOON.tileset, legal_moves(index, game))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, picture in draw_pictures():
        (FOLDER / name).write_text(picture)
