"""What follows from a tile set alone: which tiles fit an open cell, which of them end a feature there."""

from functools import lru_cache
from typing import NamedTuple

from service.engine import TileSetIndex
from service.engine.tileset_index import SIDE_OFFSETS

Opening = tuple[int, int, int]
"""Where a feature goes on: the edges around an empty cell (or the step to it), its side, the slot along that side."""


class Fitting(NamedTuple):
    """Lists of tiles and openings, so that no question has to turn a tile."""

    exits: tuple[tuple[tuple[Opening, ...], ...], ...]
    """[turned tile][segment] -> the openings where nothing lies beside it; a step instead of a cell."""
    fit: dict[int, tuple[int, ...]]
    """The edges around a cell -> the tiles that fit it (R3.3)."""
    end: dict[Opening, tuple[int, ...]]
    """The edges around a cell, side and place -> the tiles with which a feature there needs no further cell."""


@lru_cache(maxsize=32)
def fitting(index: TileSetIndex) -> Fitting:
    """The lists for a tile set, made once."""
    fit: dict[int, list[int]] = {}
    end: dict[Opening, dict[int, None]] = {}
    exits = tuple(
        tuple(_exits(sides, segment) for segment in range(len(index.tiles[turned >> 2].kinds)))
        for turned, sides in enumerate(index.slots_clockwise)
    )
    for tile, by_edges in enumerate(index.fitting_rotations):
        for packed, rotations in enumerate(by_edges):
            if rotations:
                fit.setdefault(packed, []).append(tile)
            for rotation in rotations:
                for side, place in _ends(index.slots_clockwise[tile * 4 + rotation], packed):
                    end.setdefault((packed, side, place), {})[tile] = None
    return Fitting(
        exits,
        {packed: tuple(tiles) for packed, tiles in fit.items()},
        {opening: tuple(tiles) for opening, tiles in end.items()},
    )


def _exits(sides: tuple[tuple[int, ...], ...], segment: int) -> tuple[Opening, ...]:
    return tuple(
        (SIDE_OFFSETS[side], side ^ 2, len(slots) - 1 - slots.index(segment))
        for side, slots in enumerate(sides)
        if segment in slots
    )


def _ends(sides: tuple[tuple[int, ...], ...], packed: int) -> list[tuple[int, int]]:
    """The sides and places whose segment reaches no side without a neighbour."""
    shown = [packed >> 2 * side & 3 for side in range(4)]
    loose = {segment for side, slots in enumerate(sides) if not shown[side] for segment in slots}
    return [
        (side, place)
        for side, slots in enumerate(sides)
        if shown[side]
        for place, segment in enumerate(slots)
        if segment not in loose
    ]
