"""Validation of tile sets beyond their JSON shape.

`parse_tileset` decodes a file into a tile set that the engine can rely on, or raises all its faults at once.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

import msgspec

from schemas.base import without_bom
from schemas.tileset import MAX_TYPES, Bridge, Island, Market, Sea, Segment, Ship, Tile, TileSet
from schemas.vocabulary import EDGES, Edge, Half
from service.engine.segments import EngineError

MAX_FILE_BYTES = 2**20
"""500 types of tiles with many segments each have half of it. A file is checked in a time proportional to its size."""
MIN_TILES, MAX_TILES = 2, 500
"""At least the start tile and one to draw; at most what COORDINATE_LIMIT allows."""
MAX_POINTS = 2**31 - 1
"""Points are int32 in the API, and one player may win every ship."""
MAX_BRIDGE_EDGES = 2

Part = TypeVar("Part", Tile, Ship)


class Fault(NamedTuple):
    """A fault: its path, as `tiles[3].segments[2].halves` (`$` is the whole file), and the reason."""

    path: str
    reason: str

    def __str__(self) -> str:
        return self.reason if self.path == "$" else f"{self.path}: {self.reason}"


class TileSetInvalid(EngineError):
    """A file that is not a playable tile set, with all its faults."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(faults)
        self.faults = tuple(faults)


def parse_tileset(data: bytes) -> TileSet:
    """Decode the tile set of a JSON file. Raises TileSetInvalid if it is too large, malformed or not playable."""
    if len(data) > MAX_FILE_BYTES:
        raise TileSetInvalid([Fault("$", f"a tile set has at most {MAX_FILE_BYTES} bytes")])
    data = without_bom(data)
    try:
        tileset = msgspec.json.decode(data, type=TileSet)
    except msgspec.ValidationError as error:
        raise TileSetInvalid(_part_faults(decode_parts(data)) or [_shape_fault(error)]) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TileSetInvalid([_syntax_fault(data, error)]) from error
    if faults := list_faults(tileset):
        raise TileSetInvalid(faults)
    return tileset


def list_faults(tileset: TileSet) -> list[Fault]:
    """Return the faults of a decoded tile set; those of tiles are in the file's order."""
    return [
        *_count_faults(tileset),
        *_repeated_ids("tiles", [tile.id for tile in tileset.tiles]),
        *_repeated_ids("ships", [ship.id for ship in tileset.ships]),
        *_part_faults(Parts(tileset.tiles, tileset.ships)),
    ]


class Parts(NamedTuple):
    """The tiles and ships of a file, each by itself: those that are malformed are faults."""

    tiles: Sequence[Tile | Fault] = ()
    ships: Sequence[Ship | Fault] = ()


class _RawParts(msgspec.Struct):
    """A file's tiles and ships, not yet decoded, so that one malformed tile does not hide the next."""

    tiles: list[msgspec.Raw] = []
    ships: list[msgspec.Raw] = []


def decode_parts(data: bytes) -> Parts:
    """Decode the tiles and ships of a file that need not be valid; none if they are not in two lists.

    Raises TileSetInvalid if the file is no JSON, or lists too many of them.
    """
    try:
        raw = msgspec.json.decode(without_bom(data), type=_RawParts)
    except (msgspec.ValidationError, RecursionError):
        return Parts()
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TileSetInvalid([_syntax_fault(data, error)]) from error
    for name, items in (("tiles", raw.tiles), ("ships", raw.ships)):
        if len(items) > MAX_TYPES:
            raise TileSetInvalid([Fault(name, f"a file lists at most {MAX_TYPES} {name}; this one lists {len(items)}")])
    return Parts(
        [_decode_part(item, Tile, f"tiles[{index}]") for index, item in enumerate(raw.tiles)],
        [_decode_part(item, Ship, f"ships[{index}]") for index, item in enumerate(raw.ships)],
    )


def _decode_part(item: msgspec.Raw, kind: type[Part], path: str) -> Part | Fault:
    try:
        return msgspec.json.decode(item, type=kind)
    except msgspec.ValidationError as error:
        return _shape_fault(error, path)


def _part_faults(parts: Parts) -> list[Fault]:
    """Return the faults of all tiles and ships."""
    faults: list[Fault] = []
    for index, tile in enumerate(parts.tiles):
        faults += [tile] if isinstance(tile, Fault) else _tile_faults(f"tiles[{index}]", tile)
    for index, ship in enumerate(parts.ships):
        faults += [ship] if isinstance(ship, Fault) else _ship_faults(f"ships[{index}]", ship)
    return faults


