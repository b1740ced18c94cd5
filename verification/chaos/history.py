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
from redis.crc import key_slot


class _Record(msgspec.Struct, tag_field="type", kw_only=True):
    at: float = 0.0


class _ClientRecord(_Record, kw_only=True):
    client: str


class _OperationRecord(_ClientRecord, kw_only=True):
    key: str
    """The idempotency key, unique to the action and the same for each attempt."""


class _Message(_ClientRecord, kw_only=True):
    game: str
    version: int
    digest: str


class Invoked(_OperationRecord, tag="invoke"):
    """A client starts to send an action."""

    game: str
    move: str
    seat: int
    if_match: str | None
    """`VERSION-DIGEST`."""


class Acknowledged(_OperationRecord, tag="ok"):
    """The service acknowledged an action."""

    version: int
    """The last version of the commit."""
    digest: str
    diffs: list[tuple[int, str]] | None
    """Version and digest of each diff of the response; None for a WebSocket, whose `ack` has no diffs."""


class Rejected(_OperationRecord, tag="fail"):
    """The service rejected an action."""

    code: str
    attempts: int = 1
    """Requests with this key so far. After a lost response, the earlier request may still commit."""


class Undetermined(_OperationRecord, tag="info"):
    """The client gave up an action with an unknown outcome."""

    reason: str


class Retried(_OperationRecord, tag="retry"):
    """The client sent an acknowledged action again with the same key."""

    is_equal: bool
    """Whether the second response describes the same commit."""


class DiffReceived(_Message, tag="diff"):
    """A subscriber received a diff."""


class SnapshotReceived(_Message, tag="snapshot"):
    """A subscriber received a snapshot."""

    since_version: int | None
    """The version that it had before; None if it had none."""
    since_digest: str | None


class FinalReplica(_Message, tag="final_replica"):
    """A subscriber's replica at the end."""

    document: dict[str, Any]


class Disconnected(_ClientRecord, tag="disconnect"):
    """A subscriber's connection ended."""

    reason: str


class Connected(_ClientRecord, tag="connect"):
    """A subscriber has connected, for the first time or again."""


class ReconnectRequested(_ClientRecord, tag="reconnect"):
    """An instance that shuts down asked a subscriber to reconnect after a delay."""

    retry_after_ms: int


class ContractViolation(_ClientRecord, tag="contract_violation"):
    """A client observed what the contract forbids."""

    detail: str


class Polled(_ClientRecord, tag="poll"):
    """How many reads a client has sent."""

    count: int


class Loss(msgspec.Struct):
    """That servers went back to older files: what is newer is lost in the games of their slots."""

    servers: str
    copied_at: float
    """When the copy of the files began: what was acknowledged before is in it."""
    stopped_at: float
    """When the servers had been stopped: of what is sent later, nothing is lost."""
    slots: list[tuple[int, int]]
    """The first and the last of each range of a Cluster's; empty: all games."""

    def __str__(self) -> str:
        return f"{self.servers} by {self.stopped_at - self.copied_at:.1f} s"

    def may_take_back(self, game: str, invoked_at: float, acknowledged_at: float) -> bool:
        """Return whether it may have taken back what was sent and acknowledged at these times."""
        return self.may_affect(game) and self.copied_at < acknowledged_at and invoked_at < self.stopped_at

    def may_affect(self, game: str) -> bool:
        """Return whether these servers had the game."""
        slot = key_slot(game.encode())
        return not self.slots or any(first <= slot <= last for first, last in self.slots)


class Fault(_Record, tag="fault"):
    """A fault from `at` until `healed_at`."""

    kind: str
    detail: str
    healed_at: float
    promotes: bool = False
    """Whether it may have promoted a replica, which lacks what was not acknowledged."""
    loss: Loss | None = None
    notice: str = ""
    """What an instance must log of it, as a regular expression; empty: nothing."""
    is_noticed: bool = False


class GameCreated(_Record, tag="game"):
    """A game was created, in which only clients of this run act."""

    game: str
    scenario: str
    invoked_at: float = 0.0


class GameMissing(_ClientRecord, tag="missing"):
    """The service did not know a game that was created."""

    game: str


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
    | GameMissing
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

    def add_violation(self, client: str, detail: str) -> None:
        """Record that a client observed what the contract forbids."""
        self.add(ContractViolation(client=client, detail=detail))


def dump(records: Sequence[Record], path: Path) -> None:
    """Write a history to a compressed file, one record a line."""
    path.write_bytes(gzip.compress(b"\n".join(map(msgspec.json.encode, records)) + b"\n", 1))


def load(path: Path) -> list[Record]:
    """Load a history from a file."""
    decoder = msgspec.json.Decoder(Record)
    return [decoder.decode(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
