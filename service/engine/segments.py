"""What the chapters of the rules share: the segments of a placed tile, and the rejection of a move, with its text."""

from bisect import bisect_right
from collections.abc import Iterator

from service.engine.game import Game, Message
from service.engine.tileset_index import TileSetIndex, unpack_cell


class EngineError(Exception):
    """The base of the engine's errors; the game is unchanged when one is raised."""


class IllegalMove(EngineError):
    """An action that the rules forbid now."""

    def __init__(self, rule: str, template: str, **values: object) -> None:
        self.rule, self.reason = rule, Message(template, **values)
        super().__init__(rule, self.reason)


class GameNotActive(EngineError):
    """A game that waits for players, is finished or was aborted."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


def tile_order(game: Game, segment: int) -> int:
    """Return the order of the tile that a segment is printed on."""
    return bisect_right(game.first_segments, segment) - 1


def locate_segment(game: Game, segment: int) -> tuple[int, int, int]:
    """Return a segment's x, y and index on its tile."""
    order = bisect_right(game.first_segments, segment) - 1
    return *unpack_cell(game.cells[order]), segment - game.first_segments[order]


def feature_kind(index: TileSetIndex, game: Game, segment: int) -> int:
    """Return the kind of a segment, and so of its feature."""
    order = bisect_right(game.first_segments, segment) - 1
    return index.tiles[game.oriented_tiles[order] >> 2].kinds[segment - game.first_segments[order]]


def feature_segments(game: Game, label: int) -> Iterator[int]:
    """Yield all segments of the feature with this label."""
    feature_ring = game.feature_ring
    segment = label
    while True:
        yield segment
        segment = feature_ring[segment]
        if segment == label:
            return
