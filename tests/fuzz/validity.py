"""Whether a tile set can be played, told from the contract alone and in another way than the service tells it."""

import re
from collections.abc import Iterator
from typing import Any

EDGES = "nesw"
KINDS = ("sea", "bridge", "island")
INT32 = 2**31 - 1


class InvalidFile(Exception):
    """Why it cannot be played."""


def first_reason(document: Any) -> str | None:
    """Return the first reason why a decoded file is invalid, or None."""
    try:
        _tileset(document)
    except InvalidFile as found:
        return str(found)
    return None


def _require(what: bool, why: str) -> None:
    if not what:
        raise InvalidFile(why)


def _members(value: Any, names: str) -> list[Any]:
    _require(isinstance(value, dict) and {*value} == {*names.split()}, f"not exactly {names}")
    return [value[name] for name in names.split()]


def _integer(value: Any, low: int, high: int) -> int:
    _require(isinstance(value, int) and not isinstance(value, bool), "no whole number")
    _require(low <= value <= high, "out of range")
    return int(value)


def _text(value: Any, pattern: str) -> str:
    _require(isinstance(value, str) and re.fullmatch(pattern, value, re.DOTALL) is not None, f"not {pattern}")
    return str(value)


def _list(value: Any) -> list[Any]:
    _require(isinstance(value, list), "no list")
    return list(value)


def _tileset(document: Any) -> None:
    name, title, provenance, start, tiles, ships = _members(document, "id name provenance start tiles ships")
    _text(name, "[a-z0-9-]{1,32}")
    _text(title, ".{1,100}")
    _text(provenance, ".*")
    _text(start, "[a-z0-9-]{1,32}")
    created = [_tile(tile) for tile in _list(tiles)]
    names = [name for name, _ in created]
    _require(len({*names}) == len(names), "two tiles of one id")
    _require(start in names, "no start tile")
    _require(2 <= sum(count for _, count in created) <= 500, "too few or many tiles")
    received = [_ship(ship) for ship in _list(ships)]
    _require(len({name for name, _ in received}) == len(received), "two ships of one id")
    _require(1 <= len(received) <= 500, "too few or many ships")
    _require(sum(points for _, points in received) <= INT32, "more points than a number holds")


def _ship(ship: Any) -> tuple[str, int]:
    name, points, cost = _members(ship, "id points cost")
    bananas, shells, fish, free, same = _members(cost, "bananas shells fish any same")
    numbers = [_integer(number, 0, 20) for number in (bananas, shells, fish, free)]
    groups = [_integer(number, 1, 20) for number in _list(same)]
    _require(len(groups) <= 3, "more kinds than there are wares")
    _require(sum(numbers) + sum(groups) > 0, "a ship for nothing")
    return _text(name, "[a-z0-9-]{1,8}"), _integer(points, 0, INT32)


def _tile(tile: Any) -> tuple[str, int]:
    name, count, edges, segments = _members(tile, "id count edges segments")
    displayed = _members(edges, "n e s w")
    for kind in displayed:
        _require(kind in KINDS, "no kind of edge")
    blocks = [_segment(segment) for segment in _list(segments)]
    kinds = [segment["kind"] for segment in segments]
    _require(kinds.count("market") <= 1, "two markets")
    _require(sum(segment["boat"] for segment in segments if segment["kind"] == "sea") <= 1, "two boats")
    _require({*kinds} != {"sea"} or len(kinds) < 2, "two seas with nothing between them")
    _check_edges_covered(displayed, segments)
    _require(_is_planar([block for block in blocks if block]), "crossing")
    return _text(name, "[a-z0-9-]{1,32}"), _integer(count, 1, 500)


def _segment(segment: Any) -> list[int]:
    """Where a segment reaches the rim: twelve places, three a side."""
    _require(isinstance(segment, dict), "no object")
    match segment.get("kind"):
        case "market":
            _members(segment, "kind")
            return []
        case "bridge":
            _, edges, shells = _members(segment, "kind edges shells")
            _integer(shells, 0, 99)
            _require(len(_list(edges)) <= 2, "a bridge of three ends")
            return [*_rim(edges)]
        case "island":
            _, edges, bananas = _members(segment, "kind edges bananas")
            _integer(bananas, 0, 99)
            return [*_rim(_list(edges))]
        case "sea":
            _, halves, fish, boat = _members(segment, "kind halves fish boat")
            _require(isinstance(boat, bool), "no truth value")
            for group in _list(fish):
                _integer(group, 1, 2)
            return [half // 2 * 3 + half % 2 * 2 for half in (_integer(one, 0, 7) for one in _list(halves))]
        case _:
            raise InvalidFile("no kind of segment")


def _rim(edges: list[Any]) -> Iterator[int]:
    for edge in edges:
        _require(isinstance(edge, str) and len(edge) == 1 and edge in EDGES, "no edge")
        yield EDGES.index(edge) * 3 + 1


def _check_edges_covered(shown: list[str], segments: list[dict[str, Any]]) -> None:
    """Each edge's middle belongs to the land that it shows, each half beside it to one sea."""
    for side, kind in enumerate(shown):
        lands = [one["kind"] for one in segments for edge in one.get("edges", ()) if edge == EDGES[side]]
        _require(lands == ([] if kind == "sea" else [kind]), "an edge does not show what it says")
        owners = [[*_owners(segments, 2 * side + place)] for place in (0, 1)]
        _require(all(len(own) == (kind != "island") for own in owners), "a half is not covered once")
        _require(kind != "sea" or owners[0] == owners[1], "a sea edge of two seas")


def _owners(segments: list[dict[str, Any]], half: int) -> Iterator[int]:
    for index, segment in enumerate(segments):
        yield from (index for one in segment.get("halves", ()) if one == half)


def _is_planar(blocks: list[list[int]]) -> bool:
    """Whether blocks of places on a ring do not cross: one that lies together can be taken out, until none is left."""
    ring = sorted((place, index) for index, block in enumerate(blocks) for place in block)
    owners = [index for _, index in ring]
    while owners:
        whole = next((index for index in {*owners} if _lies_together(owners, index)), None)
        if whole is None:
            return False
        owners = [index for index in owners if index != whole]
    return True


def _lies_together(owners: list[int], index: int) -> bool:
    """Whether an owner's places follow one another on the ring."""
    return sum(owner == index != owners[place - 1] for place, owner in enumerate(owners)) <= 1
