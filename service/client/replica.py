"""A replica of a game: GAME with every diff applied in order, and the chain of digests checked."""

from typing import Any

from schemas.diffs import Diff, canonical_body, next_digest
from schemas.game import GameView
from service.client.decoding import DecodingError, convert
from service.json_patch import PatchError, apply_patch

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
        if diff.version > self.version + 1 or next_digest(self.digest, canonical_body(document)) != diff.digest:
            raise OutOfSync
        try:
            game = apply_patch(self._document, document["patch"])
            self.view = convert(game, GameView)
        except (PatchError, DecodingError) as error:
            raise OutOfSync from error
        self._document = game
        self.digest = diff.digest
        return diff
