"""What a commit says of itself, to commit.lua and to the instances that are notified of it.

A notification is two bytes with the length of the script's first argument, that argument, and the entries that the
commit adds to the log. An instance that has missed nothing passes the diffs on without reading the log.
"""

from itertools import accumulate, pairwise
from typing import Annotated

import msgspec

from service.games.ports.game_store import ChangeNotification
from service.store import log_entries
from service.store.compression import MAX_BYTES

__all__ = ["CommitHeader", "decode_notification"]


class CommitHeader(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What follows the expected revision in the first argument of commit.lua, which unpacks it in this order."""

    webhooks: str
    """Ids of the game's webhooks, as they are expected, with commas between them."""
    last_revocation: str
    """Id of the last commit that revoked a token, as it is expected."""
    revocation: str
    """Id of this commit if it revokes a token, else empty."""
    ttl_s: int
    renews: bool
    """Whether keys must be extended: the retention changes with the status, and an ended game's log may be new."""
    own_subscribers: int
    """How many subscribers of the game's channel belong to the committing process."""
    is_sharded: bool
    """Whether the channel is sharded, as in a Cluster."""
    sent_us: int
    """The time of the commit in Unix microseconds by the shared clock."""
    traceparent: str
    sizes: list[Annotated[int, msgspec.Meta(ge=1)]]
    """Bytes of each entry."""


def decode_notification(game: str, message: bytes) -> ChangeNotification:
    """Return the notification that commit.lua published.

    Raises ValueError for any other message: whoever may publish there could send it. Each diff has to have the digest
    that it claims, so a damaged one is never passed on.
    """
    start, first_entry = 2 + log_entries.REVISION_BYTES, 2 + int.from_bytes(message[:2])
    header = _DECODER.decode(message[start:first_entry])
    bounds = [*accumulate(header.sizes, initial=first_entry)]
    if bounds[-1] != len(message):
        raise ValueError("the entries are cut")
    version, digest = log_entries.unpack_revision(message[2:start])
    entries = [(version + i, message[begin:end]) for i, (begin, end) in enumerate(pairwise(bounds), 1)]
    diffs, size = [], 0
    for diff in log_entries.unpack(game, digest, entries):
        diffs.append(log_entries.check_digest(diff))
        size += len(diff.data)
        if size > MAX_BYTES:
            raise ValueError("the diffs are too large")
    return ChangeNotification(
        game, version + len(diffs), bool(header.revocation), diffs, header.sent_us, header.traceparent
    )


_DECODER = msgspec.msgpack.Decoder(CommitHeader)
