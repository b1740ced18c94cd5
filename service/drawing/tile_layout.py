"""The layout of a tile: the shape and ground of each segment, bridges, and the spots of symbols.

It is computed once per tile type.

The spots of a segment's islander, wares, boat and palms are apart from each other and from the shore. Symbols are
treated as discs, so that they can stay upright when the tile rotates.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from schemas.tileset import Bridge, Island, Market, Sea, Segment
from schemas.vocabulary import EDGES, Edge
from service.drawing import terrain
from service.drawing.distance_fields import (
    FAR,
    INWARD_NORMALS,
    NODE_SPACING,
    NODES_PER_SIDE,
    TILE_CENTRE,
    DistanceField,
    Point,
    constant_field,
    disc_field,
    distance_from_path,
    edge_point,
    expand,
    smooth_union,
)

ISLET_RADII = 11.0, 23.0
"""The minimum and maximum radius of an islet."""
CROWDED_ISLET_RADIUS = 15.0
"""The radius of an islet at which bridges end, on a tile with other land."""
ISLET_MARGIN = 6.0
"""The water around an islet, if there is room."""


class InnerSegment(NamedTuple):
    """A market or an islet: its centre and radius."""

    centre: Point
    radius: float

    def field(self) -> DistanceField:
        """Return the distance of each node from it."""
        return disc_field(self.centre, self.radius)


def locate_inner_segments(
    segments: tuple[Segment, ...], parts: Sequence[terrain.Landmass], others: Iterable[DistanceField]
) -> Mapping[int, InnerSegment]:
    """Locate the inner segments: at a landmass's hub, or where `others`, the other land, leave most room."""
    located: dict[int, InnerSegment] = {}
    for part in parts:
        if part.centre is not None:
            islet = ISLET_RADII[1] if len(parts) == 1 else CROWDED_ISLET_RADIUS
            located[part.centre] = InnerSegment(part.hub, _radius(segments[part.centre], islet))
    taken = [*others, *(area.field() for area in located.values())]
    for index, segment in enumerate(segments):
        if index not in located and (
            isinstance(segment, Market) or (isinstance(segment, Island) and not segment.edges)
        ):
            centre, room = _roomiest_point(taken)
            located[index] = InnerSegment(
                centre, _radius(segment, min(max(room - ISLET_MARGIN, ISLET_RADII[0]), ISLET_RADII[1]))
            )
            taken.append(located[index].field())
    return located


def _radius(segment: Segment, islet: float) -> float:
    return terrain.MARKET_RADIUS if isinstance(segment, Market) else islet


def _roomiest_point(taken: Sequence[DistanceField]) -> tuple[Point, float]:
    """Return the point farthest from all land and edges, and its distance; of several the nearest to the centre."""
    best, most = TILE_CENTRE, -FAR
    for node, rim in enumerate(terrain.rim_distance()):
        room = min(rim, *(values[node] for values in taken)) if taken else rim
        if room > most or (
            room == most and terrain.node_point(node).distance_to(TILE_CENTRE) < best.distance_to(TILE_CENTRE)
        ):
            best, most = terrain.node_point(node), room
    return best, most


POINT_SPACING = 1.5
"""The distance between two points of a line, in units."""
BOW_DEPTH = 3.5
HANDLE_LENGTH = 29.0
ISOLATED_BRIDGE = tuple(Point(44 + POINT_SPACING * number, 50) for number in range(9))
"""The line of a bridge that reaches no edge, on a tile without a hub for it."""

Polyline = tuple[Point, ...]
"""Points at small distances, from an edge to the other end."""


def bridge_line(segments: tuple[Segment, ...], bridge: Bridge, part: terrain.Landmass | None) -> Polyline:
    """Return the complete line of a bridge, ignoring the land that covers its ends."""
    if part is None or not bridge.edges:
        return ISOLATED_BRIDGE
    if len(bridge.edges) == 1:
        return _edge_to_hub(bridge.edges[0], part.hub)
    first, second = bridge.edges
    if not part.has_hub:
        return _edge_to_edge(first, second, _bow_offset(segments, bridge))
    members = [segments[member] for member in part.members]
    twins = [member for member in members if isinstance(member, Bridge) and len(member.edges) == 2]
    return _through_hub(first, second, part.hub, aside=len(twins) > 1)


