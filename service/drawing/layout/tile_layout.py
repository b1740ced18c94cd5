"""The layout of a tile: the shape and ground of each segment, and its symbols' spots. Computed once per tile type."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from schemas.tileset import Bridge, Island, Market, Sea, Segment
from service.drawing.layout import terrain
from service.drawing.layout.bridges import Polyline, bridge_line, cut_at_depth
from service.drawing.layout.distance_fields import (
    TILE_CENTRE,
    DistanceField,
    Point,
    constant_field,
    disc_field,
    distance_from_path,
    expand,
    smooth_union,
)
from service.drawing.layout.inner_segments import locate_inner_segments
from service.drawing.layout.islands import IslandFields, island_bodies, island_fields
from service.drawing.layout.landmasses import Landmass, group_landmasses, has_touching_tips
from service.drawing.layout.symbol_spots import SymbolSpot, spots_on_line, spread_spots
from service.drawing.layout.terrain import Ground

ISLANDER_RADIUS = 10.0
"""The radius of an islander."""
BANANA_RADIUS, SHELL_RADIUS, FISH_RADIUS, SHOAL_RADIUS, BOAT_RADIUS, PALM_RADIUS = 8.0, 6.0, 8.0, 10.0, 10.5, 9.5
"""The radii of symbols; a shoal is a group of two fish."""
MIN_PALM_SCALE = 0.6
BEACH_OVERLAP = 3.0
"""How far a bridge extends onto a beach."""
LAGOON_RADIUS = 20.0
MAX_SYMBOLS = 12
"""If a segment has more wares, their number is shown instead."""


class TileLayout(NamedTuple):
    """The layout of a tile type, unrotated."""

    segments: tuple[Segment, ...]
    landmasses: tuple[Landmass, ...]
    islands: IslandFields
    bridge_lines: Mapping[int, Polyline]
    """The line of each bridge."""
    centres: Mapping[int, Point]
    """The centre of each market and islet."""
    ground: Ground
    islanders: Mapping[int, Point]
    """The centre of an islander, by segment."""
    wares: Mapping[int, tuple[SymbolSpot, ...]]
    """The spots of bananas, shells or fish groups, by segment, in the segment's order."""
    boats: Mapping[int, SymbolSpot]
    palms: Mapping[int, tuple[SymbolSpot, ...]]


@lru_cache(maxsize=2048)
def lay_out_tile(segments: tuple[Segment, ...]) -> TileLayout:
    """Return the layout of a tile with these segments."""
    landmasses = group_landmasses(segments)
    owners = {index: part for part in landmasses for index in part.members}
    bridges = {index: segment for index, segment in enumerate(segments) if isinstance(segment, Bridge)}
    complete_lines = {index: bridge_line(segments, bridge, owners.get(index)) for index, bridge in bridges.items()}
    reach = {index: distance_from_path(line[::2], 26) for index, line in complete_lines.items()}
    shores = island_bodies(segments, landmasses)
    inner = locate_inner_segments(
        segments,
        landmasses,
        [*shores.values(), *(expand(values, terrain.BRIDGE_HALF_WIDTH) for values in reach.values())],
    )
    markets = {index: area.field() for index, area in inner.items() if isinstance(segments[index], Market)}
    islets = {index: area.field() for index, area in inner.items() if index not in markets}
    islands = _cut_lagoons(segments, island_fields({**shores, **islets}, landmasses, reach, markets))
    lines = _cut_bridges(complete_lines, [*islands.values(), *markets.values()])
    rocks = [part.hub for part in landmasses if has_touching_tips(segments, part)]
    narrow = {index: distance_from_path(line, 10) for index, line in lines.items()}
    ground = terrain.assign_ground(segments, islands, narrow, markets, rocks)
    terrain.fill_lagoons(ground, _landlocked_seas(segments))
    centres = {index: area.centre for index, area in inner.items()}
    return _with_symbols(TileLayout(segments, landmasses, islands, lines, centres, ground, {}, {}, {}, {}))


def _landlocked_seas(segments: tuple[Segment, ...]) -> list[int]:
    return [index for index, segment in enumerate(segments) if isinstance(segment, Sea) and not segment.halves]


