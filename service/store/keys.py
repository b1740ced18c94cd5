"""Names of everything that is kept in Redis.

All keys of one game share the hash tag `{id}`: one node of a Redis Cluster has them all, and one script may change them
together. The list of public games and the due dates are of many games: no script touches those together with a game's
keys.
"""

import re

from schemas.vocabulary import Status

__all__ = [
    "ARCHIVE_SCHEDULE",
    "GAME_SCHEDULE",
    "INDEX_REPAIR_LEASE",
    "INDEX_REPAIR_PROGRESS",
    "PREFIX",
    "WEBHOOK_SCHEDULE",
    "WRITE_PROBE",
    "archive_lease",
    "bucket",
    "channel",
    "failures",
    "game",
    "game_index",
    "game_of",
    "game_of_channel",
    "idempotency_field",
    "index_key_of",
    "lobby",
    "log",
    "replica_wait",
    "webhook_attempts",
    "webhook_lease",
]

GAME_SCHEDULE = "south-seas:due"
"""Sorted set: game ids by the Unix second at which to look at them."""

WEBHOOK_SCHEDULE = "south-seas:hooks-due"
"""Sorted set: `GAME HOOK` by the Unix second at which to look whether that webhook has anything to be told."""

ARCHIVE_SCHEDULE = "south-seas:archive-due"
"""Sorted set: ids of games that are over, by the Unix second at which to look whether they are archived."""

INDEX_REPAIR_PROGRESS = "south-seas:upkeep"
"""Hash: how far the walk has come that mends what the games are found by."""

INDEX_REPAIR_LEASE = "south-seas:upkeep:lease"
"""String: there as long as it is too early for the next part of that walk."""

PREFIX = "south-seas:"
"""What all keys begin with."""

WRITE_PROBE = "south-seas:probe"
"""String: written to learn whether Redis takes writes."""


def game(game_id: str) -> str:
    """Hash: version, digest, snapshot, access; `archived`, the version that is; `hooks`, the webhooks' ids.

    `tokens` is the id of the last commit that ended a token. For each webhook `hook:ID` and `hook:ID:state`. For each
    idempotency key its `record`, and `spentX` until when the tokens whose hash begins with the byte X may use no more.
    """
    return f"south-seas:{{{game_id}}}:game"


def log(game_id: str) -> str:
    """Stream: one entry `VERSION-0` per diff, with commit, digest, previous, data."""
    return f"south-seas:{{{game_id}}}:log"


def idempotency_field(key: str) -> bytes:
    """Field of the game's hash: the record kept for the idempotency key with this hash (hexadecimal digits)."""
    return b"k" + bytes.fromhex(key)[:_IDEMPOTENCY_FIELD_BYTES]


def lobby(status: Status) -> str:
    """Sorted set: ids of public games by the Unix second of their creation."""
    return f"south-seas:listed:{status}"


def game_index(name: str) -> str:
    """Sorted set: ids of games that may be found by this name, by the Unix second of their creation."""
    return f"south-seas:found:{name}"


def channel(game_id: str) -> str:
    """Channel, in a Cluster one of the game's slot: its versions as they come, for those who watch it."""
    return f"south-seas:{{{game_id}}}:hints"


def game_of_channel(channel: str) -> str:
    """The game that this channel tells of.

    >>> hinted(hints("k3"))
    'k3'
    """
    return channel.partition("{")[2].partition("}")[0]


def replica_wait(game_id: str) -> str:
    """String: written so that there is something to wait for until replicas have it."""
    return f"south-seas:{{{game_id}}}:waited"


def failures(game_id: str) -> str:
    """String: how often in a row the game failed when it was due; forgotten when it fails no more."""
    return f"south-seas:{{{game_id}}}:failures"


def webhook_lease(game_id: str, hook: str) -> str:
    """String: who is delivering to a webhook, while they do."""
    return f"south-seas:{{{game_id}}}:hook:{hook}:lease"


def webhook_attempts(game_id: str, hook: str) -> str:
    """List: the latest attempts at delivering to a webhook, the newest first."""
    return f"south-seas:{{{game_id}}}:hook:{hook}:tried"


def bucket(name: str) -> str:
    """String: when a token bucket is full again; its name holds a hash of whom it limits."""
    return f"south-seas:bucket:{name}"


def archive_lease(game_id: str) -> str:
    """String: who is archiving a game, while they do."""
    return f"south-seas:{{{game_id}}}:archive:lease"


def game_of(key: str) -> str | None:
    """The game whose hash this key names; None for any other key.

    >>> game_of(game("k3")), game_of(log("k3"))
    ('k3', None)
    """
    found = _GAME_PATTERN.fullmatch(key)
    return None if found is None else found[1]


def index_key_of(key: str) -> str | None:
    """The name whose games this key holds; None for any other key.

    >>> name_of(found_by("ab:ana")), name_of(game("k3"))
    ('ab:ana', None)
    """
    return key.removeprefix(_GAME_INDEX_PREFIX) if key.startswith(_GAME_INDEX_PREFIX) else None


_IDEMPOTENCY_FIELD_BYTES = 15
_GAME_INDEX_PREFIX = game_index("")
_GAME_PATTERN = re.compile(r"south-seas:\{([^{}]+)\}:game")
