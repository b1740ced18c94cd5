"""The plan of a tile: the shape and the ground of each segment, and where everything on it lies. Made once per type."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from schemas.tileset import Bridge, Island, Market, Sea, Segment
from service.web.drawing.layout import terrain
from service.web.drawing.layout.bridges import Line, bridge_line, cut
from service.web.drawing.layout.distance_fields import MIDDLE, Field, Point, constant, disc, grown, near, united
from service.web.drawing.layout.inner_segments import middles
from service.web.drawing.layout.islands import Lands, bodies, island_fields
from service.web.drawing.layout.landmasses import Part, parts, tips
from service.web.drawing.layout.layout_points import Laid, on_line, spread
from service.web.drawing.layout.terrain import Ground

FIGURE = 10.0
"""The radius of an islander."""
BANANA, SHELL, FISH, SHOAL, BOAT, PALM = 8.0, 6.0, 8.0, 10.0, 10.5, 9.5
"""The radii of what lies on a tile; a shoal is a group of two fish."""
SMALLEST_PALM = 0.6
BEACHED = 3.0
"""How far a bridge runs up a beach."""
LAGOON = 20.0
MANY = 12
"""More wares than these on one segment are shown as a number."""


class Plan(NamedTuple):
    """How a type of tile looks, unturned."""

    segments: tuple[Segment, ...]
    parts: tuple[Part, ...]
    islands: Lands
    lines: Mapping[int, Line]
    """The line of each bridge."""
    middles: Mapping[int, Point]
    """Where each market and each islet is."""
    ground: Ground
    islanders: Mapping[int, Point]
    """Where an islander stands or lies, by segment."""
    wares: Mapping[int, tuple[Laid, ...]]
    """Where bananas, shells or fish groups lie, in the segment's order."""
    boats: Mapping[int, Laid]
    palms: Mapping[int, tuple[Laid, ...]]


@lru_cache(maxsize=2048)
def plan(segments: tuple[Segment, ...]) -> Plan:
    """The plan of a tile with these segments."""
    joined = parts(segments)
    owners = {index: part for part in joined for index in part.members}
    bridges = {index: segment for index, segment in enumerate(segments) if isinstance(segment, Bridge)}
    whole = {index: bridge_line(segments, bridge, owners.get(index)) for index, bridge in bridges.items()}
    reach = {index: near(line[::2], 26) for index, line in whole.items()}
    shores = bodies(segments, joined)
    places = middles(
        segments, joined, [*shores.values(), *(grown(values, terrain.BRIDGE) for values in reach.values())]
    )
    markets = {index: place.field() for index, place in places.items() if isinstance(segments[index], Market)}
    islets = {index: place.field() for index, place in places.items() if index not in markets}
    islands = _with_lagoons(segments, island_fields({**shores, **islets}, joined, reach, markets))
    lines = _landed(whole, [*islands.values(), *markets.values()])
    rocks = [part.hub for part in joined if tips(segments, part)]
    narrow = {index: near(line, 10) for index, line in lines.items()}
    ground = terrain.grounds(segments, islands, narrow, markets, rocks)
    terrain.fill_lagoons(ground, _landlocked(segments))
    centres = {index: place.at for index, place in places.items()}
    return _furnished(Plan(segments, joined, islands, lines, centres, ground, {}, {}, {}, {}))


def _landlocked(segments: tuple[Segment, ...]) -> list[int]:
    return [index for index, segment in enumerate(segments) if isinstance(segment, Sea) and not segment.halves]


def _with_lagoons(segments: tuple[Segment, ...], islands: Lands) -> Lands:
    """Seas that reach no edge lie within the land: it leaves a round water in the middle."""
    waters = _landlocked(segments)
    if not waters:
        return islands
    spread_out = [Point(50 + (number - (len(waters) - 1) / 2) * 42, 50) for number in range(len(waters))]
    holes = constant(1000.0)
    for middle in spread_out:
        holes = united(holes, disc(middle, LAGOON))
    return {
        index: [max(value, -hole) for value, hole in zip(shape, holes, strict=True)] for index, shape in islands.items()
    }


def _landed(whole: Mapping[int, Line], lands: list[Field]) -> dict[int, Line]:
    """Bridges end where they have run up a beach or a quay; those from edge to edge never do."""
    cut_lines = {}
    for index, line in whole.items():
        landed = line
        for land in lands if _ends(line) else ():
            landed = cut(landed, land, BEACHED)
        cut_lines[index] = landed
    return cut_lines


def _ends(line: Line) -> bool:
    last = line[-1]
    return 1 < last.x < 99 and 1 < last.y < 99


def _furnished(bare: Plan) -> Plan:
    """The plan with everything in its place."""
    room = terrain.room(bare.ground)
    islanders: dict[int, Point] = {}
    wares: dict[int, tuple[Laid, ...]] = {}
    boats: dict[int, Laid] = {}
    palms: dict[int, tuple[Laid, ...]] = {}
    for index, segment in enumerate(bare.segments):
        standing, *things = _laid(bare, room, index) or [Laid(MIDDLE, 1.0)]
        islanders[index] = _on_ground(bare.ground, room, index, standing.at)
        if isinstance(segment, Island):
            number = shown(segment.bananas)
            palms[index] = tuple(palm for palm in things[number:] if palm.scale > SMALLEST_PALM)
            things = things[:number]
        elif isinstance(segment, Sea) and segment.boat and things:
            boats[index] = things.pop()
        wares[index] = tuple(things)
    return bare._replace(islanders=islanders, wares=wares, boats=boats, palms=palms)


def _on_ground(ground: Ground, room: Field, index: int, at: Point) -> Point:
    """The place itself, or the roomiest of its segment where it is covered by another."""
    nodes = [node for node, owner in enumerate(ground) if owner == index]
    if not nodes or ground[terrain.node_at(at)] == index:
        return at
    return terrain.place(max(nodes, key=lambda node: room[node]))


def _laid(bare: Plan, room: Field, index: int) -> list[Laid]:
    """The places of what is on a segment: an islander, then wares, then boat or palms; none where it has no ground."""
    match bare.segments[index]:
        case Bridge(shells=shells):
            return on_line(bare.lines[index], [2 * SHELL] * shown(shells), 2 * FIGURE, _margins(bare, index))
        case Island(bananas=bananas):
            trees = 1 if bananas else 2
            return spread(bare.ground, room, index, [FIGURE, *[BANANA] * shown(bananas), *[PALM] * trees])
        case Sea(fish=fish, boat=boat):
            shoals = [SHOAL if number == 2 else FISH for number in fish]
            return spread(bare.ground, room, index, [FIGURE, *shoals, *([BOAT] if boat else [])])
        case Market():
            return [Laid(bare.middles[index], 1.0)]


def shown(number: int) -> int:
    """How many symbols are drawn of so many wares."""
    return number if number <= MANY else 1


def _margins(bare: Plan, index: int) -> tuple[float, float]:
    """What the ends of a bridge's line are covered by: nothing at an edge, a stone or a beach at a hub."""
    stones = any(index in part.members and part.meets for part in bare.parts)
    return (1.0, 9.0 if stones and _ends(bare.lines[index]) else 1.0)
