"""What `parse_tileset` and `list_faults` reject, each shown by a small set with one fault, and what they accept."""

import json
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from msgspec import convert

from schemas.tileset import TileSet
from service.engine import TileSetIndex
from service.engine.tileset_validation import MAX_FILE_BYTES, Fault, TileSetInvalid, list_faults, parse_tileset
from tests.reference.board import Json
from tests.reference.random_play import bridge, island, market, random_tileset, sea, ship, tileset

KINDS = {"s": "sea", "b": "bridge", "i": "island"}

OPEN_SEA = sea(range(8))
WEST, EAST = sea([5, 6, 7, 0]), sea([1, 2, 3, 4])


def tile(edges: str, *segments: Json, name: str = "t", count: int = 2) -> Json:
    """Return a tile as it is written, right or wrong; `edges` says what n, e, s, w are, as in "sbsi"."""
    named = {edge: KINDS[letter] for edge, letter in zip("nesw", edges, strict=True)}
    return {"id": name, "count": count, "edges": named, "segments": list(segments)}


def small_set(*tiles: Json, ships: Sequence[Json] = (ship("s1", 2, any_ware=3),), start: str = "t") -> Json:
    return tileset(start, tiles or [tile("ssss", OPEN_SEA)], ships)


def faults_of(made: Json) -> list[Fault]:
    """Return what `parse` finds; the set must not be playable."""
    with pytest.raises(TileSetInvalid) as rejected:
        parse_tileset(json.dumps(made).encode())
    return [*rejected.value.faults]


def test_a_file_may_begin_with_a_byte_order_mark() -> None:
    for made in (small_set(), small_set(tile("ssss", OPEN_SEA, name="T"))):
        plain, marked = (json.dumps(made).encode(encoding) for encoding in ("utf-8", "utf-8-sig"))
        assert describe(marked) == describe(plain)


def describe(data: bytes) -> TileSet | tuple[Fault, ...]:
    try:
        return parse_tileset(data)
    except TileSetInvalid as error:
        return error.faults


def test_a_set_as_small_as_can_be_is_accepted() -> None:
    parsed = parse_tileset(json.dumps(small_set()).encode())
    assert parsed.tiles[0].count == 2
    assert list_faults(parsed) == []


@pytest.mark.parametrize(
    ("edges", "segments"),
    (
        pytest.param("bsbs", (bridge("ns"), WEST, EAST), id="a bridge through parts two seas"),
        pytest.param("bsbs", (bridge("n"), bridge("s"), WEST, EAST), id="two bridges that end inside"),
        pytest.param("bsbs", (bridge("n"), bridge("s"), OPEN_SEA), id="one sea around two bridge ends (R0)"),
        pytest.param(
            "bsbs", (bridge("n"), market(), bridge(), island(), bridge("s"), OPEN_SEA), id="land that reaches no edge"
        ),
        pytest.param(
            "isib",
            (island("n"), island("s"), bridge("w"), sea([2, 3]), sea([6]), sea([7])),
            id="islands whose tips touch and three seas",
        ),
    ),
)
def test_what_a_tile_may_show(edges: str, segments: tuple[Json, ...]) -> None:
    for listed in (segments, segments[::-1]):
        assert list_faults(convert(small_set(tile(edges, *listed)), TileSet)) == []


FAULTY_SETS = {
    "tiles: a set has 2 to 500 tiles, counting the start tile; this one has 1": small_set(
        tile("ssss", OPEN_SEA, count=1)
    ),
    "tiles: a set has 2 to 500 tiles, counting the start tile; this one has 501": small_set(
        tile("ssss", OPEN_SEA, count=400), tile("ssss", OPEN_SEA, name="u", count=101)
    ),
    "ships: a set has at least one ship": small_set(ships=[]),
    "ships: all ships together are worth at most 2147483647 points; these are worth 2147483648": small_set(
        ships=[ship("s1", 2**31 - 1, any_ware=1), ship("s2", 1, any_ware=1)]
    ),
    "start: no tile has the id u": small_set(start="u"),
    "tiles[1].id: t is already the id of tiles[0]": small_set(tile("ssss", OPEN_SEA), tile("ssss", OPEN_SEA)),
    "ships[1].id: s1 is already the id of ships[0]": small_set(
        ships=[ship("s1", 2, any_ware=3), ship("s1", 3, any_ware=4)]
    ),
    "ships[0].cost: s1 costs no wares": small_set(ships=[ship("s1", 2)]),
}
"""Sets with one fault, by where it is and what it is."""

