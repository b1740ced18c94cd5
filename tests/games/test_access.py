"""A game's access record, as it is stored and as it was."""

import msgspec
import pytest

from service.games.access import AccessRecord, SeatTag, decode_access, encode_access, index_keys

OLD = ["private", b"salt", b"owner", b"spectator", [b"seat 0", None], [0], 1]
"""Fields of a record that was written before games were found by their tokens."""


def test_a_record_of_an_earlier_release_is_read() -> None:
    access = decode_access(msgspec.msgpack.encode(OLD))
    assert access == AccessRecord("private", b"salt", b"owner", b"spectator", [b"seat 0", None], [0])
    assert decode_access(encode_access(access)) == access
    assert index_keys(access) == [b"owner".hex(), b"seat 0".hex()]


def test_index_keys_are_owner_seats_creators_and_users_each_once() -> None:
    access = decode_access(msgspec.msgpack.encode(OLD))
    access.creator = b"bot"
    access.tags = [SeatTag(b"bot", "discord:1"), SeatTag(b"other", None)]
    assert index_keys(access) == [
        *(name.hex() for name in (b"owner", b"seat 0", b"bot", b"other")),
        f"{b'bot'.hex()}:discord:1",
    ]


def test_a_record_of_a_later_release_is_rejected() -> None:
    with pytest.raises(msgspec.DecodeError, match="schema 3, of a later release"):
        decode_access(msgspec.msgpack.encode([*OLD[:-1], 3, None, [], None, "what that release added"]))
