"""Validates tile sets by the contract alone, with another algorithm than the service's."""

import re
from collections.abc import Iterator
from typing import Any

EDGES = "nesw"
KINDS = ("sea", "bridge", "island")
INT32 = 2**31 - 1


class InvalidTileSet(Exception):
    """The reason why a tile set is invalid."""


def first_reason(document: Any) -> str | None:
    """Return the first reason why a decoded file is invalid, or None."""
    try:
        _check_tileset(document)
    except InvalidTileSet as error:
        return str(error)
    return None


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise InvalidTileSet(reason)


def _members(value: Any, names: str) -> list[Any]:
    _require(isinstance(value, dict) and {*value} == {*names.split()}, f"not exactly {names}")
    return [value[name] for name in names.split()]


def _integer(value: Any, low: int, high: int) -> int:
    _require(isinstance(value, int) and not isinstance(value, bool), "not an integer")
    _require(low <= value <= high, "out of range")
    return int(value)


def _text(value: Any, pattern: str) -> str:
    _require(isinstance(value, str) and re.fullmatch(pattern, value, re.DOTALL) is not None, f"not {pattern}")
    return str(value)


def _list(value: Any) -> list[Any]:
    _require(isinstance(value, list), "not a list")
    return list(value)


def _check_tileset(document: Any) -> None:
    name, title, provenance, start, tiles, ships = _members(document, "id name provenance start tiles ships")
    _text(name, "[a-z0-9-]{1,32}")
    _text(title, ".{1,100}")
    _text(provenance, ".*")
    _text(start, "[a-z0-9-]{1,32}")
    tile_counts = [_tile(tile) for tile in _list(tiles)]
    names = [name for name, _ in tile_counts]
    _require(len({*names}) == len(names), "two tiles with the same id")
    _require(start in names, "no start tile")
    _require(2 <= sum(count for _, count in tile_counts) <= 500, "too few or many tiles")
    ship_points = [_ship(ship) for ship in _list(ships)]
    _require(len({name for name, _ in ship_points}) == len(ship_points), "two ships with the same id")
    _require(1 <= len(ship_points) <= 500, "too few or many ships")
    _require(sum(points for _, points in ship_points) <= INT32, "too many points")


def _ship(ship: Any) -> tuple[str, int]:
    name, points, cost = _members(ship, "id points cost")
    bananas, shells, fish, any_ware, same = _members(cost, "bananas shells fish any same")
    numbers = [_integer(number, 0, 20) for number in (bananas, shells, fish, any_ware)]
    groups = [_integer(number, 1, 20) for number in _list(same)]
    _require(len(groups) <= 3, "more groups than kinds of wares")
    _require(sum(numbers) + sum(groups) > 0, "a free ship")
    return _text(name, "[a-z0-9-]{1,8}"), _integer(points, 0, INT32)


def _tile(tile: Any) -> tuple[str, int]:
    name, count, edges, segments = _members(tile, "id count edges segments")
    edge_kinds = _members(edges, "n e s w")
    for kind in edge_kinds:
        _require(kind in KINDS, "unknown kind of edge")
    blocks = [_segment(segment) for segment in _list(segments)]
    kinds = [segment["kind"] for segment in segments]
    _require(kinds.count("market") <= 1, "two markets")
    _require(sum(segment["boat"] for segment in segments if segment["kind"] == "sea") <= 1, "two boats")
    _require({*kinds} != {"sea"} or len(kinds) < 2, "two seas with nothing between them")
    _check_edges_covered(edge_kinds, segments)
    _require(_is_planar([block for block in blocks if block]), "crossing")
    return _text(name, "[a-z0-9-]{1,32}"), _integer(count, 1, 500)


def _segment(segment: Any) -> list[int]:
    """Return the positions, of twelve around the tile, at which a segment reaches the edge: three for each side."""
    _require(isinstance(segment, dict), "not an object")
    match segment.get("kind"):
        case "market":
            _members(segment, "kind")
            return []
        case "bridge":
            _, edges, shells = _members(segment, "kind edges shells")
            _integer(shells, 0, 99)
            _require(len(_list(edges)) <= 2, "a bridge with three ends")
            return [*_edge_positions(edges)]
        case "island":
            _, edges, bananas = _members(segment, "kind edges bananas")
            _integer(bananas, 0, 99)
            return [*_edge_positions(_list(edges))]
        case "sea":
            _, halves, fish, boat = _members(segment, "kind halves fish boat")
            _require(isinstance(boat, bool), "not a boolean")
            for group in _list(fish):
                _integer(group, 1, 2)
            return [half // 2 * 3 + half % 2 * 2 for half in (_integer(value, 0, 7) for value in _list(halves))]
        case _:
            raise InvalidTileSet("unknown kind of segment")


def _edge_positions(edges: list[Any]) -> Iterator[int]:
    for edge in edges:
        _require(isinstance(edge, str) and len(edge) == 1 and edge in EDGES, "unknown edge")
        yield EDGES.index(edge) * 3 + 1


def _check_edges_covered(edge_kinds: list[str], segments: list[dict[str, Any]]) -> None:
    """Check that each edge's middle belongs to one land segment of its kind, and each half beside it to one sea."""
    for side, kind in enumerate(edge_kinds):
        lands = [segment["kind"] for segment in segments for edge in segment.get("edges", ()) if edge == EDGES[side]]
        _require(lands == ([] if kind == "sea" else [kind]), "an edge without a segment of its kind")
        seas = [[*_seas_of_half(segments, 2 * side + half)] for half in (0, 1)]
        _require(all(len(indexes) == (kind != "island") for indexes in seas), "a half is not covered once")
        _require(kind != "sea" or seas[0] == seas[1], "a sea edge with two seas")


def _seas_of_half(segments: list[dict[str, Any]], half: int) -> Iterator[int]:
    for index, segment in enumerate(segments):
        yield from (index for covered in segment.get("halves", ()) if covered == half)


def _is_planar(blocks: list[list[int]]) -> bool:
    """Return whether blocks of positions on a ring do not cross: removing contiguous blocks removes all of them."""
    ring = sorted((position, index) for index, block in enumerate(blocks) for position in block)
    indexes = [index for _, index in ring]
    while indexes:
        contiguous = next((index for index in {*indexes} if _is_contiguous(indexes, index)), None)
        if contiguous is None:
            return False
        indexes = [index for index in indexes if index != contiguous]
    return True


def _is_contiguous(indexes: list[int], index: int) -> bool:
    """Return whether the positions of a block follow one another on the ring."""
    return sum(one == index != indexes[position - 1] for position, one in enumerate(indexes)) <= 1
