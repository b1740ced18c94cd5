"""Names of everything that is kept in Redis.

All keys of one game share the hash tag `{id}`: one node of a Redis Cluster has them all, and one script may change them
together. The list of public games and the due dates are of many games: no script touches those together with a game's
keys.
"""

from schemas.vocabulary import Status

__all__ = [
    "DUE",
    "HINTS",
    "HOOKS_DUE",
    "PROBE",
    "answer",
    "found_by",
    "game",
    "lease",
    "listed",
    "log",
    "tried",
]

HINTS = "south-seas:hints"
"""Channel: `ID VERSION` of each game that has changed."""

DUE = "south-seas:due"
"""Sorted set: game ids by the Unix second at which to look at them."""

HOOKS_DUE = "south-seas:hooks-due"
"""Sorted set: `GAME HOOK` by the Unix second at which to look whether that webhook has anything to be told."""

PROBE = "south-seas:probe"
"""String: written to learn whether Redis takes writes."""


def game(game_id: str) -> str:
    """Hash: version, digest, snapshot, access; `hooks`, and for each webhook `hook:ID` and `hook:ID:state`."""
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


def found_by(name: str) -> str:
    """Sorted set: ids of games that may be found by this name, by the Unix second of their creation."""
    return f"south-seas:found:{name}"


def lease(game_id: str, hook: str) -> str:
    """String: who is delivering to a webhook, while they do."""
    return f"south-seas:{{{game_id}}}:hook:{hook}:lease"


def tried(game_id: str, hook: str) -> str:
    """List: the latest attempts at delivering to a webhook, the newest first."""
    return f"south-seas:{{{game_id}}}:hook:{hook}:tried"
