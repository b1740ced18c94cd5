"""From a segment's number over the whole board back to its tile, and from a label to its whole feature."""

from bisect import bisect_right
from collections.abc import Iterator

from service.engine.game import Game
from service.engine.tileset_index import Tables, to_xy


def order_of(game: Game, segment: int) -> int:
    """The order of the tile that a segment is printed on."""
    return bisect_right(game.bases, segment) - 1


def locate(game: Game, segment: int) -> tuple[int, int, int]:
    """A segment's x, y and its index on its tile."""
    order = bisect_right(game.bases, segment) - 1
    return *to_xy(game.cells[order]), segment - game.bases[order]


def kind_of(tables: Tables, game: Game, segment: int) -> int:
    """The kind of a segment, hence of its feature."""
    order = bisect_right(game.bases, segment) - 1
    return tables.tiles[game.turned[order] >> 2].kinds[segment - game.bases[order]]


def members(game: Game, label: int) -> Iterator[int]:
    """All segments of the feature with this label."""
    ring = game.ring
    segment = label
    while True:
        yield segment
        segment = ring[segment]
        if segment == label:
            return
