"""From a segment's number over the whole board back to its tile, and from a label to its whole feature."""

from bisect import bisect_right
from collections.abc import Iterator

from service.engine.game import Game
from service.engine.tileset_index import TileSetIndex, unpack_cell


def tile_order(game: Game, segment: int) -> int:
    """The order of the tile that a segment is printed on."""
    return bisect_right(game.first_segments, segment) - 1


def locate_segment(game: Game, segment: int) -> tuple[int, int, int]:
    """A segment's x, y and its index on its tile."""
    order = bisect_right(game.first_segments, segment) - 1
    return *unpack_cell(game.cells[order]), segment - game.first_segments[order]


def feature_kind(index: TileSetIndex, game: Game, segment: int) -> int:
    """The kind of a segment, hence of its feature."""
    order = bisect_right(game.first_segments, segment) - 1
    return index.tiles[game.oriented_tiles[order] >> 2].kinds[segment - game.first_segments[order]]


def feature_segments(game: Game, label: int) -> Iterator[int]:
    """All segments of the feature with this label."""
    ring = game.feature_ring
    segment = label
    while True:
        yield segment
        segment = ring[segment]
        if segment == label:
            return
