"""What is published of a commit: a notice, and the entries of its diffs as the log has them.

An instance that has missed nothing passes the diffs on without reading the log.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise

import msgspec

from service.games.ports.game_store import ChangeNotification, Commit
from service.store import log_entries
from service.telemetry import clock

__all__ = ["decode_notification", "encode_notice"]


class _Notice(msgspec.Struct, frozen=True, array_like=True):
    """What a notification says before the entries of its commit."""

    version: int
    previous: bytes
    """The digest before the commit."""
    revokes_token: bool
    sent_us: int
    traceparent: str
    sizes: list[int]
    """Bytes of each entry."""


def encode_notice(commit: Commit, entries: Sequence[bytes]) -> bytes:
    """Return what precedes the entries in a commit's notification: two bytes of its length, and MessagePack."""
    version, previous = commit.expected or (0, "")
    notice = _ENCODER.encode(
        _Notice(
            version + len(entries),
            bytes.fromhex(previous),
            commit.revokes_token,
            clock.now_us(),
            commit.traceparent,
            [len(entry) for entry in entries],
        )
    )
    return len(notice).to_bytes(2) + notice


def decode_notification(game: str, message: bytes) -> ChangeNotification:
    """Return the notification that commit.lua published. Raises ValueError for any other message."""
    start = 2 + int.from_bytes(message[:2])
    notice = _DECODER.decode(message[2:start])
    bounds = pairwise(accumulate(notice.sizes, initial=start))
    first = notice.version - len(notice.sizes) + 1
    entries = ((version, message[begin:end]) for version, (begin, end) in enumerate(bounds, first))
    return ChangeNotification(
        game,
        notice.version,
        notice.revokes_token,
        [*log_entries.unpack(game, notice.previous.hex(), entries)],
        notice.sent_us,
        notice.traceparent,
    )


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_Notice)
