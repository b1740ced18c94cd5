"""The ports of archive, export and import: the archive queue, archive storage, and the request to restore a game."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from service.games.archive.document import WebhookDocument
from service.games.ports.game_store import Commit, StoreError


class StorageUnavailable(StoreError):
    """The archive storage did not store a document; says why."""


class ArchiveStorage(Protocol):
    """Where archives are stored."""

    async def put(self, name: str, data: bytes) -> None:
        """Store `data` under `name`, replacing what was there; atomic. Raises StorageUnavailable."""


class ArchiveQueue(Protocol):
    """The games to be archived. Every method may raise StoreUnavailable."""

    async def schedule(self, game: str, at: int) -> bool:
        """Schedule a game for a Unix second; return False if it was scheduled earlier already."""

    async def list_due(self, now: int, limit: int) -> list[str]:
        """Return the due games, the most urgent first, until `reschedule`."""

    async def reschedule(self, game: str, until: int | None) -> None:
        """Reschedule a game (None: unschedule it); a concurrent `schedule` takes effect a little later."""

    async def acquire_lease(self, game: str, holder: str, seconds: int) -> bool:
        """Acquire a game's lease for `seconds`; return False if another instance holds it."""

    async def load_archived_version(self, game: str) -> int:
        """Return the archived version; 0 for none."""

    async def mark_archived(self, game: str, holder: str, version: int) -> bool:
        """Record the archived version and release the lease; return False if the game changed or the lease expired."""


class RestoreRequest(NamedTuple):
    """A game to store from a document."""

    commit: Commit
    """The commit that creates the game with its whole log."""
    webhooks: Sequence[WebhookDocument]
    replace: bool
    """Whether it replaces a game with the same id."""
