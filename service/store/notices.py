"""What commit.lua publishes of a commit: two bytes with the length of a notice, that, and the log's entries.

An instance that has missed nothing passes the diffs on without reading the log.
"""

from itertools import accumulate, pairwise

import msgspec

from service.games.ports.game_store import ChangeNotification
from service.store import log_entries

__all__ = ["decode_notification"]


class _Notice(msgspec.Struct, frozen=True, array_like=True):
    """What a notification says before the entries of its commit."""

    version: int
    previous: str
    """The digest before the commit."""
    revokes_token: bool
    sent_us: int
    traceparent: str
    sizes: list[int]
    """Bytes of each entry."""


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
        [*log_entries.unpack(game, notice.previous, entries)],
        notice.sent_us,
        notice.traceparent,
    )


_DECODER = msgspec.msgpack.Decoder(_Notice)
