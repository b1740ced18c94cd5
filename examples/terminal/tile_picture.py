"""A tile as characters: its ground, its printed symbols, and where an islander stands on each segment."""

from functools import cache
from typing import NamedTuple

import msgspec

from examples.terminal.tile_shape import REEF, Ground, Size, Spot, shape, turned
from south_seas.models import Bridge, Island, Market, Sea, Segment, Tile

LARGE = Size(9, 5)
MEDIUM = Size(7, 3)
SMALL = Size(5, 3)

ONE_FISH = ("><>", ">")
TWO_FISH = ("><><>", ">><>", ">>")
BOAT = (r"\_/", "u")
SHELL = ("@",)
BANANA = (")",)
MARKET = ("[M]", "M")
"""Each symbol, from its roomiest form to its smallest."""

LYING = 3
"""How wide a fisherman lies, where the sea is wide enough."""


class Symbol(NamedTuple):
    """Something printed on a tile: `group` is a fish group's number, None for all else."""

    kind: str
    text: str
    spot: Spot
    segment: int
    group: int | None = None


class Picture(NamedTuple):
    """A drawn tile without islanders."""

    segments: tuple[Segment, ...]
    ground: Ground
    symbols: tuple[Symbol, ...]
    standing: tuple[tuple[Spot, int], ...]
    """Per segment where its islander begins, and how wide it may be."""


def picture(tile: Tile, rotation: int, size: Size) -> Picture:
    """Return the picture of a rotated tile."""
    return _picture(msgspec.json.encode(tile), rotation, size)


@cache
def _picture(encoded_tile: bytes, rotation: int, size: Size) -> Picture:
    segments = turned(msgspec.json.decode(encoded_tile, type=Tile), rotation)
    ground = shape(segments, size)
    free = set(ground)
    symbols = []
    standing = []
    for index, segment in enumerate(segments):
        for kind, texts, group in _printed(segment, [*ground.values()].count(index)):
            symbol = _symbol(kind, texts if size != SMALL else texts[-1:], index, group, ground, free)
            symbols.append(symbol)
            free -= _covered((symbol.spot, len(symbol.text)))
        standing.append(_run(ground, free, index, LYING if isinstance(segment, Sea) and size != SMALL else 1))
    return Picture(segments, ground, tuple(symbols), tuple(standing))


def _printed(segment: Segment, room: int) -> list[tuple[str, tuple[str, ...], int | None]]:
    """Yield the kind, forms and fish group of each symbol on a segment of `room` spots."""
    match segment:
        case Bridge(shells=shells):
            return _wares("shell", SHELL, shells, room)
        case Island(bananas=bananas):
            return _wares("banana", BANANA, bananas, room)
        case Sea(fish=fish, boat=boat):
            groups: list[tuple[str, tuple[str, ...], int | None]] = [
                ("fish", ONE_FISH if number == 1 else TWO_FISH, group) for group, number in enumerate(fish)
            ]
            return [*groups, ("boat", BOAT, None)] if boat else groups
        case Market():
            return [("market", MARKET, None)]


def _wares(kind: str, texts: tuple[str, ...], number: int, room: int) -> list[tuple[str, tuple[str, ...], int | None]]:
    """Yield a symbol for each ware, or their number if the segment has too little room."""
    return [(kind, texts, None)] * number if number < max(room, 2) else [(kind, (str(number),), None)]


def _symbol(
    kind: str, texts: tuple[str, ...], segment: int, group: int | None, ground: Ground, free: set[Spot]
) -> Symbol:
    """Return a symbol in its largest form that leaves a spot free, or in its smallest form."""
    if kind == "market":
        spots = sorted(spot for spot, index in ground.items() if index == segment)
        return Symbol(kind, MARKET[0] if len(spots) == 3 else MARKET[1], spots[0], segment)
    room = [ground[spot] for spot in free].count(segment)
    for text in texts:
        spot, width = _run(ground, free, segment, len(text))
        if width == len(text) and (len(text) < room or text == texts[-1]):
            return Symbol(kind, text, spot, segment, group)
    return Symbol(kind, texts[-1], _run(ground, set(ground), segment, 1)[0], segment, group)


def _run(ground: Ground, free: set[Spot], segment: int, width: int) -> tuple[Spot, int]:
    """Return the spot for a text of `width` on a segment, as far from other segments as possible."""
    mine = [spot for spot, index in ground.items() if index == segment]
    open_spots = {spot for spot in mine if spot in free}
    runs = [spot for spot in sorted(open_spots) if _covered((spot, width)) <= open_spots]
    if runs:
        others = [spot for spot, index in ground.items() if index not in (segment, REEF)]
        return max(runs, key=lambda run: _room((run, width), others, mine)), width
    if width > 1:
        return _run(ground, free, segment, 1)
    return (mine or [(0, 0)])[len(mine) // 2], 1


def _covered(place: tuple[Spot, int]) -> set[Spot]:
    (column, row), width = place
    return {(column + step, row) for step in range(width)}


def _room(place: tuple[Spot, int], others: list[Spot], mine: list[Spot]) -> tuple[float, float]:
    """How far a place is from other segments, then how near to the middle of its own."""
    room = min((_distance(one, other) for one in _covered(place) for other in others), default=9.0)
    middle = sum(column for column, _ in mine) / len(mine), sum(row for _, row in mine) / len(mine)
    (column, row), width = place
    return min(room, 2.0), -_distance((column + (width - 1) / 2, row), middle)


def _distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Between two spots, in rows: a character is about half as wide as it is high."""
    return abs(one[0] - other[0]) / 2 + abs(one[1] - other[1])
