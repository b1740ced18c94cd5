"""No label of a picture covers another, none is cut off, and each rotation can be told from its numbers."""

import re
from collections.abc import Iterator
from itertools import combinations, cycle
from random import Random
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

from schemas.actions import Deliver, Pass, PlaceTile
from schemas.tileset import TileSet
from schemas.vocabulary import Wares
from service.drawing.board import board_box
from service.drawing.distance_fields import Point
from service.drawing.game_picture import STRIP_WIDTH, _wrap, board_svg, draw_strip
from service.drawing.labels import Box, Label, draw_labels
from service.drawing.scene import BoardOptions, Region, Scene, label_moves, make_scene
from service.drawing.text_board import board_text
from service.engine import TileSetIndex, apply_action, build_view, is_finished, legal_moves
from tests.drawing.example_tiles import LAGOON, SVG, parse_svg, random_tile_sets
from tests.engine.random_games import new_game

TILE_SETS = (*random_tile_sets(), LAGOON.tileset)
WIDTHS = (400, 800, 2048)


class Drawn(NamedTuple):
    """A label with its box in the picture."""

    text: str
    box: Box


def random_scenes(tileset: TileSet, seed: int) -> Iterator[Scene]:
    """Yield every seventh position of a random game in which islanders are placed, and retrieved, often."""
    index, chance = TileSetIndex(tileset), Random(seed)
    game = new_game(index, seed, 2 + seed % 4)
    for number in range(1_000):
        if is_finished(game):
            return
        moves = legal_moves(index, game)
        if number % 7 == 0:
            yield make_scene(build_view(index, game), tileset, moves)
        apply_action(index, game, chance.choice(moves))


def labels_of(picture: ET.Element) -> Iterator[Drawn]:
    """Yield the labels of a picture."""
    return _labels_within(picture, 0.0, 0.0, 1.0)


def _labels_within(element: ET.Element, left: float, top: float, scale: float) -> Iterator[Drawn]:
    moved = re.fullmatch(r"translate\(([^ )]+) ([^ )]+)\)(?:scale\(([^)]+)\))?.*", element.get("transform", ""))
    if moved is not None:
        left, top = left + scale * float(moved[1]), top + scale * float(moved[2])
        scale *= float(moved[3] or 1)
    if (text := element.get("data-moves")) is not None:
        rect = [one for one in element if one.tag == f"{SVG}rect"][-1]  # a cell has one of its own before it
        x, y, wide, high = (float(rect.get(name, "nan")) for name in ("x", "y", "width", "height"))
        yield Drawn(text, Box(left + scale * x, top + scale * y, scale * wide, scale * high))
    for child in element:
        yield from _labels_within(child, left, top, scale)


@pytest.mark.parametrize("seed", range(len(TILE_SETS)))
def test_no_label_covers_another_or_leaves_the_picture(seed: int) -> None:
    phases, widths = set(), cycle(WIDTHS)
    for scene in random_scenes(TILE_SETS[seed], seed):
        options = BoardOptions(width=next(widths), number_moves=True, sidebar=True)
        assert board_text(scene, options)
        picture = parse_svg(board_svg(scene, options))
        drawn = [*labels_of(picture)]
        whole = Box(*map(float, picture.get("viewBox", "").split()))
        for one, other in combinations(drawn, 2):
            assert not one.box.overlaps(other.box), (scene.game.version, one, other)
        assert all(whole.contains(one.box) for one in drawn)
        phases.add(scene.game.turn and scene.game.turn.phase)
    assert phases >= {"place_tile", "islander"}


def test_the_numbers_below_a_rotation_place_the_tile_so() -> None:
    shown = 0
    for scene in random_scenes(LAGOON.tileset, 1):
        if not scene.moves or not isinstance(scene.moves[0], PlaceTile):
            continue
        picture = parse_svg(board_svg(scene, BoardOptions(number_moves=True)))
        rotations = [
            (int(group.get("data-rotation", "")), [*map(int, group.get("data-numbers", "").split(","))])
            for group in picture.iter(f"{SVG}g")
            if group.get("data-rotation") is not None
        ]
        numbers = {number: turns for turns, listed in rotations for number in listed}
        assert numbers == {
            number: move.rotation for number, move in enumerate(scene.moves, 1) if isinstance(move, PlaceTile)
        }
        shown += len(rotations) > 1
    assert shown > 5


@pytest.mark.parametrize("region", (Region(0, -3, 0, 3), Region(0, 0, 1, 5), Region(-2, -2, 2, 2), Region(-9, 0, 9, 3)))
def test_the_placed_tile_below_the_board_is_larger_than_on_it(region: Region) -> None:
    """On a high board too; it has at least half of the board's width."""
    index = LAGOON.index
    game = new_game(index, 1)
    apply_action(index, game, legal_moves(index, game)[0])
    scene = make_scene(build_view(index, game), LAGOON.tileset, legal_moves(index, game))
    options = BoardOptions(number_moves=True, region=region)
    strip = draw_strip(scene, options, label_moves(scene), board_box(region, options).width)
    assert strip is not None
    shown = re.match(r'<g transform="translate\([^)]*\)scale\(([^)]*)\)">', strip.svg)
    assert shown is not None
    width = float(shown[1]) * 100 * board_box(region, options).width / STRIP_WIDTH
    assert width >= 99.9
    assert width >= board_box(region, options).width / 2
    assert strip.height >= float(shown[1]) * 100


@pytest.mark.parametrize("payments", (1, 8, 9, 30))
def test_each_payment_is_shown_below_the_board(payments: int) -> None:
    game = new_game(LAGOON.index, 1)
    scene = make_scene(build_view(LAGOON.index, game), LAGOON.tileset, [])
    ships = scene.game.display[:2]
    paid = [Deliver(ships[number % 2], Wares(bananas=number, shells=0, fish=1)) for number in range(payments)]
    numbered = scene._replace(moves=[*paid, Pass("deliver")])
    picture = parse_svg(board_svg(numbered, BoardOptions(number_moves=True)))
    shown = {
        int(group.get("data-numbers", "")): (
            group.get("data-ship"),
            [symbol.get("href") for symbol in group.iter(f"{SVG}use")],
        )
        for group in picture.iter(f"{SVG}g")
        if group.get("data-numbers") is not None
    }
    assert shown == {
        number: (action.ship, ["#banana", "#fish"] if number > 1 else ["#fish"])
        for number, action in enumerate(paid, 1)
    }


def test_a_wrapped_line_of_numbers_ends_with_a_comma() -> None:
    assert _wrap([1, 15, 17, 19, 21], 150) == ["1, 15, 17,", "19, 21"]


def test_a_label_that_has_to_move_aside_is_connected_with_its_subject() -> None:
    near = [Label(str(number), "", Point(50, 50 + number), Point(50, 50 + number), 9) for number in range(3)]
    drawn = "".join(draw_labels(near, Box(0, 0, 100, 100)))
    boxes = [one.box for one in labels_of(ET.fromstring(f'<svg xmlns="{SVG[1:-1]}">{drawn}</svg>'))]  # noqa: S314
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert drawn.count("<circle") == drawn.count('<path d="M50.0 5') == 2
    assert drawn.index("<circle") < drawn.index("<g data-moves")


def test_a_label_without_room_stays_where_it_should_be() -> None:
    """A region of one cell may be smaller than its labels."""
    (label,) = draw_labels([Label("1", "", Point(5, 5), Point(5, 5), 9)], Box(0, 0, 10, 10))
    assert 'x="-1.8"' in label
