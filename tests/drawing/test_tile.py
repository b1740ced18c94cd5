"""Every valid tile can be drawn, with a spot for an islander on each segment."""

from collections import Counter
from itertools import combinations

import msgspec
import pytest

from schemas.tileset import Bridge, Island, Market, Sea, Tile
from service.drawing.palette import DRAWINGS, PLAYER_COLORS, THEMES
from service.drawing.terrain import node_at
from service.drawing.tile import draw_rotations, tile_svg, tiles_svg
from service.drawing.tile_layout import ISLANDER_RADIUS, lay_out_tile
from tests.drawing.example_tiles import LAGOON, SVG, example_tiles, islander_spots, parse_svg

ISLAND = Island(edges=("n",), bananas=3)

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
                assert len(drawn.wares[index]) == len(fish)
                assert (index in drawn.boats) == boat
            case Market():
                assert not drawn.wares[index]


def test_fish_are_groups_by_their_number() -> None:
    tile = next(tile for tile in LAGOON.tileset.tiles if tile.id == "atoll")
    root = parse_svg(tile_svg(tile))
    (group,) = (element for element in root.iter(f"{SVG}g") if element.get("data-group") is not None)
    assert group.get("data-group") == "0"
    assert group.get("data-x") is not None


def test_too_many_wares_are_shown_as_a_number() -> None:
    island = Island(edges=("n",), bananas=37)
    sea = LAGOON.tileset.tiles[1].segments[1]
    few, many = (msgspec.structs.replace(LAGOON.tileset.tiles[1], segments=(one, sea)) for one in (ISLAND, island))
    assert len(lay_out_tile(few.segments).wares[0]) == 3
    assert len(lay_out_tile(many.segments).wares[0]) == 1
    assert len(tile_svg(many)) > len(tile_svg(few).replace(DRAWINGS["banana"], "", 2))


def test_themes_differ() -> None:
    tile = LAGOON.tileset.tiles[0]
    assert tile_svg(tile) != tile_svg(tile, 0, THEMES["dark"])


def test_player_colours_are_distinguishable() -> None:
    """Yellow, green and black differ in lightness; red and blue on the axis that almost everybody sees."""
    lightness = {color: _lightness(paint.fill) for color, paint in PLAYER_COLORS.items()}
    assert lightness["yellow"] > lightness["green"] + 0.1 > lightness["red"] + 0.2
    assert lightness["black"] < lightness["blue"] - 0.05


def _lightness(color: str) -> float:
    red, green, blue = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return float(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2)
