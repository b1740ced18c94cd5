"""Names of everything that is kept in Redis.

All keys of one game share the hash tag `{id}`: one node of a Redis Cluster has them all, and one script may change them
together. The list of public games and the due dates are of many games: no script touches those together with a game's
keys.
"""

from schemas.vocabulary import Status

__all__ = ["DUE", "HINTS", "PROBE", "answer", "game", "listed", "log"]

HINTS = "south-seas:hints"
"""Channel: `ID VERSION` of each game that has changed."""

DUE = "south-seas:due"
"""Sorted set: game ids by the Unix second at which to look at them."""

PROBE = "south-seas:probe"
"""String: written to learn whether Redis takes writes."""


def game(game_id: str) -> str:
    """Hash: version, digest, snapshot, access."""
    return f"south-seas:{{{game_id}}}:game"


def log(game_id: str) -> str:
    """Stream: one entry `VERSION-0` per diff, with commit, digest, previous, data."""
    return f"south-seas:{{{game_id}}}:log"


def answer(game_id: str, key: str) -> str:
    """String: the answer kept for the idempotency key with this hash."""
    return f"south-seas:{{{game_id}}}:answer:{key}"


def listed(status: Status) -> str:
    """Sorted set: ids of public games by the Unix second of their creation."""
    return f"south-seas:listed:{status}"