def cut_at_depth(line: Polyline, land: DistanceField, depth: float) -> Polyline:
    """Cut the line where it is `depth` units inside the land, if it is."""
    for number, point in enumerate(line):
        if number and interpolate_field(land, point) < -depth:
            return line[:number]
    return line


def interpolate_field(land: DistanceField, point: Point) -> float:
    """Return a field's value at a point, interpolated between its nodes."""
    column, row = (max(min(int(along / NODE_SPACING), NODES_PER_SIDE - 2), 0) for along in point)
    across, down = point.x / NODE_SPACING - column, point.y / NODE_SPACING - row
    start = row * NODES_PER_SIDE + column
    upper = land[start] * (1 - across) + land[start + 1] * across
    lower = land[start + NODES_PER_SIDE] * (1 - across) + land[start + NODES_PER_SIDE + 1] * across
    return upper * (1 - down) + lower * down


def point_along(line: Sequence[Point], distance: float) -> Point:
    """Return the point at a distance along a line."""
    for start, end in pairwise(line):
        step = start.distance_to(end)
        if distance <= step and step:
            return start.interpolate(end, max(distance, 0.0) / step)
        distance -= step
    return line[-1]


def _edge_to_hub(edge: Edge, hub: Point) -> Polyline:
    """Return the curve from an edge, at a right angle, to the hub."""
    start = edge_point(edge)
    handle = start.plus(INWARD_NORMALS[edge], start.distance_to(hub) / 2)
    return _bezier(start, handle, handle.interpolate(hub, 0.5), hub)


def _edge_to_edge(first: Edge, second: Edge, bow: float) -> Polyline:
    start, end = edge_point(first), edge_point(second)
    if (EDGES.index(first) - EDGES.index(second)) % 2:
        return _bezier(start, edge_point(first, HANDLE_LENGTH), edge_point(second, HANDLE_LENGTH), end)
    inward = INWARD_NORMALS[first]
    middle = Point(TILE_CENTRE.x + inward.y * bow, TILE_CENTRE.y + inward.x * bow)
    before, after = middle.plus(inward, -HANDLE_LENGTH), middle.plus(inward, HANDLE_LENGTH)
    return (
        *_bezier(start, edge_point(first, HANDLE_LENGTH), before.interpolate(middle, 0.2), middle),
        *_bezier(middle, after.interpolate(middle, 0.2), edge_point(second, HANDLE_LENGTH), end)[1:],
    )


def _bow_offset(segments: tuple[Segment, ...], bridge: Bridge) -> float:
    """Return how far a straight bridge bows away from land; 0 if there is land on both sides or on none."""
    first, _ = bridge.edges
    sides = EDGES[(EDGES.index(first) + 1) % 4], EDGES[(EDGES.index(first) + 3) % 4]
    taken = [any(side in getattr(segment, "edges", ()) for segment in segments) for side in sides]
    if taken[0] == taken[1]:
        return 0.0
    inward = INWARD_NORMALS[sides[0] if taken[0] else sides[1]]
    return BOW_DEPTH * (inward.x * INWARD_NORMALS[first].y + inward.y * INWARD_NORMALS[first].x)


def _through_hub(first: Edge, second: Edge, hub: Point, *, aside: bool) -> Polyline:
    """Return the curve from edge to edge over the hub, or beside it if another bridge crosses the hub too."""
    if aside:
        mean = edge_point(first).interpolate(edge_point(second), 0.5)
        hub = hub.interpolate(mean, 0.36)
    near_first, near_second = edge_point(first, 28), edge_point(second, 28)
    return (
        *_bezier(edge_point(first), near_first, near_first.interpolate(hub, 0.8), hub),
        *_bezier(hub, near_second.interpolate(hub, 0.8), near_second, edge_point(second))[1:],
    )


def _bezier(start: Point, first: Point, second: Point, end: Point) -> Polyline:
    steps = max(
        int((start.distance_to(first) + first.distance_to(second) + second.distance_to(end)) / POINT_SPACING), 2
    )
    return tuple(_bezier_point(start, first, second, end, step / steps) for step in range(steps + 1))


