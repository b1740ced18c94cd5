"""One's own copy of a game: GAME as it was, changed by every diff in order, and the chain of digests checked."""

from hashlib import sha256
from typing import Any

import msgspec

from examples.terminal.patches import CannotApply, apply_patch
from schemas.base import canonical
from schemas.game import GameView

JsonObject = dict[str, Any]


class OutOfStep(Exception):
    """A diff does not follow on what this copy holds: the game must be read anew."""


class Replica:
    """A game's copy; `view` is GAME, `version` and `digest` say which."""

    def __init__(self, document: JsonObject, digest: str) -> None:
        self._document = document
        self.digest = digest
        self.view = msgspec.convert(document, GameView)

    @property
    def version(self) -> int:
        """The version that this copy has reached."""
        return self.view.version

    def apply(self, diff: JsonObject) -> bool:
        """Go on by one diff; False for one that was seen before. Raises OutOfStep, the copy then being useless."""
        if diff["version"] <= self.version:
            return False
        if diff["version"] > self.version + 1 or next_digest(self.digest, diff) != diff["digest"]:
            raise OutOfStep
        try:
            apply_patch(self._document, diff["patch"])
        except CannotApply as error:
            raise OutOfStep from error
        self.view = msgspec.convert(self._document, GameView)
        self.digest = diff["digest"]
        return True


def next_digest(before: str, diff: JsonObject) -> str:
    """The digest that a diff must have: of the digest before it and all the rest of it."""
    body = canonical({name: value for name, value in diff.items() if name != "digest"})
    return sha256(before.encode() + body).hexdigest()[:32]
