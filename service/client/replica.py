"""One's own copy of a game: GAME as it was, changed by every diff in order, and the chain of digests checked."""

from hashlib import sha256
from typing import Any

from schemas.base import canonical
from schemas.diffs import Diff
from schemas.game import GameView
from service.client.decoding import Undecodable, convert
from service.client.patches import CannotApply, patched

__all__ = ["JsonObject", "OutOfStep", "Replica", "next_digest"]

JsonObject = dict[str, Any]


class OutOfStep(Exception):
    """A diff does not follow on what this copy holds, which stays as it is."""


class Replica:
    """A game's copy; `view` is GAME, `version` and `digest` say which. Raises Undecodable where it is no GAME."""

    def __init__(self, document: JsonObject, digest: str) -> None:
        self._document = document
        self.digest = digest
        self.view = convert(document, GameView)

    @property
    def version(self) -> int:
        """The version that this copy has reached."""
        return self.view.version

    def apply(self, document: JsonObject) -> Diff | None:
        """Go on by one diff, and give it; None for one that was seen before. Raises OutOfStep, Undecodable."""
        diff = convert(document, Diff)
        if diff.version <= self.version:
            return None
        if diff.version > self.version + 1 or next_digest(self.digest, document) != diff.digest:
            raise OutOfStep
        try:
            game = patched(self._document, document["patch"])
            self.view = convert(game, GameView)
        except (CannotApply, Undecodable) as error:
            raise OutOfStep from error
        self._document = game
        self.digest = diff.digest
        return diff


def next_digest(before: str, diff: JsonObject) -> str:
    """The digest that a diff must have: of the digest before it and all the rest of it."""
    body = canonical({name: value for name, value in diff.items() if name != "digest"})
    return sha256(before.encode() + body).hexdigest()[:32]