def _bezier_point(start: Point, first: Point, second: Point, end: Point, part: float) -> Point:
    """Return a point of a cubic curve (De Casteljau)."""
    middle = first.interpolate(second, part)
    before, after = start.interpolate(first, part), second.interpolate(end, part)
    return before.interpolate(middle, part).interpolate(middle.interpolate(after, part), part)


REFINEMENT_ROUNDS = 3
MAX_SLACK = 4.0
"""The distance between symbols, in units, beyond which more is not better."""
MAX_CANDIDATES = 240
MIN_SCALE = 0.5
INLAND_FRACTION = 0.6
"""The fraction of a symbol's radius that must be inland."""


class SymbolSpot(NamedTuple):
    """The point and the scale of a symbol."""

    at: Point
    scale: float

    def rotated(self, rotation: int) -> "SymbolSpot":
        """Return the spot after `rotation` quarter turns."""
        return SymbolSpot(self.at.rotated(rotation), self.scale)


def spread_spots(ground: terrain.Ground, room: DistanceField, index: int, radii: Sequence[float]) -> list[SymbolSpot]:
    """Return a spot on a segment for each symbol; the first is never scaled down."""
    nodes = [node for node, owner in enumerate(ground) if owner == index]
    if not nodes:
        return []
    inner = sorted(nodes, key=lambda node: -room[node])[: max(len(nodes) // 2, MAX_CANDIDATES)]
    step = max(len(inner) // MAX_CANDIDATES, 1)
    candidates = [(terrain.node_point(node), room[node]) for node in inner[::step]]
    chosen: list[Point] = []
    for _ in range(REFINEMENT_ROUNDS if len(radii) > 1 else 1):
        for number, radius in enumerate(radii):
            others = [(point, radii[other]) for other, point in enumerate(chosen) if other != number]
            best = max(candidates, key=lambda candidate: _slack(candidate, radius, others))[0]
            chosen[number : number + 1] = [best]
    return _scale_to_fit(chosen, radii, dict(candidates))


def spots_on_line(line: Polyline, sizes: Sequence[float], ends: tuple[float, float]) -> list[SymbolSpot]:
    """Return spots on a bridge: the islander's, then the wares', half of them on each side."""
    first = 2 * ISLANDER_RADIUS
    free = sum(start.distance_to(end) for start, end in pairwise(line)) - sum(ends)
    before = sizes[: (len(sizes) + 1) // 2]
    row = [*before, first, *sizes[len(before) :]]
    scale = min(1.0, max((free - first) / (sum(sizes) or 1.0), MIN_SCALE))
    wide = [size if number == len(before) else size * scale for number, size in enumerate(row)]
    gap = max(free - sum(wide), 0.0) / (len(row) + 1)
    points, at = [], ends[0] + gap
    for size in wide:
        points.append(point_along(line, at + size / 2))
        at += size + gap
    islander = SymbolSpot(points.pop(len(before)), 1.0)
    return [islander, *(SymbolSpot(point, scale) for point in points)]


def _slack(candidate: tuple[Point, float], radius: float, others: Sequence[tuple[Point, float]]) -> tuple[float, float]:
    """Return the minimum gap around a symbol at a candidate point, then its distance inland."""
    point, free = candidate
    apart = min((point.distance_to(other) - radius - size for other, size in others), default=MAX_SLACK)
    return min(free - radius, apart, MAX_SLACK), free


def _scale_to_fit(points: Sequence[Point], radii: Sequence[float], free: dict[Point, float]) -> list[SymbolSpot]:
    """Scale symbols down where they would overlap the shore or each other; the first keeps its size."""
    spots = []
    for number, (point, radius) in enumerate(zip(points, radii, strict=True)):
        part = min(free[point] / (radius * INLAND_FRACTION), 1.0)
        for other, (there, size) in enumerate(zip(points, radii, strict=True)):
            if other == 0:
                part = min(part, (point.distance_to(there) - size) / radius) if number else part
            elif other != number:
                part = min(part, point.distance_to(there) / (radius + size))
        spots.append(SymbolSpot(point, max(part, MIN_SCALE) if number else 1.0))
    return spots


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
    landmasses: tuple[terrain.Landmass, ...]
    islands: terrain.IslandFields
    bridge_lines: Mapping[int, Polyline]
    """The line of each bridge."""
    centres: Mapping[int, Point]
    """The centre of each market and islet."""
    ground: terrain.Ground
    islanders: Mapping[int, Point]
    """The centre of an islander, by segment."""
    wares: Mapping[int, tuple[SymbolSpot, ...]]
    """The spots of bananas, shells or fish groups, by segment, in the segment's order."""
    boats: Mapping[int, SymbolSpot]
    palms: Mapping[int, tuple[SymbolSpot, ...]]


@lru_cache(maxsize=2048)
def lay_out_tile(segments: tuple[Segment, ...]) -> TileLayout:
    """Return the layout of a tile with these segments."""
    landmasses = terrain.group_landmasses(segments)
    owners = {index: part for part in landmasses for index in part.members}
    bridges = {index: segment for index, segment in enumerate(segments) if isinstance(segment, Bridge)}
    complete_lines = {index: bridge_line(segments, bridge, owners.get(index)) for index, bridge in bridges.items()}
    reach = {index: distance_from_path(line[::2], 26) for index, line in complete_lines.items()}
    shores = terrain.island_bodies(segments, landmasses)
    inner = locate_inner_segments(
        segments,
        landmasses,
        [*shores.values(), *(expand(values, terrain.BRIDGE_HALF_WIDTH) for values in reach.values())],
    )
    markets = {index: area.field() for index, area in inner.items() if isinstance(segments[index], Market)}
    islets = {index: area.field() for index, area in inner.items() if index not in markets}
    islands = _cut_lagoons(segments, terrain.island_fields({**shores, **islets}, landmasses, reach, markets))
    lines = _cut_bridges(complete_lines, [*islands.values(), *markets.values()])
    rocks = [part.hub for part in landmasses if terrain.has_touching_tips(segments, part)]
    narrow = {index: distance_from_path(line, 10) for index, line in lines.items()}
    ground = terrain.assign_ground(segments, islands, narrow, markets, rocks)
    terrain.fill_lagoons(ground, _landlocked_seas(segments))
    centres = {index: area.centre for index, area in inner.items()}
    return _with_symbols(TileLayout(segments, landmasses, islands, lines, centres, ground, {}, {}, {}, {}))


def _landlocked_seas(segments: tuple[Segment, ...]) -> list[int]:
    return [index for index, segment in enumerate(segments) if isinstance(segment, Sea) and not segment.halves]


def _cut_lagoons(segments: tuple[Segment, ...], islands: terrain.IslandFields) -> terrain.IslandFields:
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


def _move_onto_segment(ground: terrain.Ground, clearance: DistanceField, index: int, point: Point) -> Point:
    """Return the point, or the roomiest point of its segment if another segment covers it."""
    nodes = [node for node, owner in enumerate(ground) if owner == index]
    if not nodes or ground[terrain.node_at(point)] == index:
        return point
    return terrain.node_point(max(nodes, key=lambda node: clearance[node]))


def _symbol_spots(bare: TileLayout, clearance: DistanceField, index: int) -> list[SymbolSpot]:
    """Return the spots on a segment: islander, wares, then boat or palms; empty if the segment has no ground."""
    match bare.segments[index]:
        case Bridge(shells=shells):
            sizes = [2 * SHELL_RADIUS] * symbol_count(shells)
            return spots_on_line(bare.bridge_lines[index], sizes, _bridge_margins(bare, index))
        case Island(bananas=bananas):
            radii = [BANANA_RADIUS] * symbol_count(bananas) + [PALM_RADIUS] * (1 if bananas else 2)
        case Sea(fish=fish, boat=boat):
            radii = [SHOAL_RADIUS if number == 2 else FISH_RADIUS for number in fish] + [BOAT_RADIUS] * boat
        case _:
            return [SymbolSpot(bare.centres[index], 1.0)]
    return spread_spots(bare.ground, clearance, index, [ISLANDER_RADIUS, *radii])


def symbol_count(number: int) -> int:
    """Return the number of symbols for a number of wares."""
    return number if number <= MAX_SYMBOLS else 1


def _bridge_margins(bare: TileLayout, index: int) -> tuple[float, float]:
    """Return the covered length at each end of a bridge: a stone or a beach at a hub, nothing at an edge."""
    stones = any(index in part.members and part.has_hub for part in bare.landmasses)
    return (1.0, 9.0 if stones and _ends_inland(bare.bridge_lines[index]) else 1.0)
