"""What mending needs of a store. Every method may raise StoreUnavailable."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from schemas.vocabulary import Status

__all__ = ["IndexEntries", "IndexRepairStore", "ScannedKeys"]


class ScannedKeys(NamedTuple):
    """A part of everything that is stored."""

    games: list[str]
    index_keys: list[str]
    """That games are found by."""
    cursor: str
    """Where to go on; empty at the end."""


class IndexEntries(NamedTuple):
    """Where a game is found now."""

    statuses: list[Status]
    """Under which it is listed."""
    index_keys: list[str]
    """That it is found by, of those asked for."""
    is_scheduled: bool
    """Whether somebody will look at it."""
    webhooks: list[str]
    """Webhooks that somebody will look at, of those asked for."""
    is_archive_queued: bool
    """Whether somebody will look whether it is archived."""


class IndexRepairStore(Protocol):
    """A store whose indexes can be mended."""

    async def scan(self, cursor: str, count: int) -> ScannedKeys:
        """Some of all games and names, about `count` keys on from `position` (empty: from the beginning)."""

    async def try_acquire_turn(self, seconds: float) -> bool:
        """Whether it is time for the next part of the walk; if so, for nobody else for so long."""

    async def extend_turn(self, seconds: float) -> None:
        """Go on for so long."""

    async def load_progress(self) -> Mapping[str, str]:
        """What `note_progress` noted, empty at first."""

    async def save_progress(self, progress: Mapping[str, str]) -> None:
        """Note how far the walk has come."""

    async def load_index_sizes(self) -> dict[str, int]:
        """How many games each index has that is in one piece."""

    async def load_entries(self, game: str, index_keys: Sequence[str], webhooks: Sequence[str]) -> IndexEntries:
        """Where a game is found now."""

    async def list_game(self, game: str, status: Status, created_at: int) -> None:
        """List it under a status."""

    async def unlist(self, game: str, status: Status) -> None:
        """Take it from a status."""

    async def index_game(self, game: str, index_keys: Sequence[str], created_at: int, seconds: int) -> None:
        """Have it found by these names for so long."""

    async def schedule(self, game: str, at: int) -> None:
        """Have it looked at by then."""

    async def prune_lobby(self, status: Status, start: int, count: int) -> tuple[int, int | None]:
        """Take out games that are no more, of `count` from the `start`th oldest on.

        Gives how many were taken out, and where to go on (None at the end).
        """

    async def prune_index_key(self, index_key: str, count: int) -> int:
        """Take out games that are no more, of some found by this name; gives how many."""
