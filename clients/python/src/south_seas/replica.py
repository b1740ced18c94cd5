"""A replica of a game: GAME with every diff applied in order, and the chain of digests checked."""

from hashlib import sha256
from typing import Any

import msgspec

from south_seas.decoding import DecodingError, convert
from south_seas.json_patch import PatchError, apply_patch
from south_seas.models import Diff, GameView

__all__ = ["JsonObject", "OutOfSync", "Replica"]

JsonObject = dict[str, Any]


class OutOfSync(Exception):
    """A diff does not continue the replica, which is unchanged."""


class Replica:
    """A copy of a game. Raises DecodingError if the document is not GAME."""

    def __init__(self, document: JsonObject, digest: str) -> None:
        self._document = document
        self.digest = digest
        self.view = convert(document, GameView)

    @property
    def version(self) -> int:
        """The version of the replica."""
        return self.view.version

    def apply(self, document: JsonObject) -> Diff | None:
        """Apply and return a diff; return None for an earlier one. Raises OutOfSync and DecodingError."""
        diff = convert(document, Diff)
        if diff.version <= self.version:
            return None
        if diff.version > self.version + 1 or _next_digest(self.digest, document) != diff.digest:
            raise OutOfSync
        try:
            game = apply_patch(self._document, document["patch"])
            self.view = convert(game, GameView)
        except (PatchError, DecodingError) as error:
            raise OutOfSync from error
        self._document = game
        self.digest = diff.digest
        return diff


def _next_digest(digest: str, diff: JsonObject) -> str:
    """Return the first 32 hex digits of the SHA-256 of the previous digest and the rest of the diff (RFC 8785)."""
    body = _CANONICAL_ENCODER.encode({name: value for name, value in diff.items() if name != "digest"})
    return sha256(digest.encode("ascii") + body).hexdigest()[:32]


_CANONICAL_ENCODER = msgspec.json.Encoder(order="sorted")
