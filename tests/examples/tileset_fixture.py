"""A small set of tiles, and drawings as plain text."""

from collections.abc import Iterable

from rich.text import Text

from examples.terminal.board import TileView, draw_single_tile
from examples.terminal.tile_shape import Size
from south_seas.models import Bridge, Edge, Edges, Island, Market, Sea, Tile


def tile(name: str, edges: dict[str, str], *segments: Bridge | Island | Market | Sea) -> Tile:
    return Tile(id=name, count=1, edges=Edges(**edges), segments=[*segments])


def sea(*halves: int, fish: tuple[int, ...] = (), boat: bool = False) -> Sea:
    return Sea(halves=[*halves], fish=[*fish], boat=boat)


def bridge(*edges: Edge, shells: int = 0) -> Bridge:
    return Bridge(edges=[*edges], shells=shells)


def island(*edges: Edge, bananas: int = 0) -> Island:
    return Island(edges=[*edges], bananas=bananas)


START = tile(
    "start",
    {"n": "sea", "e": "bridge", "s": "sea", "w": "island"},
    island("w", bananas=1),
    bridge("e", shells=1),
    sea(0, 1, 2, fish=(1,)),
    sea(3, 4, 5),
)
BENDS = tile(
    "bends",
    {"n": "bridge", "e": "bridge", "s": "bridge", "w": "bridge"},
    bridge("n", "e"),
    bridge("s", "w"),
    sea(1, 2),
    sea(0, 3, 4, 7, fish=(2,)),
    sea(5, 6),
)
PAST = tile(
    "past",
    {"n": "island", "e": "bridge", "s": "sea", "w": "bridge"},
    island("n"),
    bridge("e", "w", shells=2),
    sea(2, 7),
    sea(3, 4, 5, 6, boat=True),
)
TIPS = tile(
    "tips",
    {"n": "island", "e": "sea", "s": "island", "w": "sea"},
    island("n", bananas=1),
    island("s"),
    sea(2, 3),
    sea(6, 7),
)
CORNER = tile(
    "corner",
    {"n": "island", "e": "island", "s": "bridge", "w": "bridge"},
    island("n", "e", bananas=1),
    bridge("s", "w"),
    sea(4, 7),
    sea(5, 6),
)
MARKET = tile(
    "market",
    {"n": "sea", "e": "bridge", "s": "bridge", "w": "bridge"},
    Market(),
    bridge("e"),
    bridge("s"),
    bridge("w"),
    sea(7, 0, 1, 2),
    sea(3, 4),
    sea(5, 6),
)
ATOLL = tile("atoll", {"n": "sea", "e": "sea", "s": "sea", "w": "sea"}, island(), sea(*range(8), fish=(2, 1)))


def plain(lines: Iterable[Text]) -> list[str]:
    return [line.plain for line in lines]


def picture_of(drawn: Tile, rotation: int, size: Size) -> list[str]:
    return plain(draw_single_tile(TileView(drawn, rotation), size))