FAULTY_TILES = {
    "edges.n: the edge n shows bridge, but no bridge segment lists it": tile("bsss", sea(range(8))),
    "edges.n: the edge n shows island, but no island segment lists it": tile("isss", sea(range(2, 8))),
    "segments[1].edges: this bridge lists the edge n, which shows sea": tile("ssss", OPEN_SEA, bridge("n")),
    "segments[1].edges: this island lists the edge n, which shows bridge": tile(
        "bsss", bridge("n"), island("n"), OPEN_SEA
    ),
    "segments[1].edges: this bridge lists the edge n, which segments[0] already has": tile(
        "bsss", bridge("n"), bridge("n"), OPEN_SEA
    ),
    "segments[1].edges: this island lists the edge n, which segments[0] already has": tile(
        "isss", island("n"), island("n"), sea(range(2, 8))
    ),
    "segments[0].edges: the bridge lists the edge n 2 times": tile("bsss", bridge("nn"), OPEN_SEA),
    "segments[0].edges: a bridge segment has at most 2 edges (R5.1)": tile(
        "sbbb", bridge("esw"), sea([7, 0, 1, 2]), sea([3, 4]), sea([5, 6])
    ),
    "segments: half 7, on the sea edge w, is in no sea segment": tile("ssss", sea(range(7))),
    "segments: half 4, on the bridge edge s, is in no sea segment": tile("bsbs", bridge("ns"), WEST, sea([1, 2, 3])),
    "segments[2].halves: half 5 is already listed in segments[1]": tile(
        "bsbs", bridge("ns"), WEST, sea([1, 2, 3, 4, 5])
    ),
    "segments[0].halves: half 3 is already listed in segments[0]": tile("isss", sea([*range(2, 8), 3]), island("n")),
    "segments[1].halves: half 1 is on the edge n, which shows island and so has no halves": tile(
        "isss", island("n"), sea(range(1, 8))
    ),
    "segments[2].halves: both halves of the sea edge n belong to one sea, but segments[1] lists one of them": tile(
        "sisi", island("ew"), sea([0]), sea([1]), sea([4, 5])
    ),
    "segments[2].boat: t has a second boat; a boat tile has one (R0)": tile(
        "bsbs", bridge("ns"), sea([5, 6, 7, 0], boat=True), sea([1, 2, 3, 4], boat=True)
    ),
    "segments[1]: t has a second market; a tile has at most one": tile("ssss", market(), market(), OPEN_SEA),
    "segments[1]: this island cannot be drawn in one piece without crossing the island of segments[0]": tile(
        "iiii", island("ns"), island("ew")
    ),
    "segments[1]: this bridge cannot be drawn in one piece without crossing the bridge of segments[0]": tile(
        "bbbb", bridge("ns"), bridge("ew"), sea([1, 2]), sea([3, 4]), sea([5, 6]), sea([7, 0])
    ),
    "segments[1]: this island cannot be drawn in one piece without crossing the bridge of segments[0]": tile(
        "bibi", bridge("ns"), island("ew"), sea([0]), sea([1]), sea([4]), sea([5])
    ),
    "segments[1]: this sea cannot be drawn in one piece without crossing the bridge of segments[0]": tile(
        "bsbs", bridge("ns"), OPEN_SEA
    ),
    "segments[1]: this sea cannot be drawn in one piece without crossing the island of segments[0]": tile(
        "sisi", island("ew"), sea([0, 1, 4, 5])
    ),
    "segments[5]: this sea cannot be drawn in one piece without crossing the sea of segments[4]": tile(
        "bbbb", *map(bridge, "nesw"), sea([7, 0, 3, 4]), sea([1, 2, 5, 6])
    ),
    "segments: t has 2 seas, but no bridge, island or market between them": tile(
        "ssss", sea([0, 1, 2, 3]), sea([4, 5, 6, 7])
    ),
}
"""Tiles with one fault, by where it is in the tile."""


@pytest.mark.parametrize(
    ("fault", "made"),
    (*FAULTY_SETS.items(), *((f"tiles[0].{fault}", small_set(made)) for fault, made in FAULTY_TILES.items())),
)
def test_a_set_is_rejected_with_where_and_why(fault: str, made: Json) -> None:
    assert [f"{one.path}: {one.reason}" for one in faults_of(made)] == [fault]


def test_a_file_that_is_too_large_is_not_decoded() -> None:
    with pytest.raises(TileSetInvalid) as rejected:
        parse_tileset(b"[" * (MAX_FILE_BYTES + 1))
    assert rejected.value.faults == (Fault("$", "a tile set has at most 1048576 bytes"),)


@pytest.mark.parametrize("listed", ("tiles", "ships"))
def test_of_too_many_tiles_or_ships_none_is_looked_at(listed: str) -> None:
    """Each of them has a fault of its own."""
    created = small_set() | {listed: [{}] * 100_000}
    reason = f"a file lists at most 500 {listed}; this one lists 100000"
    assert faults_of(created) == [Fault(listed, reason)]


def test_the_largest_tile_sets_are_accepted() -> None:
    tiles = [tile("ssss", OPEN_SEA, name=f"t{number}", count=1) for number in range(500)]
    ships = [ship(f"s{number}", 2, any_ware=3) for number in range(500)]
    assert len(parse_tileset(json.dumps(small_set(*tiles, ships=ships, start="t0")).encode()).tiles) == 500


