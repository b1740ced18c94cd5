"""A subscriber's replica of a game, which checks each message by the public contract alone."""

import hashlib
from typing import Any

import jsonpatch
import msgspec

from verification.chaos.history import DiffReceived, FinalReplica, History, SnapshotReceived

CANONICAL = msgspec.json.Encoder(order="sorted")


def next_digest(previous: str, diff: dict[str, Any]) -> str:
    """Compute the digest that a diff must have."""
    body = CANONICAL.encode({name: value for name, value in diff.items() if name != "digest"})
    return hashlib.sha256(previous.encode() + body).hexdigest()[:32]


class Replica:
    """The game as one subscriber knows it. Records everything that it receives."""

    def __init__(self, history: History, client: str, game: str) -> None:
        self.client = client
        self.game = game
        self.document: dict[str, Any] = {}
        self.digest: str | None = None
        self._history = history

    @property
    def version(self) -> int | None:
        """The version; None before the first snapshot."""
        return self.document.get("version")

    @property
    def is_finished(self) -> bool:
        """Whether the game has ended."""
        return self.document.get("status") in ("finished", "aborted")

    @property
    def decider(self) -> int | None:
        """The seat that must decide, as of this version."""
        turn = self.document.get("turn")
        return None if turn is None else turn["decider"]

    @property
    def resume_point(self) -> dict[str, str]:
        """The query parameters that resume the subscription."""
        return {} if self.digest is None else {"since": str(self.version), "digest": self.digest}

    def handle(self, message: dict[str, Any]) -> None:
        """Apply a `diff` or a `snapshot` message."""
        if message["type"] == "snapshot":
            self._replace(message["game"], message["digest"])
        else:
            self._apply(message)

    def _apply(self, diff: dict[str, Any]) -> None:
        version, digest = diff["version"], diff["digest"]
        self._history.add(DiffReceived(client=self.client, game=self.game, version=version, digest=digest))
        if self.digest is None or version != (self.version or 0) + 1:
            self._record_violation(f"received version {version} after {self.version}")
            return
        if next_digest(self.digest, diff) != digest:
            self._record_violation(f"the digest of version {version} does not continue the chain")
            return
        try:
            self.document = jsonpatch.apply_patch(self.document, diff["patch"], in_place=True)
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
            self._record_violation(f"the patch of version {version} does not apply: {error}")
            return
        self.digest = digest
        if self.version != version:
            self._record_violation(f"the patch of version {version} results in version {self.version}")

    def _replace(self, document: dict[str, Any], digest: str) -> None:
        self._history.add(
            SnapshotReceived(
                client=self.client,
                game=self.game,
                version=document["version"],
                digest=digest,
                since_version=self.version,
                since_digest=self.digest,
            )
        )
        self.document, self.digest = document, digest

    def record_final(self) -> None:
        """Record the replica at the end."""
        self._history.add(
            FinalReplica(
                client=self.client,
                game=self.game,
                version=self.version or 0,
                digest=self.digest or "",
                document=self.document,
            )
        )

    def _record_violation(self, detail: str) -> None:
        self._history.add_violation(self.client, f"{self.game}: {detail}")
