"""What clients write down while they play and watch, in the order in which it happens; and the truth at the end.

Times are seconds of one monotonic clock. `client` is a name that is unique in a run.
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
    "GamePlayed",
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


class _Record(msgspec.Struct, tag_field="what", kw_only=True):
    at: float = 0.0


class Invoked(_Record, tag="asked"):
    """A client begins to ask for an action; what follows says how it ended."""

    client: str
    game: str
    key: str
    """Idempotency key: one for each action, the same for each try."""
    move: str
    seat: int
    """Who acts."""
    if_match: str | None
    """`VERSION-DIGEST`."""


class Acknowledged(_Record, tag="acknowledged"):
    """The service said that an action is done."""

    client: str
    key: str
    version: int
    """The commit's last."""
    digest: str
    diffs: list[tuple[int, str]] | None
    """Version and digest of each diff of the answer; None where it carries none, as a socket's."""
    attempts: int = 1


class Rejected(_Record, tag="refused"):
    """The service said that an action is not done, and never will be by this request."""

    client: str
    key: str
    code: str
    attempts: int = 1
    """Requests with this key so far. One whose answer was lost may be at work still: a refusal is not kept."""


class Undetermined(_Record, tag="unknown"):
    """The client gave up asking: an action is done or not."""

    client: str
    key: str
    reason: str


class Retried(_Record, tag="repeated"):
    """An action that was acknowledged was asked for once more with the same key."""

    client: str
    key: str
    is_equal: bool
    """Whether the answer told the same commit, diff by diff."""


class DiffReceived(_Record, tag="saw"):
    """A watcher was told a diff, and has applied it."""

    client: str
    game: str
    version: int
    digest: str


class SnapshotReceived(_Record, tag="whole"):
    """A watcher was told the whole game."""

    client: str
    game: str
    version: int
    digest: str
    since_version: int | None
    """The version that it had, None where it had none."""
    since_digest: str | None


class FinalReplica(_Record, tag="holds"):
    """A watcher's copy at the end."""

    client: str
    game: str
    version: int
    digest: str
    document: dict[str, Any]


class Disconnected(_Record, tag="lost"):
    """A watcher's connection ended."""

    client: str
    reason: str


class Connected(_Record, tag="came"):
    """A watcher has a connection (again)."""

    client: str


class ReconnectRequested(_Record, tag="hint"):
    """A watcher was told to come back after a while, as its instance stops."""

    client: str
    retry_after_ms: int


class ContractViolation(_Record, tag="broke"):
    """A client met something that the contract forbids."""

    client: str
    detail: str


class Polled(_Record, tag="polled"):
    """How many requests a client has made that changed nothing, and were answered."""

    client: str
    count: int


class Fault(_Record, tag="fault"):
    """Something was broken at `at`, and was whole again at `healed`."""

    kind: str
    detail: str
    healed: float


class GamePlayed(_Record, tag="decided"):
    """A game that was played, and by which clients of ours alone it was acted on."""

    game: str
    kind: str


class FinalState(_Record, tag="truth"):
    """A game as the service tells it in the end."""

    game: str
    document: dict[str, Any]
    tag: str
    """The ETag, without quotes."""
    log: list[dict[str, Any]]
    verified: str
    """What `south-seas verify` found wrong; empty where it found nothing."""


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
    | GamePlayed
    | FinalState
)


class History:
    """All records of one game, or what belongs to none."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.acknowledged = 0

    def add(self, record: Record) -> None:
        """Write down what happens now; what has a time already happened then."""
        record.at = record.at or time.monotonic()
        self.acknowledged += isinstance(record, Acknowledged)
        self.records.append(record)


def dump(records: Sequence[Record], path: Path) -> None:
    """Keep a history in a compressed file, one record a line."""
    path.write_bytes(gzip.compress(b"\n".join(map(msgspec.json.encode, records)) + b"\n", 1))


def load(path: Path) -> list[Record]:
    """Load a history from a file."""
    decoder = msgspec.json.Decoder(Record)
    return [decoder.decode(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