def _cut_lagoons(segments: tuple[Segment, ...], islands: IslandFields) -> IslandFields:
    """Cut a round hole into the islands for each sea that reaches no edge."""
    waters = _landlocked_seas(segments)
    if not waters:
        return islands
    spread_out = [Point(50 + (number - (len(waters) - 1) / 2) * 42, 50) for number in range(len(waters))]
    holes = constant_field(1000.0)
    for centre in spread_out:
        holes = smooth_union(holes, disc_field(centre, LAGOON_RADIUS))
    return {
        index: [max(value, -hole) for value, hole in zip(shape, holes, strict=True)] for index, shape in islands.items()
    }


def _cut_bridges(complete_lines: Mapping[int, Polyline], lands: list[DistanceField]) -> dict[int, Polyline]:
    """Cut each bridge that ends inland where it has reached a beach or a quay."""
    cut_lines = {}
    for index, line in complete_lines.items():
        landed = line
        for land in lands if _ends_inland(line) else ():
            landed = cut_at_depth(landed, land, BEACH_OVERLAP)
        cut_lines[index] = landed
    return cut_lines


def _ends_inland(line: Polyline) -> bool:
    last = line[-1]
    return 1 < last.x < 99 and 1 < last.y < 99


def _with_symbols(bare: TileLayout) -> TileLayout:
    """Return the layout with the spots of all symbols."""
    clearance = terrain.measure_clearance(bare.ground)
    islanders: dict[int, Point] = {}
    wares: dict[int, tuple[SymbolSpot, ...]] = {}
    boats: dict[int, SymbolSpot] = {}
    palms: dict[int, tuple[SymbolSpot, ...]] = {}
    for index, segment in enumerate(bare.segments):
        islander, *spots = _symbol_spots(bare, clearance, index) or [SymbolSpot(TILE_CENTRE, 1.0)]
        islanders[index] = _move_onto_segment(bare.ground, clearance, index, islander.at)
        if isinstance(segment, Island):
            number = symbol_count(segment.bananas)
            palms[index] = tuple(palm for palm in spots[number:] if palm.scale > MIN_PALM_SCALE)
            spots = spots[:number]
        elif isinstance(segment, Sea) and segment.boat and spots:
            boats[index] = spots.pop()
        wares[index] = tuple(spots)
    return bare._replace(islanders=islanders, wares=wares, boats=boats, palms=palms)


def _move_onto_segment(ground: Ground, clearance: DistanceField, index: int, point: Point) -> Point:
    """Return the point, or the roomiest point of its segment if another segment covers it."""
    nodes = [node for node, owner in enumerate(ground) if owner == index]
    if not nodes or ground[terrain.node_at(point)] == index:
        return point
    return terrain.node_point(max(nodes, key=lambda node: clearance[node]))


def _symbol_spots(bare: TileLayout, clearance: DistanceField, index: int) -> list[SymbolSpot]:
    """Return the spots on a segment: islander, wares, then boat or palms; empty if the segment has no ground."""
    match bare.segments[index]:
        case Bridge(shells=shells):
            return spots_on_line(
                bare.bridge_lines[index],
                [2 * SHELL_RADIUS] * symbol_count(shells),
                2 * ISLANDER_RADIUS,
                _bridge_margins(bare, index),
            )
        case Island(bananas=bananas):
            trees = 1 if bananas else 2
            return spread_spots(
                bare.ground,
                clearance,
                index,
                [ISLANDER_RADIUS, *[BANANA_RADIUS] * symbol_count(bananas), *[PALM_RADIUS] * trees],
            )
        case Sea(fish=fish, boat=boat):
            shoals = [SHOAL_RADIUS if number == 2 else FISH_RADIUS for number in fish]
            return spread_spots(
                bare.ground, clearance, index, [ISLANDER_RADIUS, *shoals, *([BOAT_RADIUS] if boat else [])]
            )
        case Market():
            return [SymbolSpot(bare.centres[index], 1.0)]


def symbol_count(number: int) -> int:
    """Return the number of symbols for a number of wares."""
    return number if number <= MAX_SYMBOLS else 1


def _bridge_margins(bare: TileLayout, index: int) -> tuple[float, float]:
    """Return the covered length at each end of a bridge: a stone or a beach at a hub, nothing at an edge."""
    stones = any(index in part.members and part.has_hub for part in bare.landmasses)
    return (1.0, 9.0 if stones and _ends_inland(bare.bridge_lines[index]) else 1.0)
