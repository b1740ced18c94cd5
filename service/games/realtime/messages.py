"""What the watchers of a game are told."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import msgspec

from schemas.game import GameView
from service.games.access import Access
from service.games.errors import GameError
from service.games.ports import StoredDiff

__all__ = ["Changed", "News", "Position", "Replaced", "Subscriber", "Together", "TokenHolder", "follows", "together"]


class Position(NamedTuple):
    """A point in a game's history: two histories that share a version but not a past differ in the digest."""

    version: int
    digest: str


class Told(msgspec.Struct, kw_only=True, eq=False):
    """Something that all watchers of a game are told; `wire` is for whoever encodes it, so that it is done once."""

    game: str
    wire: dict[str, bytes] = {}


class Changed(Told, eq=False):
    """The next versions, without gap and in order."""

    diffs: Sequence[StoredDiff]

    @property
    def position(self) -> Position:
        """Where they end."""
        return Position(self.diffs[-1].version, self.diffs[-1].digest)


class Replaced(Told, eq=False):
    """The whole game, where what was told before is no part of its history."""

    digest: str
    view: GameView


class Together(Told, eq=False):
    """Several of these, one after another; each is encoded once, also where some are told it alone."""

    parts: Sequence[Changed | Replaced]


News = Changed | Replaced | Together


@runtime_checkable
class TokenHolder(Protocol):
    """A subscriber who may watch a game by a token, and by none that has ended."""

    def recheck(self, game: str, access: Access) -> None:
        """Go on only if the token is still one of the game's, which says who may now."""


class Subscriber(Protocol):
    """Somebody who watches games. Neither method waits; both may raise OSError or RuntimeError, as connections do."""

    def deliver(self, news: News) -> None:
        """Take the news of a game."""

    def lose(self, game: str, error: GameError) -> None:
        """The game can be watched no longer, for this reason."""


def together(game: str, parts: Sequence[Changed | Replaced]) -> News:
    """The same as one: itself where it is one only."""
    return parts[0] if len(parts) == 1 else Together(game=game, parts=parts)


def follows(position: Position, diffs: Sequence[StoredDiff]) -> bool:
    """Whether the diffs continue at a position, version by version and digest by digest.

    >>> follows(Position(4, "a"), [StoredDiff(5, "b", "a", b""), StoredDiff(6, "c", "b", b"")])
    True
    >>> follows(Position(4, "a"), [StoredDiff(6, "c", "b", b"")])
    False
    """
    version, digest = position
    for diff in diffs:
        if diff.version != version + 1 or diff.previous != digest:
            return False
        version, digest = diff.version, diff.digest
    return True