def _shape_fault(error: msgspec.ValidationError, within: str = "") -> Fault:
    """Return msgspec's error as a fault, with the path moved from the message to after `within`."""
    reason, _, path = str(error).partition(" - at `$")
    return Fault((within + path.removesuffix("`")).removeprefix(".") or "$", re.sub("`(.*?)`", r"\1", reason))


def _syntax_fault(data: bytes, error: Exception) -> Fault:
    """Return the fault of a file that is no JSON, with the line instead of msgspec's offset."""
    reason, _, offset = str(error).partition(" (byte ")
    if offset:
        line = data.count(b"\n", 0, int(offset.removesuffix(")"))) + 1
        reason += f", in line {line}"
    return Fault("$", f"this is not JSON in UTF-8: {reason}")


def _count_faults(tileset: TileSet) -> Iterator[Fault]:
    tiles = sum(tile.count for tile in tileset.tiles)
    if not MIN_TILES <= tiles <= MAX_TILES:
        yield Fault(
            "tiles", f"a set has {MIN_TILES} to {MAX_TILES} tiles, counting the start tile; this one has {tiles}"
        )
    if not tileset.ships:
        yield Fault("ships", "a set has at least one ship")
    points = sum(ship.points for ship in tileset.ships)
    if points > MAX_POINTS:
        yield Fault("ships", f"all ships together are worth at most {MAX_POINTS} points; these are worth {points}")
    if tileset.start not in {tile.id for tile in tileset.tiles}:
        yield Fault("start", f"no tile has the id {tileset.start}")


def _repeated_ids(path: str, ids: Sequence[str]) -> Iterator[Fault]:
    first_uses: dict[str, int] = {}
    for index, name in enumerate(ids):
        first = first_uses.setdefault(name, index)
        if first < index:
            yield Fault(f"{path}[{index}].id", f"{name} is already the id of {path}[{first}]")


def _ship_faults(path: str, ship: Ship) -> Iterator[Fault]:
    cost = ship.cost
    if not (cost.bananas or cost.shells or cost.fish or cost.any or cost.same):
        yield Fault(f"{path}.cost", f"{ship.id} costs no wares")


def _tile_faults(path: str, tile: Tile) -> list[Fault]:
    """Return the faults of one tile; crossing segments are only checked when all edges are consistent."""
    faults = [*_segment_faults(path, tile), *_edge_faults(path, tile), *_half_faults(path, tile)]
    return faults or [*_drawing_faults(path, tile)]


def _segment_faults(path: str, tile: Tile) -> Iterator[Fault]:
    """Yield the faults of segments that do not depend on the tile's edges."""
    boats = markets = 0
    for index, segment in enumerate(tile.segments):
        here = f"{path}.segments[{index}]"
        match segment:
            case Bridge() | Island():
                yield from _edge_list_faults(f"{here}.edges", segment)
            case Sea():
                boats += segment.boat
                if segment.boat and boats > 1:
                    yield Fault(f"{here}.boat", f"{tile.id} has a second boat; a boat tile has one (R0)")
            case Market():
                markets += 1
                if markets > 1:
                    yield Fault(here, f"{tile.id} has a second market; a tile has at most one")


def _edge_list_faults(path: str, segment: Bridge | Island) -> Iterator[Fault]:
    for edge, times in Counter(segment.edges).items():
        if times > 1:
            yield Fault(path, f"the {_kind(segment)} lists the edge {edge} {times} times")
    if isinstance(segment, Bridge) and len(set(segment.edges)) > MAX_BRIDGE_EDGES:
        yield Fault(path, f"a bridge segment has at most {MAX_BRIDGE_EDGES} edges (R5.1)")


def _edge_faults(path: str, tile: Tile) -> Iterator[Fault]:
    """Yield sides that do not show what `edges` says: one bridge, one island, or one sea along both halves (R0)."""
    for side, edge in enumerate(EDGES):
        shown = getattr(tile.edges, edge)
        for land in ("bridge", "island"):
            yield from _land_faults(path, tile, edge, land, shown)
        if shown == "sea":
            yield from _sea_edge_faults(path, tile, side)


