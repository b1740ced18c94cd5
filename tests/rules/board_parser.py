"""A parser of boards drawn as text.

A tile is five rows of five characters under its number: 0 is the start tile, 1 the first one drawn, and so on. Tiles
side by side in the text lie side by side on the board, all unturned; `.` is a cell without a tile. Numbers without rows
are tiles of open sea.

    0       1
  ~~~~~   ~~~~~
  ~~~~F   ~~~~~       a bridge with one shell from a junction to an island with two bananas,
  ~~o--   -s###       and a group of two fish in the one sea around them
  ~~~~~   ~~bb#
  ~~~~~   ~~~~~

~ sea      f one fish    F a group of two fish    B a boat
- | +      a bridge      s a shell on it          o a junction stone, where bridges end
#          an island     b a banana on it         M a market

Segments are numbered in reading order, by their first character. A side is what its middle character is.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple, get_args

from schemas.tileset import Bridge, Edges, Island, Market, Sea, Segment, Tile
from schemas.vocabulary import EDGES, EdgeKind

KINDS = {
    **dict.fromkeys("~fFB", "sea"),
    **dict.fromkeys("-|+s", "bridge"),
    **dict.fromkeys("#b", "island"),
    "M": "market",
    "o": "junction",
}
FISH = {"f": 1, "F": 2}

Spot = tuple[int, int]
"""Column and row of a character in a tile's picture."""

SIZE = 5
MIDDLES: dict[str, Spot] = {"n": (2, 0), "e": (4, 2), "s": (2, 4), "w": (0, 2)}
HALVES: tuple[Spot, ...] = ((1, 0), (3, 0), (4, 1), (4, 3), (3, 4), (1, 4), (0, 3), (0, 1))

Picture = Sequence[str]

OPEN_SEA: Picture = ("~~~~~",) * SIZE


def read_drawings(file: str) -> Iterator[tuple[list[str], str]]:
    """Yield the drawings of a file in this folder, each with the parts of its heading: `== name | more`."""
    for section in Path(__file__).with_name(file).read_text(encoding="utf-8").split("\n== ")[1:]:
        heading, _, drawing = section.partition("\n")
        yield heading.split(" | "), drawing


BOARDS = {heading[0]: drawing for heading, drawing in read_drawings("boards.txt")}
"""The drawings of `boards.txt` by name."""


class Drawn(NamedTuple):
    """A tile and where it is drawn, counted from the start tile."""

    tile: Tile
    x: int
    y: int


def read_board(drawing: str) -> list[Drawn]:
    """Return the tiles of a drawing in the order of their numbers."""
    result: dict[int, tuple[Picture, int, int]] = {}
    for y, band in enumerate(dedent(drawing).strip("\n").split("\n\n")):
        numbers, *rows = (line.split() for line in band.splitlines())
        for x, (number, *picture) in enumerate(zip(numbers, *rows, strict=True)):
            if number != ".":
                assert int(number) not in result, number
                result[int(number)] = (picture or OPEN_SEA, x, y)
    assert sorted(result) == [*range(len(result))], sorted(result)
    _, start_x, start_y = result[0]
    return [
        Drawn(read_tile(f"tile-{number}", picture), x - start_x, y - start_y)
        for number, (picture, x, y) in sorted(result.items())
    ]


def read_tile(name: str, picture: Picture, count: int = 1) -> Tile:
    """One tile of five rows."""
    assert [len(row) for row in picture] == [SIZE] * SIZE, picture
    return Tile(
        id=name,
        count=count,
        edges=Edges(**{edge: _edge_kind(_at(picture, MIDDLES[edge])) for edge in EDGES}),
        segments=tuple(_segment(picture, spots) for spots in _pieces(picture)),
    )


def _at(picture: Picture, spot: Spot) -> str:
    column, row = spot
    return picture[row][column]


def _edge_kind(character: str) -> EdgeKind:
    for kind in get_args(EdgeKind):
        if KINDS[character] == kind:
            result: EdgeKind = kind
            return result
    raise AssertionError(character)


def _pieces(picture: Picture) -> list[list[Spot]]:
    """Return the spots of each segment, in reading order."""
    seen: set[Spot] = set()
    pieces = []
    for spot in ((column, row) for row in range(SIZE) for column in range(SIZE)):
        if spot not in seen and KINDS[_at(picture, spot)] != "junction":
            piece = _flood(picture, spot)
            seen |= piece
            pieces.append(sorted(piece, key=lambda one: (one[1], one[0])))
    return pieces


def _flood(picture: Picture, start: Spot) -> set[Spot]:
    kind = KINDS[_at(picture, start)]
    piece = {start}
    todo = [start]
    while todo:
        column, row = todo.pop()
        for spot in ((column, row - 1), (column + 1, row), (column, row + 1), (column - 1, row)):
            inside = 0 <= spot[0] < SIZE and 0 <= spot[1] < SIZE
            if inside and spot not in piece and KINDS[_at(picture, spot)] == kind:
                piece.add(spot)
                todo.append(spot)
    return piece


def _segment(picture: Picture, spots: list[Spot]) -> Segment:
    characters = [_at(picture, spot) for spot in spots]
    edges = tuple(edge for edge in EDGES if MIDDLES[edge] in spots)
    match KINDS[characters[0]]:
        case "bridge":
            return Bridge(edges=edges, shells=characters.count("s"))
        case "island":
            return Island(edges=edges, bananas=characters.count("b"))
        case "market":
            return Market()
        case _:
            return Sea(
                halves=tuple(half for half in range(8) if HALVES[half] in spots and _has_halves(picture, half // 2)),
                fish=tuple(FISH[character] for character in characters if character in FISH),
                boat="B" in characters,
            )


def _has_halves(picture: Picture, side: int) -> bool:
    """Return the halves of an edge; an island edge has none (R0)."""
    return KINDS[_at(picture, MIDDLES[EDGES[side]])] != "island"
