"""The `Game` Struct, its cells and snapshots, the compiled build, and whole games beside the reference."""

import os
import subprocess
import sys
import tomllib
from collections import Counter
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from schemas.actions import Pass, PlaceTile
from schemas.events import GameAborted, GameCreated, GameStarted, PlayerJoined, PlayerLeft, TileDrawn, TurnStarted
from schemas.tileset import Bridge, Edges, Island, Sea, Segment, Tile
from service.engine import (
    COMPILED,
    SCHEMA_VERSION,
    Game,
    GameNotActive,
    Player,
    TileSetIndex,
    apply_action,
    build_view,
    copy_game,
    decode_snapshot,
    encode_snapshot,
    is_finished,
    legal_moves,
    mark_aborted,
    next_open_seat,
    take_seat,
    vacate_seat,
)
from service.engine.game import CHECKSUM_BYTES, READABLE_SCHEMA
from service.engine.tileset_index import COORDINATE_LIMIT, SIDE_OFFSETS, pack_cell, unpack_cell
from service.engine.tileset_validation import parse_tileset
from tests.engine.lockstep import lagoon, lagoon_index, new_game, play_one, play_randomly, start_game
from tests.engine.write_snapshot import SNAPSHOTS
from tests.reference.board import STEPS
from tests.reference.random_play import random_tileset
from tests.snapshots import seal
from tests.tools import ROOT

PLAY = """
from hashlib import sha256
from random import Random
from schemas.base import encode_json
from service.engine import encode_snapshot
from service.engine.view import build_view
from tests.engine.lockstep import lagoon_index, new_game, play_randomly
index = lagoon_index()
game = new_game(index, 11, players=3)
digest = sha256()
for events in play_randomly(index, game, Random(11)):
    digest.update(encode_json(events) + encode_snapshot(game) + encode_json(build_view(index, game)))
print(digest.hexdigest())
"""


def mutable_parts(value: Any) -> list[Any]:
    """Everything in a value that could be changed."""
    match value:
        case msgspec.Struct():
            inner = [getattr(value, name) for name in value.__struct_fields__]
        case dict():
            inner = [*value.values()]
        case list():
            inner = value
        case _:
            return []
    return [value, *(part for one in inner for part in mutable_parts(one))]


def test_a_copy_is_equal_and_shares_nothing_mutable() -> None:
    index = lagoon_index()
    game = new_game(index, 2, players=4)
    for _ in play_randomly(index, game, Random(2)):
        twin = copy_game(game)
        assert encode_snapshot(twin) == encode_snapshot(game)
        assert not {id(part) for part in mutable_parts(twin)} & {id(part) for part in mutable_parts(game)}


