"""The store port of index repair. Every method may raise StoreUnavailable."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from schemas.vocabulary import Status

__all__ = ["IndexEntries", "IndexRepairStore", "ScannedKeys"]


class ScannedKeys(NamedTuple):
    """One batch of a scan over all stored keys."""

    games: list[str]
    index_keys: list[str]
    """Keys of indexes in the batch."""
    cursor: str
    """Where the next batch starts; empty at the end."""


class IndexEntries(NamedTuple):
    """The indexes that contain a game now."""

    statuses: list[Status]
    """Statuses under which it is listed."""
    index_keys: list[str]
    """Of the requested index keys, those that contain it."""
    is_scheduled: bool
    """Whether the schedule contains it."""
    webhooks: list[str]
    """Of the requested webhooks, those that are scheduled."""
    is_archive_queued: bool
    """Whether the archive queue contains it."""


class IndexRepairStore(Protocol):
    """A store whose indexes can be repaired."""

    async def scan(self, cursor: str, count: int) -> ScannedKeys:
        """Return the games and index keys among about `count` keys from `cursor` on (empty: from the start)."""

    async def try_acquire_turn(self, seconds: float) -> bool:
        """Return whether the next batch is due, and if so reserve it for `seconds`."""

    async def extend_turn(self, seconds: float) -> None:
        """Extend the reservation to `seconds` from now."""

    async def load_progress(self) -> Mapping[str, str]:
        """Return what `save_progress` stored; empty at first."""

    async def save_progress(self, progress: Mapping[str, str]) -> None:
        """Store the progress of the scan."""

    async def load_index_sizes(self) -> dict[str, int]:
        """Return the number of games in each index that is a single key."""

    async def load_entries(self, game: str, index_keys: Sequence[str], webhooks: Sequence[str]) -> IndexEntries:
        """Return the indexes that contain a game."""

    async def list_game(self, game: str, status: Status, created_at: int) -> None:
        """List a game under a status."""

    async def unlist(self, game: str, status: Status) -> None:
        """Remove a game from a status."""

    async def index_game(self, game: str, index_keys: Sequence[str], created_at: int, seconds: int) -> None:
        """Add a game to these index keys, which expire after `seconds`."""

    async def schedule(self, game: str, at: int) -> None:
        """Schedule a game for a Unix second, unless it is scheduled earlier."""

    async def prune_lobby(self, status: Status, start: int, count: int) -> tuple[int, int | None]:
        """Remove deleted games from `count` entries of a status, from the `start`th oldest on.

        Return how many were removed, and where to continue (None at the end).
        """

    async def prune_index_key(self, index_key: str, count: int) -> int:
        """Remove deleted games from a sample of an index key's entries; return how many."""