@pytest.mark.parametrize(
    ("data", "reason"),
    (
        pytest.param(b"", "Input data was truncated", id="nothing"),
        pytest.param(b"{'id'", "JSON is malformed: object keys must be strings, in line 1", id="no JSON"),
        pytest.param(b'{"tiles": [\n1\n2]}', "JSON is malformed: expected ',' or ']', in line 3", id="no comma"),
        pytest.param(b'{"id": "\xff"}', "this is not JSON in UTF-8", id="no UTF-8"),
        pytest.param(b"[]", "Expected object, got array", id="a list"),
        pytest.param(b'{"id": "a"}', "Object missing required field name", id="members missing"),
    ),
)
def test_files_that_hold_something_else(data: bytes, reason: str) -> None:
    with pytest.raises(TileSetInvalid) as rejected:
        parse_tileset(data)
    (fault,) = rejected.value.faults
    assert fault.path == "$"
    assert reason in fault.reason


@pytest.mark.parametrize(
    ("where", "value", "path"),
    (
        (("id",), "Lagoon", "id"),
        (("tiles",), {}, "tiles"),
        (("tiles", 0), [], "tiles[0]"),
        (("tiles", 0, "count"), 0, "tiles[0].count"),
        (("tiles", 0, "edges", "n"), "land", "tiles[0].edges.n"),
        (("tiles", 0, "segments", 0, "kind"), "reef", "tiles[0].segments[0].kind"),
        (("tiles", 0, "segments", 0, "halves", 2), 8, "tiles[0].segments[0].halves[2]"),
        (("tiles", 0, "segments", 0, "fish"), [3], "tiles[0].segments[0].fish[0]"),
        (("tiles", 0, "segments", 0, "fishes"), [1], "tiles[0].segments[0]"),
        (("tiles", 0, "segments"), [island("")] * 25, "tiles[0].segments"),
        (("tiles", 0, "segments"), [island("nnnnn")], "tiles[0].segments[0].edges"),
        (("tiles", 0, "segments"), [bridge("nnnnn")], "tiles[0].segments[0].edges"),
        (("tiles", 0, "segments"), [sea([0] * 9)], "tiles[0].segments[0].halves"),
        (("tiles", 0, "segments"), [sea(range(8), [1] * 21)], "tiles[0].segments[0].fish"),
        (("ships", 0, "cost", "any"), -1, "ships[0].cost.any"),
        (("ships", 0, "cost", "same"), [1, 1, 1, 1], "ships[0].cost.same"),
    ),
)
def test_values_of_the_wrong_shape(where: tuple[str | int, ...], value: object, path: str) -> None:
    """The parts of a tile are bounded: the search for segments that cross takes longer than in proportion."""
    created = deepcopy(small_set())
    holder: Any = created
    for key in where[:-1]:
        holder = holder[key]
    holder[where[-1]] = value
    assert [fault.path for fault in faults_of(created)] == [path]


def test_all_faults_are_told_at_once() -> None:
    crossing = tile("iiii", island("ns"), island("ew"))
    halfless = tile("ssss", sea(range(6)), name="u")
    nothing = ship("s1", 2)
    assert [fault.path for fault in faults_of(small_set(crossing, halfless, ships=[nothing], start="v"))] == [
        "start",
        "tiles[0].segments[1]",
        "tiles[1].segments",
        "tiles[1].segments",
        "ships[0].cost",
    ]


def test_one_wrong_value_of_each_tile_and_ship_is_told_at_once() -> None:
    created = small_set(
        tile("ssss", OPEN_SEA, count=0),
        tile("ssss", sea([9])),
        ships=[ship("s1", 2, any_ware=3), ship("s2", -1, any_ware=3)],
    )
    assert [fault.path for fault in faults_of(created)] == [
        "tiles[0].count",
        "tiles[1].segments[0].halves[0]",
        "ships[1].points",
    ]


def test_a_malformed_tile_hides_no_fault_of_another_tile_or_ship() -> None:
    halfless = tile("ssss", sea(range(7)), name="u")
    created = small_set(tile("ssss", OPEN_SEA, count=0), halfless, ships=[ship("s1", 2)])
    assert [fault.path for fault in faults_of(created)] == ["tiles[0].count", "tiles[1].segments", "ships[0].cost"]


def test_what_is_accepted_serves_the_engine() -> None:
    """Slips of the pen in a valid set: what they make of it is refused, or can be played."""
    accepted = 0
    for seed in range(200):
        chance = Random(seed)
        created = random_tileset(seed)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            slip(chance, chance.choice(created["tiles"]))
        changed = convert(created, TileSet)
        if not list_faults(changed):
            accepted += 1
            assert len(TileSetIndex(changed).tileset.tiles) == len(created["tiles"]), seed
    assert 0 < accepted < 150


def slip(chance: Random, made: Json) -> None:
    """Change one edge, or give one segment's edge or half to another."""
    edge = chance.choice("nesw")
    segment, other = chance.choice(made["segments"]), chance.choice(made["segments"])
    listed = next((name for name in ("edges", "halves") if segment.get(name)), None)
    if listed is None or chance.random() < 0.2:
        made["edges"][edge] = chance.choice(("sea", "bridge", "island"))
        return
    moved = segment[listed].pop(chance.randrange(len(segment[listed])))
    if listed in other and chance.random() < 0.8:
        other[listed].append(moved)