def test_the_same_seed_gives_the_same_game_in_every_process() -> None:
    received = {
        subprocess.run(
            [sys.executable, "-c", PLAY],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1", "4711")
    }
    assert len(received) == 1
    assert len(received.pop().strip()) == 64


TABLES = lagoon_index()


def waiting() -> Game:
    """Return a game of three players with two open seats; the last seat has the first turn."""
    open_seats = [Player(name=None, color=None, kind="open") for _ in range(2)]
    players = [Player(name="Ana", color="red", kind="human"), *open_seats]
    game, events = start_game(TABLES, players, first_seat=2, bag=[TABLES.start_tile] * 3)
    assert events == [GameCreated()]
    return game


def refused(game: Game) -> str:
    """Return the status for which an action is rejected; assert that nothing has changed."""
    before = encode_snapshot(game)
    for action in (PlaceTile(1, 0, 0), Pass()):
        with pytest.raises(GameNotActive) as refusal:
            apply_action(TABLES, game, action)
        assert refusal.value.status == game.status
    assert legal_moves(TABLES, game) == []
    assert encode_snapshot(game) == before
    return game.status


def test_a_game_with_open_seats_waits() -> None:
    game = waiting()
    view = build_view(TABLES, game)
    assert (view.status, view.turn, [*view.board]) == ("waiting", None, ["0,0"])
    assert next_open_seat(game) == 1
    assert refused(game) == "waiting"
    assert not is_finished(game)


def test_a_seat_is_open_again_whose_player_has_to_leave() -> None:
    game = waiting()
    before = build_view(TABLES, game)
    take_seat(TABLES, game, 1, "Bo", "blue")
    assert vacate_seat(game, 1) == [PlayerLeft(seat=1, name="Bo")]
    assert build_view(TABLES, game) == before
    assert next_open_seat(game) == 1


def test_it_starts_when_the_last_open_seat_is_taken() -> None:
    game = waiting()
    assert take_seat(TABLES, game, 1, "Bo", "blue") == [PlayerJoined(seat=1, name="Bo", color="blue")]
    assert next_open_seat(game) == 2
    events = take_seat(TABLES, game, 2, "Cy", "black")
    assert events == [
        PlayerJoined(seat=2, name="Cy", color="black"),
        GameStarted(seat=2),
        TurnStarted(number=1, seat=2),
        TileDrawn(tile="start"),
    ]
    assert next_open_seat(game) is None
    assert [(player.name, player.color, player.kind) for player in build_view(TABLES, game).players] == [
        ("Ana", "red", "human"),
        ("Bo", "blue", "human"),
        ("Cy", "black", "human"),
    ]


def test_an_aborted_game_is_over_and_shows_its_seed() -> None:
    for game in (waiting(), new_game(TABLES, 1)):
        assert build_view(TABLES, game).deck.seed is None
        assert mark_aborted(game) == [GameAborted()]
        assert refused(game) == "aborted"
        assert is_finished(game)
        view = build_view(TABLES, game)
        assert (view.turn, view.result, view.deck.seed) == (None, None, game.seed)


def test_nobody_acts_in_a_finished_game() -> None:
    game = new_game(TABLES, 1)
    while moves := legal_moves(TABLES, game):
        assert build_view(TABLES, game).deck.seed is None
        apply_action(TABLES, game, moves[-1])
    assert refused(game) == "finished"
    assert build_view(TABLES, game).deck.seed == game.seed


def test_cells_pack_and_unpack() -> None:
    reach = range(1 - COORDINATE_LIMIT, COORDINATE_LIMIT, 7)
    cells = {pack_cell(x, y): (x, y) for x, y in product(reach, reach)}
    assert len(cells) == len(reach) ** 2
    assert all(unpack_cell(cell) == place for cell, place in cells.items())


def test_a_neighbour_is_one_addition_away() -> None:
    for x, y in product((-COORDINATE_LIMIT + 2, -1, 0, 1, COORDINATE_LIMIT - 2), repeat=2):
        assert [unpack_cell(pack_cell(x, y) + step) for step in SIDE_OFFSETS] == [(x + dx, y + dy) for dx, dy in STEPS]


PRINTED = (
    *(Bridge(edges=("n",), shells=1), Bridge(edges=("s",), shells=1)),
    *(Sea(halves=(1, 2, 3, 4), fish=(2, 1), boat=False), Sea(halves=(5, 6, 7, 0), fish=(1, 2), boat=False)),
)


@pytest.mark.parametrize(
    ("place", "segment", "number"),
    (
        *((1, PRINTED[1], 2), (1, replace(PRINTED[1], shells=2), 4), (1, Island(edges=("s",), bananas=1), 4)),
        *((3, replace(PRINTED[3], fish=(1, 1)), 4), (3, replace(PRINTED[3], boat=True), 4)),
    ),
)
def test_a_symmetric_tile_has_fewer_rotations(place: int, segment: Segment, number: int) -> None:
    """Kind, wares in any order, and boat count; the atoll is the same in all rotations."""
    segments = (*PRINTED[:place], segment, *PRINTED[place + 1 :])
    tile = Tile(id="start", count=2, edges=Edges(n="bridge", e="sea", s="bridge", w="sea"), segments=segments)
    tileset, atoll = lagoon_index().tileset, lagoon_index().tile_numbers["atoll"]
    index = TileSetIndex(replace(tileset, start="start", tiles=(tile, tileset.tiles[atoll])))
    assert index.distinct_rotations == (number, 1)


RARE = {
    *(f"feature_evaluated:{kind}:{cause}" for kind in ("bridge", "island", "sea") for cause in ("completed", "final")),
    *("feature_evaluated:sea:boat", "fish_covered", "islander_retrieved", "tile_discarded"),
    *("game_finished:bag_exhausted", "game_finished:last_ship", "game_finished:last_tile"),
    "ship_taken:delivery",
}
"""What happens in games with random tile sets; the drawn boards of `tests/rules` add the markets."""


def test_random_games_on_random_sets_are_alike() -> None:
    total: Counter[str] = Counter()
    for seed in range(80):
        total += play_one(random_tileset(seed, types=4 + seed % 5 if seed % 10 else 12), seed)
    assert total["game_finished"] == 80
    assert total["refused"] > total["tile_placed"]
    assert {*total} >= RARE


def test_random_games_on_the_default_set_are_alike() -> None:
    total: Counter[str] = Counter()
    for seed in range(3):
        total += play_one(lagoon(), seed)
    assert total["game_finished"] == 3


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MODULES = PROJECT["tool"]["south-seas"]["compiled"]
ASKED = os.environ.get("SOUTH_SEAS_COMPILE") == "1"


def test_the_engine_says_which_build_it_is() -> None:
    assert COMPILED is ASKED


@pytest.mark.parametrize("path", MODULES)
def test_a_module_is_of_this_tree_and_of_the_build_that_was_asked_for(path: str) -> None:
    module = import_module(path.removesuffix(".py").replace("/", "."))
    assert module.__file__ is not None
    assert ROOT in Path(module.__file__).parents
    assert module.__file__.endswith(tuple(EXTENSION_SUFFIXES if ASKED else SOURCE_SUFFIXES))


NUMBERS = range(1, SCHEMA_VERSION + 1)
FIRST = (SNAPSHOTS / "1.msgpack").read_bytes()
NEWEST = (SNAPSHOTS / f"{SCHEMA_VERSION}.msgpack").read_bytes()
LARGEST = 2300
"""Bytes."""


def stored(number: int, kind: str) -> bytes:
    return (SNAPSHOTS / f"{number}.{kind}").read_bytes()


def members(snapshot: bytes) -> list[Any]:
    """Return what a snapshot holds: the members of the game, and what is stored of it otherwise."""
    held: list[Any] = msgspec.msgpack.decode(snapshot[:-CHECKSUM_BYTES])
    return held


def seal_members(held: list[Any]) -> bytes:
    return seal(msgspec.msgpack.encode(held))


def within(old: Any, new: Any) -> bool:
    """Whether all that was shown is shown still; GAME only grows."""
    match old, new:
        case dict(), dict():
            return all(name in new and within(value, new[name]) for name, value in old.items())
        case list(), list():
            return len(old) == len(new) and all(map(within, old, new))
        case _:
            return bool(old == new)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_snapshot_of_every_number_shows_what_it_showed(number: int) -> None:
    index = TileSetIndex(parse_tileset(stored(number, "tileset.json")))
    game = decode_snapshot(stored(number, "msgpack"))
    assert game.schema_version == SCHEMA_VERSION
    view = msgspec.to_builtins(build_view(index, game))
    assert within(msgspec.json.decode(stored(number, "view.json")), view)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("seed", range(20))
def test_a_snapshot_of_every_number_plays_on_to_the_end(number: int, seed: int) -> None:
    index = TileSetIndex(parse_tileset(stored(number, "tileset.json")))
    game = decode_snapshot(stored(number, "msgpack"))
    for _ in play_randomly(index, game, Random(seed)):
        assert decode_snapshot(encode_snapshot(game)) == game
    assert is_finished(game)


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_a_snapshot_is_small_and_comes_back_the_same(players: int) -> None:
    index = lagoon_index()
    for seed in range(10):
        game = new_game(index, seed, players)
        for _ in play_randomly(index, game, Random(seed)):
            snapshot = encode_snapshot(game)
            assert len(snapshot) < LARGEST
            assert decode_snapshot(snapshot) == game


def test_a_snapshot_with_a_field_that_came_later_still_loads() -> None:
    """A reader that does not know the newest field yet skips it: two instances of different age share a store."""
    game, *others = members(NEWEST)
    longer = seal_members([[*game, "new"], *others, "new too"])
    assert encode_snapshot(decode_snapshot(longer)) == NEWEST


@pytest.mark.parametrize(
    "garbage",
    (
        *(b"", b"\xc0", b"[]", b"\x90", b"\xff" * 40, FIRST[:-1], FIRST[:200]),
        *(seal(data) for data in (b"", b"\xc0", b"\x90", FIRST[:-5], FIRST[:200], msgspec.msgpack.encode({"a": 1}))),
        pytest.param(seal(FIRST[:-4].replace(b"lockstep", b"\xff" * 8)), id="a name that is no UTF-8"),
        pytest.param(seal(b"\x96" + FIRST[1:-CHECKSUM_BYTES] + b"\x91" * 100_000 + b"\xc0"), id="nested too deeply"),
    ),
)
def test_garbage_is_no_snapshot(garbage: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_snapshot(garbage)


@given(st.binary())
def test_any_bytes_are_no_snapshot(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_snapshot(data)


@given(place=st.integers(0, len(FIRST) - 1), byte=st.integers(0, 255))
def test_a_snapshot_with_a_changed_byte_is_a_game_or_none(place: int, byte: int) -> None:
    changed = FIRST[:place] + bytes([byte]) + FIRST[place + 1 :]
    if changed != FIRST:
        with pytest.raises(msgspec.DecodeError, match="checksum"):
            decode_snapshot(changed)
    try:
        game = decode_snapshot(seal(changed[:-CHECKSUM_BYTES]))
    except msgspec.DecodeError:
        return
    assert decode_snapshot(encode_snapshot(game)) == game


def test_a_snapshot_that_a_later_release_wrote_is_not_taken_for_one_of_this() -> None:
    (_, *rest), *others = members(NEWEST)
    for later in (
        [[READABLE_SCHEMA + 1, *rest, "what that release added"], *others],
        [[READABLE_SCHEMA + 1, "what it changed"]],
    ):
        with pytest.raises(msgspec.DecodeError, match=f"a later release wrote it: schema {READABLE_SCHEMA + 1}"):
            decode_snapshot(seal_members(later))


def test_a_game_of_a_later_schema_that_this_release_reads_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no release before this one takes it for a game of its own, and loses what was added."""
    monkeypatch.setattr("service.engine.game.READABLE_SCHEMA", SCHEMA_VERSION + 1)
    later = members(NEWEST)
    later[0][0] = SCHEMA_VERSION + 1
    game = decode_snapshot(seal_members(later))
    assert decode_snapshot(encode_snapshot(game)).schema_version == SCHEMA_VERSION + 1


def test_a_game_of_an_earlier_schema_gets_that_of_the_release_that_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCHEMA_VERSION", "READABLE_SCHEMA"):
        monkeypatch.setattr(f"service.engine.game.{name}", SCHEMA_VERSION + 1)
    assert decode_snapshot(NEWEST).schema_version == SCHEMA_VERSION + 1
