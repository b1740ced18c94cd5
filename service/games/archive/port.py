"""The ports of archive, export and import: the archive queue, archive storage, and the request to restore a game."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from service.games.archive.document import WebhookDocument
from service.games.ports.game_store import Commit, Revision, StoredDiff, StoreError


class StorageUnavailable(StoreError):
    """The archive storage did not store or return a document; says why."""


class ArchiveStorage(Protocol):
    """Where archives are stored."""

    async def put(self, name: str, data: bytes) -> None:
        """Store `data` under `name`, replacing what was there; atomic. Raises StorageUnavailable."""

    async def get(self, name: str) -> bytes:
        """Return what is stored under `name`. Raises StorageUnavailable."""


class LogState(NamedTuple):
    """Where the log of an ended game is."""

    archived: int
    """The archived version; 0 for none."""
    compacted: int
    """The version up to which it is no longer a stream; 0 for none."""
    document: str
    """Which document of the archive has these versions; empty if they are one compressed value."""


class ArchiveQueue(Protocol):
    """The ended games whose logs are to be archived or compacted. Every method may raise StoreUnavailable."""

    async def schedule(self, game: str, at: int) -> bool:
        """Schedule a game for a Unix second; return False if it was scheduled earlier already."""

    async def list_due(self, now: int, limit: int) -> list[str]:
        """Return the due games, the most urgent first, until `reschedule`."""

    async def reschedule(self, game: str, until: int | None) -> None:
        """Reschedule a game (None: unschedule it); a concurrent `schedule` takes effect a little later."""

    async def acquire_lease(self, game: str, holder: str, seconds: int) -> bool:
        """Acquire a game's lease for `seconds`; return False if another instance holds it."""

    async def load_log_state(self, game: str) -> LogState:
        """Return where a game's log is."""

    async def compact_log(
        self, game: str, revision: Revision, document: str, log: Sequence[StoredDiff], ttl_s: int
    ) -> None:
        """Replace a game's stream by an archived document, or if that is empty, by the compressed log.

        In the latter case the game expires `ttl_s` from now. Does nothing if the game has another revision, or another
        version is archived.
        """

    async def mark_archived(self, game: str, holder: str, version: int, ttl_s: int) -> bool:
        """Record the archived version, let the game expire `ttl_s` from now, and release the lease.

        With version 0, none could be archived: the game lives for `ttl_s` at least; 0 if there is nothing to archive.
        Return False if the game changed or the lease expired.
        """


class RestoreRequest(NamedTuple):
    """A game to store from a document."""

    commit: Commit
    """The commit that creates the game with its whole log."""
    webhooks: Sequence[WebhookDocument]
    replace: bool
    """Whether it replaces a game with the same id."""
