"""Names of tiles and of the segments on them.

Tiles are named after what they show, so that those of every set have names in every language.

A name says the land and the wares. Tiles of a set that share these are told apart by their sides, where these differ,
and else by their number in the set.

Segments of a kind are told apart by where they lie.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import atan2, hypot, pi
from typing import NamedTuple

from schemas.tileset import Bridge, Island, Market, Sea, Segment, Tile, TileSet
from schemas.vocabulary import EDGES, Edge, EdgeKind, Wares
from service.engine import TileSetIndex
from service.engine.tileset_index import FEATURE_KINDS
from service.i18n.phrases import TEXTS, Language, Translator, get_translator, ware_counts

_SHAPES = ("inner", "end", "bend", "straight", "three", "all")


class TileName(NamedTuple):
    """A tile's name; only the full one is unique in its set."""

    land: str
    """Without the wares, for texts about a tile that is known."""
    full: str


@lru_cache(maxsize=32)
def tile_names(language: Language, index: TileSetIndex) -> tuple[TileName, ...]:
    """Return the names of a set's tiles, by tile number."""
    return name_tiles(get_translator(language), index.tileset)


def name_tiles(translator: Translator, tileset: TileSet) -> tuple[TileName, ...]:
    """Return the names of a set's tiles, in the order of the set."""
    lands = [_land(translator, tile) for tile in tileset.tiles]
    details = [[*_wares(translator, tile)] for tile in tileset.tiles]
    sides = [_sides(translator, tile) for tile in tileset.tiles]
    numbers = [translator.gettext("no. {number}", number=number) for number, _ in enumerate(lands, start=1)]
    for extras in (sides, numbers):
        alike: dict[tuple[str, ...], list[int]] = {}
        for position, land in enumerate(lands):
            alike.setdefault((land, *details[position]), []).append(position)
        for positions in alike.values():
            if len({extras[position] for position in positions}) > 1:
                for position in positions:
                    details[position].append(extras[position])
    return tuple(
        TileName(land, f"{land} ({', '.join(more)})" if more else land)
        for land, more in zip(lands, details, strict=True)
    )


def _land(translator: Translator, tile: Tile) -> str:
    """Return a tile's land: market and islands, with bridges; bridges alone; or the open sea."""
    islands = [segment.edges for segment in tile.segments if isinstance(segment, Island)]
    bridges = [segment.edges for segment in tile.segments if isinstance(segment, Bridge)]
    main = [translator.gettext("market") for segment in tile.segments if isinstance(segment, Market)]
    main += _counted_shapes(translator, islands, "island", has_pairs=True)
    if not main:
        alone = translator.join_list([*_counted_shapes(translator, bridges, "bridge")])
        return alone or translator.gettext("open sea")
    land = translator.join_list(main)
    if not bridges:
        return land
    added = translator.join_list([*_counted_shapes(translator, bridges, "with_bridge", has_pairs=True)])
    return translator.gettext("{land} with {bridges}", land=land, bridges=added)


def _counted_shapes(
    translator: Translator, segments: Sequence[tuple[Edge, ...]], kind: str, *, has_pairs: bool = False
) -> Iterator[str]:
    """Yield the shapes of segments with their numbers; with `has_pairs` two ends are at a corner, or opposite."""
    shapes = [_shape(edges) for edges in segments]
    for shape in _SHAPES:
        number = shapes.count(shape)
        if shape == "end" and number == 2 and has_pairs:
            ends = [edge for edges in segments if len(edges) == 1 for edge in edges]
            yield translator.text(f"two_ends.{kind}.{_shape(ends)}")
        elif number:
            yield translator.count(f"shape.{kind}.{shape}", number)


def _shape(edges: Sequence[Edge]) -> str:
    if len(edges) != 2:
        return ("inner", "end", "", "three", "all")[len(edges)]
    first, second = map(EDGES.index, edges)
    return "straight" if abs(first - second) == 2 else "bend"


