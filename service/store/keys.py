"""The names of all keys and channels in Redis, with what they hold.

All keys of one game share the hash tag `{id}`, so one node of a Cluster has them all and one script may change them
together. Indexes and schedules hold many games: no script changes those together with a game's keys.
"""

import re

from schemas.vocabulary import Status
from service.games.access import key_of_subject

API_KEYS = "south-seas:api-keys"
"""Sorted set: names of API keys by the Unix second of creation."""

GAME_SCHEDULE = "south-seas:due"
"""Sorted set: ids of games by the Unix second at which they are due."""

WEBHOOK_SCHEDULE = "south-seas:hooks-due"
"""Sorted set: `SUBJECT WEBHOOK` by the Unix second at which a delivery is due."""

ARCHIVE_SCHEDULE = "south-seas:archive-due"
"""Sorted set: ids of games that have ended, by the Unix second at which to archive them or compact their logs."""

ARCHIVE_PENDING = "south-seas:archive-pending"
"""Sorted set: ids of games that have ended and are not archived yet, by the Unix second at which they were due."""

INDEX_REPAIR_LEASE = "south-seas:upkeep:lease"
"""String: exists until the next scan of index repair is due."""

PREFIX = "south-seas:"
"""The prefix of all keys and channels."""

BACKUP = "south-seas:backup"
"""String: the Unix second at which an export of all games ended, or none was found; how many games it lacks; and how
many losses it shows.
"""

EMPTIED = "south-seas:emptied"
"""String: the Unix second at which an instance found that a primary had lost its data, until games are imported."""

PROBE = "south-seas:probe"
"""No key, but the name of one for commands that concern none."""


def game(game_id: str) -> str:
    """Return the key of a game: a hash with its revision (`log_entries.pack_revision`), snapshot and access record.

    Further fields: `archived`, the archived version; `compacted` and `log` (`service.store.compacted_logs`); `hooks`,
    the ids of the webhooks; `hook:ID` and `hook:ID:state` of each webhook; `tokens`, the id of the last commit that
    revoked a token; `spentX`, the Unix second until which tokens whose hash begins with the byte X may use no
    idempotency keys.

    The channel of its change notifications has the same name; in a Cluster it is a sharded channel.
    """
    return f"south-seas:{{{game_id}}}:game"


def log(game_id: str) -> str:
    """Return the key of a game's log: a stream with an entry `VERSION-0` per diff, as `log_entries` packs it."""
    return f"south-seas:{{{game_id}}}:log"


def idempotency_records(game_id: str) -> str:
    """Return the key of a hash: the record of each idempotency key of a game, under its `idempotency_field`.

    It expires a day after the last key.
    """
    return f"south-seas:{{{game_id}}}:keys"


def idempotency_field(key: str) -> bytes:
    """Return the field of the idempotency key whose hash (hexadecimal digits) is `key`."""
    return bytes.fromhex(key[:16])


def idempotency_record(subject: str, key: str) -> str:
    """Return the key of a string: the record of a webhook request's idempotency key, by its hash. It expires."""
    return f"south-seas:{{{subject}}}:idempotency:{key[: 2 * _IDEMPOTENCY_KEY_BYTES]}"


def lobby(status: Status) -> str:
    """Return the key of the lobby: a sorted set of the public games of a status by the Unix second of creation."""
    return f"south-seas:listed:{status}"


def game_index(name: str) -> str:
    """Return the key of an index: a sorted set of the games under an index key by the Unix second of creation."""
    return f"south-seas:found:{name}"


def commit_keys(game_id: str) -> tuple[str, str, str]:
    """Return the keys of commit.lua: game, log and idempotency records."""
    prefix = f"south-seas:{{{game_id}}}"
    return f"{prefix}:game", f"{prefix}:log", f"{prefix}:keys"


def subject(subject: str) -> str:
    """Return the key of the hash that has a subject's webhooks: of a game, or of an API key (`subject_of_key`).

    The hash of an API key has `record`; `version`, which counts its changes; and `hooks`, `hook:ID` and `hook:ID:state`
    as a game's. It never expires.
    """
    return f"south-seas:{{{subject}}}:key" if key_of_subject(subject) is not None else game(subject)


def marker(probe: str) -> str:
    """Return the key of a string: random, written once, by which a primary is known that lost its data."""
    return f"south-seas:{{{probe}}}:marker"


def last_probe(probe: str, instance: str) -> str:
    """Return the key of a string: when an instance probed last, by its own monotonic clock. It expires after a day."""
    return f"south-seas:{{{probe}}}:{instance}:at"


def probe_keys(probe: str, instance: str) -> tuple[str, str, str]:
    """Return the keys of commit.lua for an instance's probe; they are no game's, and expire at once."""
    prefix = f"south-seas:{{{probe}}}:{instance}"
    return f"{prefix}:probe", f"{prefix}:log", f"{prefix}:records"


def replica_wait(game_id: str) -> str:
    """Return the key of a string that is written so that WAIT has something to wait for."""
    return f"south-seas:{{{game_id}}}:waited"


def failures(queue: str, entry: str) -> str:
    """Return the key of a string: how often in a row an entry of a queue failed when it was due. It expires."""
    return f"{_entry_prefix(queue, entry)}:failures"


def lease(queue: str, entry: str) -> str:
    """Return the key of a string: who is working on an entry of a queue. It expires."""
    return f"{_entry_prefix(queue, entry)}:lease"


def _entry_prefix(queue: str, entry: str) -> str:
    subject, _, webhook = entry.partition(" ")
    return f"south-seas:{{{subject}}}:{queue.removeprefix(PREFIX)}" + (webhook and f":{webhook}")


def webhook_attempts(subject: str, hook: str) -> str:
    """Return the key of a list: the latest delivery attempts of a webhook, the newest first."""
    return f"south-seas:{{{subject}}}:hook:{hook}:tried"


def bucket(name: str) -> str:
    """Return the key of a string: when a token bucket is full again. `name` has a hash of the client that it limits."""
    return f"south-seas:bucket:{name}"


def game_of(key: str) -> str | None:
    """Return the game whose hash has this key; None for any other key.

    >>> game_of(game("k3")), game_of(log("k3"))
    ('k3', None)
    """
    match = _GAME_PATTERN.fullmatch(key)
    return None if match is None else match[1]


def is_game_index(key: str) -> bool:
    """Return whether a key is of the lobby, or of an index.

    >>> is_game_index(game_index("ab:ana")), is_game_index(lobby("active")), is_game_index(game("k3"))
    (True, True, False)
    """
    return key.startswith(_INDEX_PREFIXES)


def is_known(key: str) -> bool:
    """Return whether a key with the prefix is one of these.

    >>> is_known(log("k3")), is_known(last_probe("probe-0", "0" * 16)), is_known("south-seas:{k3}:answer:5")
    (True, True, False)
    """
    return _KNOWN_PATTERN.fullmatch(key) is not None


_IDEMPOTENCY_KEY_BYTES = 15
_INDEX_PREFIXES = ("south-seas:listed:", "south-seas:found:")
_KNOWN_PATTERN = re.compile(
    r"south-seas:(\{[^{}]+\}:(game|log|keys|key|marker|waited|idempotency:.+|hook:.+:tried|\w{16}:(probe|log|records|at)"
    r"|(due|hooks-due|archive-due)(:.+)?:(failures|lease))|api-keys|due|hooks-due|archive-due|archive-pending"
    r"|upkeep:lease|backup|emptied|(listed|found|bucket):.+)"
)
_GAME_PATTERN = re.compile(r"south-seas:\{([^{}]+)\}:game")
