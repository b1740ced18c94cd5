"""Tiles, boards and labels are drawn so that each part can be seen; a picture changes only if it is meant to."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, cycle, pairwise
from random import Random
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

from schemas.actions import Deliver, Pass, PlaceTile
from schemas.tileset import Bridge, Island, Market, Sea, Segment, Tile, TileSet
from schemas.vocabulary import Wares
from service.drawing.board import board_box
from service.drawing.distance_fields import Point, contour_rings, sample_field
from service.drawing.game_picture import PAYMENT_HEIGHT, STRIP_WIDTH, board_svg, draw_strip
from service.drawing.labels import Box, Label, draw_labels, text_width
from service.drawing.palette import PLAYER_COLORS
from service.drawing.scene import BoardOptions, Region, Scene, label_moves, make_scene
from service.drawing.terrain import Landmass, node_at
from service.drawing.text_board import board_text
from service.drawing.tile import draw_rotations, tile_svg, tiles_svg
from service.drawing.tile_layout import ISLANDER_RADIUS, bridge_line, lay_out_tile
from service.engine import TileSetIndex, apply_action, build_view, is_finished, legal_moves
from tests.drawing.example_tiles import LAGOON, SVG, example_tiles, islander_spots, parse_svg, random_tile_sets
from tests.drawing.reference_pictures import FOLDER, draw_pictures
from tests.engine.lockstep import new_game

KINDS = {Bridge: "bridge", Island: "island", Sea: "sea", Market: "market"}


@pytest.mark.parametrize("rotation", (0, 1, 2, 3))
def test_each_segment_is_a_group_with_its_kind_and_its_islanders_spot(rotation: int) -> None:
    for tile in example_tiles():
        spots = islander_spots(parse_svg(tile_svg(tile, rotation)))
        assert [spot.segment for spot in spots] == [*range(len(tile.segments))]
        assert [spot.kind for spot in spots] == [KINDS[type(segment)] for segment in tile.segments]
        assert all(0 < spot.at.x < 100 and 0 < spot.at.y < 100 for spot in spots)


def test_in_the_picture_of_all_tiles_each_has_the_groups_of_its_own_picture() -> None:
    picture = parse_svg(tiles_svg(map(draw_rotations, LAGOON.tileset.tiles)))
    symbols = {symbol.get("id"): symbol for symbol in picture.iter(f"{SVG}symbol")}
    for tile in LAGOON.tileset.tiles:
        for rotation in range(4):
            symbol, own = symbols[f"tile-{tile.id}-{rotation}"], parse_svg(tile_svg(tile, rotation))
            assert islander_spots(symbol) == islander_spots(own)
            assert [group.attrib for group in symbol.iterfind(".//*[@data-group]")] == [
                group.attrib for group in own.iterfind(".//*[@data-group]")
            ]


def test_a_rotated_tile_has_rotated_spots() -> None:
    for tile in LAGOON.tileset.tiles:
        upright, turned = (islander_spots(parse_svg(tile_svg(tile, rotation))) for rotation in (0, 1))
        for one, other in zip(upright, turned, strict=True):
            assert one.at.rotated(1).distance_to(other.at) < 0.01


def test_an_islander_stands_on_its_own_segment() -> None:
    for tile in example_tiles():
        drawn = lay_out_tile(tile.segments)
        for index, at in drawn.islanders.items():
            if index in drawn.ground:
                assert drawn.ground[node_at(at)] == index, (tile.id, index)


def test_every_segment_of_the_default_set_has_ground() -> None:
    for tile in LAGOON.tileset.tiles:
        ground = Counter(lay_out_tile(tile.segments).ground)
        assert all(ground[index] > 12 for index in range(len(tile.segments))), tile.id


def test_islanders_of_one_tile_do_not_hide_each_other() -> None:
    for tile in LAGOON.tileset.tiles:
        for one, other in combinations(lay_out_tile(tile.segments).islanders.values(), 2):
            assert one.distance_to(other) > 1.5 * ISLANDER_RADIUS, tile.id


def test_wares_are_on_their_segment_and_not_under_islanders() -> None:
    for tile in LAGOON.tileset.tiles:
        drawn = lay_out_tile(tile.segments)
        for index, wares in drawn.wares.items():
            for ware in wares:
                assert drawn.ground[node_at(ware.at)] == index, tile.id
                for standing in drawn.islanders.values():
                    assert standing.distance_to(ware.at) > ISLANDER_RADIUS, tile.id


@pytest.mark.parametrize("tile", LAGOON.tileset.tiles, ids=lambda tile: tile.id)
def test_every_ware_is_drawn(tile: Tile) -> None:
    drawn = lay_out_tile(tile.segments)
    for index, segment in enumerate(tile.segments):
        match segment:
            case Bridge(shells=number) | Island(bananas=number):
                assert len(drawn.wares[index]) == number
            case Sea(fish=fish, boat=boat):
                assert (len(drawn.wares[index]), index in drawn.boats) == (len(fish), boat)
            case Market():
                assert not drawn.wares[index]


def test_player_colours_are_distinguishable() -> None:
    """Yellow, green and black differ in lightness; red and blue on the axis that almost everybody sees."""
    lightness = {color: _lightness(paint.fill) for color, paint in PLAYER_COLORS.items()}
    assert lightness["yellow"] > lightness["green"] + 0.1 > lightness["red"] + 0.2
    assert lightness["black"] < lightness["blue"] - 0.05


def _lightness(color: str) -> float:
    red, green, blue = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return float(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2)


BRIDGE = Bridge(edges=("n", "s"), shells=0)


@pytest.mark.parametrize(
    ("other", "is_through_hub"), ((Island(edges=("e",), bananas=0), True), (Bridge(edges=("e", "w"), shells=0), False))
)
def test_a_bridge_avoids_the_hub_only_if_another_bridge_crosses_it(other: Segment, *, is_through_hub: bool) -> None:
    hub = Point(60, 40)
    line = bridge_line((BRIDGE, other), BRIDGE, Landmass(("n", "e", "s"), (0, 1), hub, None))
    assert (hub in line) is is_through_hub


@pytest.mark.parametrize("mirrored", (False, True))
def test_areas_that_touch_at_a_corner_have_rings_of_their_own(*, mirrored: bool) -> None:
    """Two squares of nodes, 2.5 units apart. Each contour runs half-way to the next nodes, and cuts the corners."""

    def value(x: float, y: float) -> float:
        x = 97.5 - x if mirrored else x
        return -1.0 if 20 <= min(x, y) <= max(x, y) < 50 or 50 <= min(x, y) <= max(x, y) < 80 else 1.0

    def octagon(low_x: float, low_y: float) -> set[tuple[float, float]]:
        x, y = ((low, low + 1.25, low + 28.75, low + 30) for low in (low_x, low_y))
        return {(x[i], y[j]) for i, j in ((1, 0), (2, 0), (3, 1), (3, 2), (2, 3), (1, 3), (0, 2), (0, 1))}

    first, second = sorted(contour_rings(sample_field(value), 0.0), key=lambda ring: min(point.y for point in ring))
    left, right = (48.75, 18.75) if mirrored else (18.75, 48.75)
    assert ({*first}, {*second}) == (octagon(left, 18.75), octagon(right, 48.75))


def test_a_character_without_a_glyph_is_drawn_as_its_letter_or_as_unknown() -> None:
    assert text_width("\u01fb", 10) == text_width("a", 10)  # an a with a ring and an acute accent
    assert text_width("\u2603", 10) == text_width("\u2604", 10) > 0


@pytest.mark.parametrize(
    ("width", "coordinates", "rows"), ((77, False, 5), (76, False, 3), (81, True, 1 + 5), (80, True, 1 + 3))
)
def test_tiles_are_small_if_large_ones_do_not_fit(width: int, coordinates: bool, rows: int) -> None:
    drawn = make_scene(build_view(LAGOON.index, new_game(LAGOON.index, 1)), LAGOON.tileset, [])
    options = BoardOptions(width=width, coordinates=coordinates, region=Region(-3, 0, 3, 0))
    assert board_text(drawn, options).splitlines().index("") == rows


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
        x, y, wide, high, rim = (float(rect.get(name, "nan")) for name in ("x", "y", "width", "height", "stroke-width"))
        at = (left + scale * (x - rim / 2), top + scale * (y - rim / 2))
        yield Drawn(text, Box(*at, scale * (wide + rim), scale * (high + rim)))
    for child in element:
        yield from _labels_within(child, left, top, scale)


@pytest.mark.parametrize("seed", range(len(TILE_SETS)))
def test_no_label_covers_another_or_leaves_the_picture(seed: int) -> None:
    phases, widths = set(), cycle(WIDTHS)
    for scene in random_scenes(TILE_SETS[seed], seed):
        options = BoardOptions(width=next(widths), number_moves=True, sidebar=True)
        labels = label_moves(scene)
        numbers = sorted([*labels.cells.values(), *labels.segments.values(), *labels.islanders.values()])
        for width in (1, 4096):
            text = board_text(scene, BoardOptions(width=width, number_moves=True))
            text = re.sub(r"\(\S+\)$", "", text.replace("[7] or 7: reply", ""), flags=re.MULTILINE)
            assert sorted(re.findall(r"\d[\d,-]*", text)) == numbers
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
    groups = [group for group in picture.iter(f"{SVG}g") if group.get("data-ship") and group.get("data-numbers")]
    tops = sorted({float(re.findall(r"[\d.]+", group.get("transform", ""))[1]) for group in groups})
    assert all(below - above >= PAYMENT_HEIGHT for above, below in pairwise(tops)), "none covers another"
    shown = {
        int(group.get("data-numbers", "")): (
            group.get("data-ship"),
            [symbol.get("href") for symbol in group.iter(f"{SVG}use")],
        )
        for group in groups
    }
    assert shown == {
        number: (action.ship, ["#banana", "#fish"] if number > 1 else ["#fish"])
        for number, action in enumerate(paid, 1)
    }


def test_a_label_that_has_to_move_aside_is_connected_with_its_subject() -> None:
    near = [Label(str(number), "", Point(50, 10 + number), Point(50, 10 + number), 9) for number in range(3)]
    drawn = "".join(draw_labels(near, Box(0, 0, 100, 100)))
    boxes = [one.box for one in labels_of(ET.fromstring(f'<svg xmlns="{SVG[1:-1]}">{drawn}</svg>'))]  # noqa: S314
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert all(Box(0, 0, 100, 100).contains(one) for one in boxes)
    assert drawn.count("<circle") == drawn.count('<path d="M50.0 1') == 2
    assert drawn.index("<circle") < drawn.index("<g data-moves")


def test_a_label_without_room_stays_where_it_should_be() -> None:
    """A region of one cell may be smaller than its labels."""
    (label,) = draw_labels([Label("1", "", Point(5, 5), Point(5, 5), 9)], Box(0, 0, 10, 10))
    assert 'x="-1.8"' in label


NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)")

HOW_TO_RENEW = "if they should differ, run `python -m tests.drawing.reference_pictures` and look at the new ones"


def test_the_pictures_are_as_they_were() -> None:
    """One test, because `make mutants` must know that it runs every line of the drawing."""
    drawn = dict(draw_pictures())
    assert {path.name for path in FOLDER.iterdir()} == {*drawn}
    differing = [name for name, picture in drawn.items() if _differs(picture, (FOLDER / name).read_text())]
    assert differing == [], HOW_TO_RENEW
    assert len(drawn["finished.svg"]) < 400_000


def _differs(picture: str, reference: str) -> bool:
    """Return whether words differ, or numbers by more than 1 in their last decimal place, integers at all.

    Mathematical functions round otherwise on another machine.
    """
    parts, expected = NUMBER.split(picture), NUMBER.split(reference)
    return parts[::2] != expected[::2] or any(
        abs(float(number) - float(other)) > 1.1 * 10.0 ** -max(1, len(other.partition(".")[2]))
        for number, other in zip(parts[1::2], expected[1::2], strict=True)
        if number != other
    )