def _wares(translator: Translator, tile: Tile) -> Iterator[str]:
    """Yield what is printed on a tile's land and sea."""
    yield from ware_counts(
        translator,
        Wares(
            bananas=sum(segment.bananas for segment in tile.segments if isinstance(segment, Island)),
            shells=sum(segment.shells for segment in tile.segments if isinstance(segment, Bridge)),
            fish=sum(sum(segment.fish) for segment in tile.segments if isinstance(segment, Sea)),
        ),
    )
    if any(isinstance(segment, Sea) and segment.boat for segment in tile.segments):
        yield translator.gettext("boat")


def _sides(translator: Translator, tile: Tile) -> str:
    """Return the kinds of a tile's sides clockwise, from the same one whatever its rotation."""
    kinds: list[EdgeKind] = [getattr(tile.edges, edge) for edge in EDGES]
    first = min(range(4), key=lambda side: kinds[side:] + kinds[:side])
    words = [translator.text(f"side.{kind}") for kind in kinds[first:] + kinds[:first]]
    return translator.gettext("clockwise: {sides}", sides=", ".join(words))


_MIDDLE = TEXTS["direction.middle"]
_DIRECTIONS = tuple(TEXTS[f"direction.{point}"] for point in ("n", "ne", "e", "se", "s", "sw", "w", "nw"))
_EDGE_POINTS = ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))
"""The middles of the edges, x to the east and y to the south."""
_HALF_POINTS = ((-0.5, -1.0), (0.5, -1.0), (1.0, -0.5), (1.0, 0.5), (0.5, 1.0), (-0.5, 1.0), (-1.0, 0.5), (-1.0, -0.5))
"""The middles of the half-edges."""

Point = tuple[float, float]


def segment_phrase(translator: Translator, index: TileSetIndex, oriented_tile: int, segment: int) -> str:
    """Return a segment of a placed tile, such as "in the sea region in the north"."""
    phrase = translator.text(f"segment.{FEATURE_KINDS[index.tiles[oriented_tile >> 2].kinds[segment]]}")
    direction = _directions(index, oriented_tile)[segment]
    if direction is None:
        return phrase
    text, number = direction
    return f"{phrase} {translator.gettext(text)}" + (f" ({number})" if number > 1 else "")


@lru_cache(maxsize=4096)
def _directions(index: TileSetIndex, oriented_tile: int) -> tuple[tuple[str, int] | None, ...]:
    """Return each segment's direction, numbered where several of a kind have the same one."""
    tile, rotation = divmod(oriented_tile, 4)
    segments = index.tileset.tiles[tile].segments
    kinds = index.tiles[tile].kinds
    directions: list[tuple[str, int] | None] = [None] * len(segments)
    for kind in set(kinds):
        alike = [number for number, other in enumerate(kinds) if other == kind]
        if len(alike) > 1:
            centres = [_centre(segments[number], rotation) for number in alike]
            for number, direction in zip(alike, _tell_apart(centres), strict=True):
                directions[number] = direction
    return tuple(directions)


def _tell_apart(centres: Sequence[Point]) -> Iterator[tuple[str, int]]:
    """Yield the directions of segments; of several in one direction, the nearest to the middle is said to lie there."""
    texts = [_direction(point) for point in centres]
    for text in sorted(set(texts) - {_MIDDLE}):
        alike = [number for number, other in enumerate(texts) if other == text]
        if len(alike) > 1 and _MIDDLE not in texts:
            texts[min(alike, key=lambda number: hypot(*centres[number]))] = _MIDDLE
    for number, text in enumerate(texts):
        yield text, texts[: number + 1].count(text)


def _direction(point: Point) -> str:
    if hypot(*point) < 0.1:
        return _MIDDLE
    x, y = point
    return _DIRECTIONS[round(atan2(x, -y) / (pi / 4)) % 8]


def _centre(segment: Segment, rotation: int) -> Point:
    """Return the centre of a segment's edges after some quarter turns."""
    points = [*_border_points(segment)]
    x, y = (sum(axis) / len(points) for axis in zip(*points, strict=True)) if points else (0.0, 0.0)
    for _ in range(rotation):
        x, y = -y, x
    return x, y


def _border_points(segment: Segment) -> Iterator[Point]:
    match segment:
        case Bridge() | Island():
            yield from (_EDGE_POINTS[EDGES.index(edge)] for edge in segment.edges)
        case Sea():
            yield from (_HALF_POINTS[half] for half in segment.halves)
        case Market():
            pass  # it reaches no border
