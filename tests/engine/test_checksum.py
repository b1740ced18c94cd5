"""Checksums detect changed snapshots, and releases that do not know them ignore them."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine import Game, decode_snapshot, encode_snapshot
from service.engine.game import add_checksum, strip_checksum
from tests.engine.random_games import archipelago_index, new_game

GAME = new_game(archipelago_index(), 1)
SEALED = add_checksum(encode_snapshot(GAME))


def test_a_sealed_snapshot_is_the_same_game() -> None:
    assert strip_checksum(SEALED) == encode_snapshot(GAME)
    assert decode_snapshot(SEALED) == decode_snapshot(encode_snapshot(GAME)) == GAME


def test_who_knows_no_seals_passes_over_it() -> None:
    assert msgspec.msgpack.decode(SEALED, type=Game) == GAME


def test_a_seal_is_one_more_member() -> None:
    *fields, seal = msgspec.msgpack.decode(SEALED)
    assert fields == msgspec.msgpack.decode(encode_snapshot(GAME))
    assert 0 <= seal < 2**32


@given(st.integers(3, len(SEALED) - 6), st.integers(1, 255))
def test_no_changed_byte_goes_unseen(place: int, change: int) -> None:
    changed = bytearray(SEALED)
    changed[place] ^= change
    with pytest.raises(msgspec.DecodeError, match="checksum"):
        decode_snapshot(bytes(changed))


@pytest.mark.parametrize("cut", range(1, len(SEALED), 97))
def test_a_torn_one_is_none(cut: int) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_snapshot(SEALED[:cut])
