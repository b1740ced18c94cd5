"""A notification is what commit.lua published, or nothing: whoever may publish can send anything."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from schemas.diffs import next_digest
from service.games.ports import ChangeNotification, Revision, StoredDiff
from service.store import log_entries
from service.store.log_entries import (
    COMMIT_ID_BYTES,
    DIFFS,
    MAX_BYTES,
    REVISION_BYTES,
    CommitHeader,
    decode_notification,
)
from tests.store.commits import diff, digest

DICTIONARY = COMMIT_ID_BYTES + 20
"""Where the number of the dictionary stands in an entry."""


def compose(
    diffs: Sequence[StoredDiff], *, entries: Sequence[bytes] | None = None, sizes: Sequence[int] | None = None
) -> bytes:
    """Return the notification of a commit with these diffs, as commit.lua makes it."""
    packed = entries or [log_entries.pack(bytes(COMMIT_ID_BYTES), "a", one) for one in diffs]
    header = CommitHeader("", "", "", 1000, False, 0, False, 5, [*(sizes or map(len, packed))])
    before = Revision(diffs[0].version - 1, diffs[0].previous)
    argument = log_entries.pack_revision(before) + msgspec.msgpack.encode(header)
    return b"".join((len(argument).to_bytes(2), argument, *packed))


def bomb() -> bytes:
    """Return an entry of which a few bytes become very many."""
    return log_entries.pack(bytes(COMMIT_ID_BYTES), "a", replace(DIFFS_AFTER_3[0], data=bytes(2 * MAX_BYTES)))


DIFFS_AFTER_3 = [diff(4), diff(5)]
VALID = compose(DIFFS_AFTER_3)
ENTRIES = [log_entries.pack(bytes(COMMIT_ID_BYTES), "a", one) for one in DIFFS_AFTER_3]

FORGERIES = {
    "cut": VALID[:-1],
    "too long": VALID + b"\x00",
    "header alone": VALID[: 2 + int.from_bytes(VALID[:2])],
    "no entry is so large": compose(DIFFS_AFTER_3, sizes=[len(ENTRIES[0]) + len(ENTRIES[1]) + 9, -9]),
    "entries of no bytes": compose(DIFFS_AFTER_3, sizes=[len(ENTRIES[0]), len(ENTRIES[1]), 0]),
    "another content": compose([replace(DIFFS_AFTER_3[0], data=DIFFS_AFTER_3[0].data.replace(b"4}", b"5}"))]),
    "another digest": compose([replace(DIFFS_AFTER_3[0], digest=digest(5))]),
    "another previous digest": compose([replace(DIFFS_AFTER_3[0], previous=digest(2))]),
    "a version is missing": compose([diff(4), diff(6)]),
    "of a later release": compose(
        DIFFS_AFTER_3[:1], entries=[ENTRIES[0][:DICTIONARY] + b"\x02" + ENTRIES[0][DICTIONARY + 1 :]]
    ),
    "a bomb": compose(DIFFS_AFTER_3[:1], entries=[bomb()]),
}


def test_a_notification_brings_the_diffs_of_its_commit() -> None:
    assert decode_notification("a", VALID) == ChangeNotification("a", 5, diffs=DIFFS_AFTER_3, sent_us=5)


@pytest.mark.parametrize("message", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_notification_is_none(message: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  each has its own text
        decode_notification("a", message)


def test_a_notification_of_another_game_is_none() -> None:
    body = (
        b'"at":"2026-11-25T21:00:00Z","game":"a","patch":[{"op":"replace","path":"/version","value":4}%b],"version":4}'
    )
    body %= b',{"op":"replace","path":"/updated_at","value":"2026-11-25T21:00:00Z"}'
    own = next_digest(digest(3), b"{" + body)
    message = compose([StoredDiff(4, own, digest(3), b'{"digest":"%b",%b' % (own.encode(), body))])
    assert decode_notification("a", message).version == 4
    with pytest.raises(ValueError, match="damaged"):
        decode_notification("b", message)


@given(st.integers(0, len(VALID) - 1), st.integers(1, 255))
def test_whatever_a_changed_byte_does_it_changes_no_diff(position: int, change: int) -> None:
    changed = bytearray(VALID)
    changed[position] ^= change
    try:
        notification = decode_notification("a", bytes(changed))
    except ValueError:
        return
    assert [one.data for one in notification.diffs] == [one.data for one in DIFFS_AFTER_3]
    assert all(former.digest == latter.previous for former, latter in pairwise(notification.diffs))


@given(st.binary(max_size=3 * REVISION_BYTES))
def test_garbage_is_no_notification(message: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  each has its own text
        decode_notification("a", message)


def test_what_was_compressed_is_read_back_or_refused() -> None:
    value = VALID * 3
    stored = DIFFS.compress(value)
    for cut in range(len(stored)):
        with pytest.raises(ValueError):  # noqa: PT011  each has its own text
            DIFFS.decompress(stored[:cut])
    with pytest.raises(ValueError, match="too long"):
        DIFFS.decompress(stored + b"\x00")
    with pytest.raises(ValueError, match="too large"):
        DIFFS.decompress(DIFFS.compress(bytes(MAX_BYTES + 1)))
