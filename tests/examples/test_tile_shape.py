"""Tiles drawn in text, and what must hold for every tile of the default set."""

import pytest
from msgspec import convert, to_builtins

from examples.terminal.tile_picture import LARGE, MEDIUM, SMALL, picture
from examples.terminal.tile_shape import REEF, Size, Spot, beside, in_one_piece, middle_of, shape, turned
from service.games.tilesets import load_catalogue
from south_seas.models import Bridge, Island, Sea, Tile
from tests.examples.tileset_fixture import BENDS, CORNER, MARKET, PAST, START, TIPS, picture_of

DRAWN = {
    "start": (
        START,
        """
        ~~~~><>~~
        :::~~~~~~
        :):::=@==
        :::~~~~~~
        ~~~~~~~~~
        """,
    ),
    "two bends, a sea between them": (
        BENDS,
        """
        ~~~~=~~~~
        ~~~~~==~~
        ==><><>==
        ~~==~~~~~
        ~~~~=~~~~
        """,
    ),
    "a sea passes between island and bridge": (
        PAST,
        r"""
        ~:::::::~
        ~~~~~~~~~
        ===@@====
        ~~~~~~~~~
        ~~~\_/~~~
        """,
    ),
    "two islands whose tips touch are distinct (R9)": (
        TIPS,
        """
        ~:::):::~
        ~~:::::~~
        ~~~~.~~~~
        ~~:::::~~
        ~:::::::~
        """,
    ),
    "a bridge cuts the sea before an island": (
        CORNER,
        """
        ~::::::::
        ~~~~:::):
        ==~~~~:::
        ~~==~~~::
        ~~~~=~~~~
        """,
    ),
    "three bridges end at a market": (
        MARKET,
        """
        ~~~~~~~~~
        ~~~~~~~~~
        ===[M]===
        ~~~~=~~~~
        ~~~~=~~~~
        """,
    ),
}

TILES = convert(to_builtins(load_catalogue(None).get("archipelago").tileset.tiles), list[Tile])
ALL_ROTATIONS = pytest.mark.parametrize("rotation", range(4))


@pytest.mark.parametrize(("drawn", "expected"), DRAWN.values(), ids=DRAWN)
def test_drawn_tiles(drawn: Tile, expected: str) -> None:
    assert picture_of(drawn, 0, LARGE) == expected.split()


def test_rotation_is_clockwise() -> None:
    assert picture_of(START, 1, LARGE) == ["~:::):::~", "~~:::::~~", "~~~~:~~~~", "~~~~@~><>", "~~~~=~~~~"]
    assert picture_of(START, 2, MEDIUM) == ["~~~~~~~", "=@=:)::", "~~><>~~"]
    assert picture_of(START, 3, SMALL) == ["~~@~~", ">~:~~", "~:):~"]


@ALL_ROTATIONS
@pytest.mark.parametrize("size", (LARGE, MEDIUM, SMALL), ids=["large", "medium", "small"])
def test_edges_show_their_segments(rotation: int, size: Size) -> None:
    """Tiles that fit (R3.3) go on into each other: the middle of an edge shows the segment that reaches it."""
    for tile in TILES:
        segments = turned(tile, rotation)
        ground = shape(segments, size)
        assert set(ground) == set(size.spots()), tile.id
        for index, segment in enumerate(segments):
            if isinstance(segment, Bridge | Island):
                assert all(ground[middle_of(size, edge)] == index for edge in segment.edges), tile.id


@ALL_ROTATIONS
def test_large_seas_are_connected(rotation: int) -> None:
    for tile in TILES:
        segments = turned(tile, rotation)
        ground = shape(segments, LARGE)
        for index, segment in enumerate(segments):
            if isinstance(segment, Sea):
                assert in_one_piece({spot for spot in ground if ground[spot] == index}), (tile.id, index)


@ALL_ROTATIONS
@pytest.mark.parametrize("kind", (Sea, Island))
def test_large_segments_of_one_kind_do_not_touch(rotation: int, kind: type[Sea] | type[Island]) -> None:
    """Distinct segments of one kind never lie side by side: one sees that they are two."""
    for tile in TILES:
        segments = turned(tile, rotation)
        ground = shape(segments, LARGE)
        alike = {index for index, segment in enumerate(segments) if isinstance(segment, kind)}
        for spot, index in ground.items():
            beside_it = {ground[near] for near in beside(spot) if near in ground}
            assert index not in alike or beside_it & alike <= {index}, (tile.id, spot)


@ALL_ROTATIONS
@pytest.mark.parametrize("size", (LARGE, MEDIUM), ids=["large", "medium"])
def test_every_symbol_is_drawn(rotation: int, size: Size) -> None:
    """All that is printed on a segment lies on it, beside all else, and an islander can stand on every segment."""
    for tile in TILES:
        drawn = picture(tile, rotation, size)
        taken: set[Spot] = set()
        for symbol in drawn.symbols:
            spots = {(symbol.spot[0] + step, symbol.spot[1]) for step in range(len(symbol.text))}
            assert not spots & taken, tile.id
            assert all(drawn.ground[spot] == symbol.segment for spot in spots), tile.id
            taken |= spots
        assert [drawn.ground[spot] for spot, _ in drawn.standing] == [*range(len(drawn.segments))], tile.id


def test_touching_islands_have_a_reef() -> None:
    ground = shape(turned(TIPS, 0), LARGE)
    assert [spot for spot, index in ground.items() if index == REEF] == [LARGE.middle]
