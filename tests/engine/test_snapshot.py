"""Snapshots: every schema version still decodes and plays on, they stay small, and invalid ones are rejected."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine import (
    SCHEMA_VERSION,
    TileSetIndex,
    build_view,
    decode_snapshot,
    encode_snapshot,
    is_finished,
)
from service.engine.game import CHECKSUM_BYTES, READABLE_SCHEMA
from service.engine.tileset_validation import parse_tileset
from tests.engine.lockstep import lagoon_index, new_game, play_randomly
from tests.engine.write_snapshot import SNAPSHOTS
from tests.snapshots import seal

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


def test_the_newest_number_is_written_as_it_was_read() -> None:
    assert encode_snapshot(decode_snapshot(stored(SCHEMA_VERSION, "msgpack"))) == stored(SCHEMA_VERSION, "msgpack")


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
