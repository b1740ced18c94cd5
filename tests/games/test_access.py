"""A game's access record, as it is stored and as it was."""

import msgspec
import pytest

from service.games.access import AccessRecord, SeatTag, decode_access, encode_access, index_keys


def record() -> AccessRecord:
    return AccessRecord("private", b"salt", b"owner", b"spectator", [b"seat 0", None], [0], [None, None])


def test_a_record_is_read_as_it_was_written() -> None:
    assert decode_access(encode_access(record())) == record()
    assert index_keys(record()) == [b"owner".hex(), b"seat 0".hex()]


def test_index_keys_are_owner_seats_creators_and_users_each_once() -> None:
    access = record()
    access.creator = b"bot"
    access.tags = [SeatTag(b"bot", "discord:1"), SeatTag(b"other", None)]
    assert index_keys(access) == [
        *(name.hex() for name in (b"owner", b"seat 0", b"bot", b"other")),
        f"{b'bot'.hex()}:discord:1",
    ]


def test_a_record_of_a_later_release_is_rejected() -> None:
    with pytest.raises(msgspec.DecodeError, match="schema 2, of a later release"):
        decode_access(encode_access(msgspec.structs.replace(record(), schema=2)))
