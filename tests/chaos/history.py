"""The history: operations, messages and faults in the order in which they happen, and the final state of each game.

Times are seconds of one monotonic clock. `client` is a name that is unique in a run. As in Jepsen, an operation is
invoked, and then completes with `ok`, `fail` or `info` (unknown).
"""

import gzip
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

__all__ = [
    "Acknowledged",
    "Connected",
    "ContractViolation",
    "DiffReceived",
    "Disconnected",
    "Fault",
    "FinalReplica",
    "FinalState",
    "GameCreated",
    "History",
    "Invoked",
    "Polled",
    "ReconnectRequested",
    "Record",
    "Rejected",
    "Retried",
    "SnapshotReceived",
    "Undetermined",
    "dump",
    "load",
]


class _Record(msgspec.Struct, tag_field="type", kw_only=True):
    at: float = 0.0


class Invoked(_Record, tag="invoke"):
    """A client starts to send an action."""

    client: str
    game: str
    key: str
    """The idempotency key, unique to the action and the same for each attempt."""
    move: str
    seat: int
    if_match: str | None
    """`VERSION-DIGEST`."""


class Acknowledged(_Record, tag="ok"):
    """The service acknowledged an action."""

    client: str
    key: str
    version: int
    """The last version of the commit."""
    digest: str
    diffs: list[tuple[int, str]] | None
    """Version and digest of each diff of the response; None for a WebSocket, whose `ack` has no diffs."""
    attempts: int = 1


class Rejected(_Record, tag="fail"):
    """The service rejected an action."""

    client: str
    key: str
    code: str
    attempts: int = 1
    """Requests with this key so far. After a lost response, the earlier request may still commit."""


class Undetermined(_Record, tag="info"):
    """The client gave up an action with an unknown outcome."""

    client: str
    key: str
    reason: str


class Retried(_Record, tag="retry"):
    """The client sent an acknowledged action again with the same key."""

    client: str
    key: str
    is_equal: bool
    """Whether the second response describes the same commit."""


class DiffReceived(_Record, tag="diff"):
    """A subscriber received a diff."""

    client: str
    game: str
    version: int
    digest: str


class SnapshotReceived(_Record, tag="snapshot"):
    """A subscriber received a snapshot."""

    client: str
    game: str
    version: int
    digest: str
    since_version: int | None
    """The version that it had before; None if it had none."""
    since_digest: str | None


class FinalReplica(_Record, tag="final_replica"):
    """A subscriber's replica at the end."""

    client: str
    game: str
    version: int
    digest: str
    document: dict[str, Any]


class Disconnected(_Record, tag="disconnect"):
    """A subscriber's connection ended."""

    client: str
    reason: str


class Connected(_Record, tag="connect"):
    """A subscriber has connected, for the first time or again."""

    client: str


class ReconnectRequested(_Record, tag="reconnect"):
    """An instance that shuts down asked a subscriber to reconnect after a delay."""

    client: str
    retry_after_ms: int


class ContractViolation(_Record, tag="contract_violation"):
    """A client observed what the contract forbids."""

    client: str
    detail: str


class Polled(_Record, tag="poll"):
    """How many reads a client has sent."""

    client: str
    count: int


class Fault(_Record, tag="fault"):
    """A fault from `at` until `healed_at`."""

    kind: str
    detail: str
    healed_at: float


class GameCreated(_Record, tag="game"):
    """A game was created, in which only clients of this run act."""

    game: str
    scenario: str


class FinalState(_Record, tag="final_state"):
    """A game as the service returns it at the end."""

    game: str
    document: dict[str, Any]
    tag: str
    """The ETag, without quotes."""
    log: list[dict[str, Any]]
    verify_errors: str
    """The errors of `south-seas verify`; empty: none."""


Record = (
    Invoked
    | Acknowledged
    | Rejected
    | Undetermined
    | Retried
    | DiffReceived
    | SnapshotReceived
    | FinalReplica
    | Disconnected
    | Connected
    | ReconnectRequested
    | ContractViolation
    | Polled
    | Fault
    | GameCreated
    | FinalState
)


class History:
    """The records of one game, or those that belong to no game."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.acknowledged = 0

    def add(self, record: Record) -> None:
        """Add a record, with the current time unless it has one."""
        record.at = record.at or time.monotonic()
        self.acknowledged += isinstance(record, Acknowledged)
        self.records.append(record)


def dump(records: Sequence[Record], path: Path) -> None:
    """Write a history to a compressed file, one record a line."""
    path.write_bytes(gzip.compress(b"\n".join(map(msgspec.json.encode, records)) + b"\n", 1))


def load(path: Path) -> list[Record]:
    """Load a history from a file."""
    decoder = msgspec.json.Decoder(Record)
    return [decoder.decode(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
