"""What archive, export and import need of a store, and where archives go."""

from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple, Protocol

from service.games.archive.document import WebhookDocument
from service.games.ports import Commit, StoreError

__all__ = ["ArchiveQueue", "ArchiveStorage", "GameTransfer", "RestoreRequest", "StorageUnavailable"]


class StorageUnavailable(StoreError):
    """What archives are kept in did not take one; says why."""


class ArchiveStorage(Protocol):
    """Where archives are kept."""

    async def put(self, name: str, data: bytes) -> None:
        """Keep `data` under `name`, in place of what was there; whole or not at all. Raises ObjectsUnavailable."""


class ArchiveQueue(Protocol):
    """Which games are to be archived. Every method may raise StoreUnavailable."""

    async def schedule(self, game: str, at: int) -> bool:
        """Have a game looked at by then; False where that was to be earlier already."""

    async def list_due(self, now: int, limit: int) -> list[str]:
        """Games to look at, the most urgent first, until `settle`."""

    async def reschedule(self, game: str, until: int | None) -> None:
        """It was looked at: not before then (None: never) again; what was promised meanwhile comes a little later."""

    async def acquire_lease(self, game: str, holder: str, seconds: int) -> bool:
        """Take a game for so long, so that nobody else archives it; False where somebody else has it."""

    async def load_archived_version(self, game: str) -> int:
        """The version that is archived; 0 for none."""

    async def mark_archived(self, game: str, holder: str, version: int) -> bool:
        """Note that a version is archived, and let the game go; False where it has another now, or was not held."""


class RestoreRequest(NamedTuple):
    """A game to be stored from a document."""

    commit: Commit
    """As if it were created with its whole log."""
    webhooks: Sequence[WebhookDocument]
    replace: bool
    """Whether it takes the place of a game with the same id."""


class GameTransfer(Protocol):
    """Whole games out of and into a store. Every method may raise StoreUnavailable."""

    def iter_games(self) -> AsyncIterator[str]:
        """Ids of all games, in any order; each at least once that is there from beginning to end."""

    async def restore(self, request: RestoreRequest) -> bool:
        """Store a whole game at once; False, and nothing changed, where it is there and not to be replaced."""