def _land_faults(path: str, tile: Tile, edge: Edge, land: str, shown: str) -> Iterator[Fault]:
    """Yield edges that the wrong number of bridges (or islands) list: one if the edge shows that kind, else none."""
    listing = [
        index
        for index, segment in enumerate(tile.segments)
        if isinstance(segment, Bridge | Island) and _kind(segment) == land and edge in segment.edges
    ]
    if land != shown:
        for index in listing:
            yield Fault(f"{path}.segments[{index}].edges", f"this {land} lists the edge {edge}, which shows {shown}")
    elif not listing:
        yield Fault(f"{path}.edges.{edge}", f"the edge {edge} shows {shown}, but no {land} segment lists it")
    for index in listing[1:] if land == shown else ():
        yield Fault(
            f"{path}.segments[{index}].edges",
            f"this {land} lists the edge {edge}, which segments[{listing[0]}] already has",
        )


def _sea_edge_faults(path: str, tile: Tile, side: int) -> Iterator[Fault]:
    """Yield a fault if the halves of a sea edge belong to different sea segments (R0)."""
    along = [index for half in _halves(side) for index in _seas_at(tile, half)]
    if len(along) == 2 and along[0] != along[1]:
        first, second = sorted(along)
        yield Fault(
            f"{path}.segments[{second}].halves",
            f"both halves of the sea edge {EDGES[side]} belong to one sea, but segments[{first}] lists one of them",
        )


def _half_faults(path: str, tile: Tile) -> Iterator[Fault]:
    """Yield halves of sea and bridge edges that are not in exactly one sea, and halves of island edges in any (R0)."""
    for side, edge in enumerate(EDGES):
        shown = getattr(tile.edges, edge)
        for half in _halves(side):
            seas = _seas_at(tile, half)
            if not seas and shown != "island":
                yield Fault(f"{path}.segments", f"half {half}, on the {shown} edge {edge}, is in no sea segment")
            for rank, index in enumerate(seas):
                here = f"{path}.segments[{index}].halves"
                if shown == "island":
                    yield Fault(here, f"half {half} is on the edge {edge}, which shows island and so has no halves")
                elif rank:
                    yield Fault(here, f"half {half} is already listed in segments[{seas[0]}]")


def _drawing_faults(path: str, tile: Tile) -> Iterator[Fault]:
    """Yield segments that cannot be drawn without crossing another, and seas with nothing between them."""
    on_rim = [(index, rim) for index, segment in enumerate(tile.segments) if len(rim := _rim_positions(segment)) > 1]
    for (one, rim), (other, other_rim) in combinations(on_rim, 2):
        if _are_crossing(rim, other_rim):
            yield Fault(
                f"{path}.segments[{other}]",
                f"this {_kind(tile.segments[other])} cannot be drawn in one piece without crossing "
                f"the {_kind(tile.segments[one])} of segments[{one}]",
            )
    seas = sum(isinstance(segment, Sea) for segment in tile.segments)
    if seas > 1 and seas == len(tile.segments):
        yield Fault(f"{path}.segments", f"{tile.id} has {seas} seas, but no bridge, island or market between them")


def _rim_positions(segment: Segment) -> list[int]:
    """Return the rim positions of a segment, clockwise; a side has three: first half, middle, second half."""
    match segment:
        case Sea():
            return [3 * (half // 2) + 2 * (half % 2) for half in segment.halves]
        case Bridge() | Island():
            return [3 * EDGES.index(edge) + 1 for edge in segment.edges]
        case Market():
            return []


def _are_crossing(one: Iterable[int], other: Iterable[int]) -> bool:
    """Return whether two segments alternate around the rim; only then do they cross."""
    ring = [
        owner for _, owner in sorted([*((position, 0) for position in one), *((position, 1) for position in other)])
    ]
    return sum(owner != ring[index - 1] for index, owner in enumerate(ring)) > 2


def _halves(side: int) -> tuple[Half, Half]:
    return 2 * side, 2 * side + 1


def _seas_at(tile: Tile, half: Half) -> list[int]:
    """Return the sea segments that list a half, once for each listing."""
    return [
        index
        for index, segment in enumerate(tile.segments)
        if isinstance(segment, Sea)
        for listed in segment.halves
        if listed == half
    ]


def _kind(segment: Segment) -> str:
    return type(segment).__name__.lower()
