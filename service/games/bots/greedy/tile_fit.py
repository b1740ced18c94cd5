"""Which tiles of a tile set fit an open cell, and which of them close a feature there."""

from functools import lru_cache
from typing import NamedTuple

from service.engine import TileSetIndex
from service.engine.tileset_index import SIDE_OFFSETS

Opening = tuple[int, int, int]
"""Where a feature continues: the edges around an empty cell (or the step to it), its side, the slot along that side."""


class TileFit(NamedTuple):
    """Tables of tiles and openings, so that no look-up has to rotate a tile."""

    exits: tuple[tuple[tuple[Opening, ...], ...], ...]
    """[oriented tile][segment] -> its openings where no tile is adjacent; a step instead of the edges."""
    fitting_tiles: dict[int, tuple[int, ...]]
    """The edges around a cell -> the tiles that fit it (R3.3)."""
    closing_tiles: dict[Opening, tuple[int, ...]]
    """The edges around a cell, side and slot -> the tiles that close a feature there."""


@lru_cache(maxsize=32)
def build_tile_fit(index: TileSetIndex) -> TileFit:
    """Return the tables of a tile set; they are cached."""
    fitting: dict[int, list[int]] = {}
    closing: dict[Opening, dict[int, None]] = {}
    exits = tuple(
        tuple(_exits(sides, segment) for segment in range(len(index.tiles[oriented >> 2].kinds)))
        for oriented, sides in enumerate(index.slots_clockwise)
    )
    for tile, by_edges in enumerate(index.fitting_rotations):
        for packed, rotations in enumerate(by_edges):
            if rotations:
                fitting.setdefault(packed, []).append(tile)
            for rotation in rotations:
                for side, slot in _closed_openings(index.slots_clockwise[tile * 4 + rotation], packed):
                    closing.setdefault((packed, side, slot), {})[tile] = None
    return TileFit(
        exits,
        {packed: tuple(tiles) for packed, tiles in fitting.items()},
        {opening: tuple(tiles) for opening, tiles in closing.items()},
    )


def _exits(sides: tuple[tuple[int, ...], ...], segment: int) -> tuple[Opening, ...]:
    return tuple(
        (SIDE_OFFSETS[side], side ^ 2, len(slots) - 1 - slots.index(segment))
        for side, slots in enumerate(sides)
        if segment in slots
    )


def _closed_openings(sides: tuple[tuple[int, ...], ...], packed: int) -> list[tuple[int, int]]:
    """Return the sides and slots whose segment touches no side without a neighbour."""
    edges = [packed >> 2 * side & 3 for side in range(4)]
    open_segments = {segment for side, slots in enumerate(sides) if not edges[side] for segment in slots}
    return [
        (side, slot)
        for side, slots in enumerate(sides)
        if edges[side]
        for slot, segment in enumerate(slots)
        if segment not in open_segments
    ]
