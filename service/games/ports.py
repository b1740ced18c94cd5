"""What the games need of a store, and no more. `service.store` is the one that there is; its tests run over the port.

A game's stored state is its snapshot, its access record (who may do what: `service.games.access`), its log of diffs and
the records kept for idempotency keys. One `commit` changes all of that at once or not at all.

    StoreError
    └── StoreUnavailable   the store did not answer in time; what was asked may have been done
        ├── StoreBusy      too much waits for the store: this was not asked
        └── Unreadable     what is stored of one game is damaged, or a later release's
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import NamedTuple, Protocol

import msgspec

from schemas.vocabulary import Status
from service.games.idempotency import IdempotencyRecord
from service.games.webhooks.port import WebhookStore
from service.supervision import Backoff

__all__ = [
    "ChangeNotification",
    "Commit",
    "CommitOutcome",
    "Committed",
    "GameRecord",
    "GameStore",
    "Grant",
    "IdempotencyRecord",
    "KeyQuotaExceeded",
    "Page",
    "RateLimit",
    "Replayed",
    "Revision",
    "StoreBusy",
    "StoreError",
    "StoreUnavailable",
    "StoredDiff",
    "TokenBucketStore",
    "UnreadableGame",
    "VersionConflict",
]


class StoreError(Exception):
    """Base of what a store may raise."""


class StoreUnavailable(StoreError):
    """The store did not answer in time; what was asked may have been done. Retry after `retry_after_s`."""

    def __init__(self, reason: str, retry_after_s: int = 1) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class StoreBusy(StoreUnavailable):
    """Too much waits for the store already: this command was not sent. What went before it may have been done."""


class UnreadableGame(StoreUnavailable):
    """What is stored of a game cannot be read by this instance: it is damaged, or a later release's."""


class StoredDiff(NamedTuple):
    """One diff of a game's log: `data` is what clients get, byte for byte; `previous` the digest before it."""

    version: int
    digest: str
    previous: str
    data: bytes
    meta: bytes = b""
    """What went with its commit, where it was read from the log."""


class Revision(NamedTuple):
    """What a commit builds on: where any of it has changed meanwhile, the commit is lost."""

    version: int
    digest: str
    webhooks: Sequence[str] = ()
    """Ids of the webhooks that want to hear of changes."""
    last_revocation: str = ""
    """Id of the last commit that ended a token, empty where none has."""


class GameRecord(NamedTuple):
    """A game as it is stored now, and the record kept under the idempotency key that was asked for, if any."""

    version: int
    digest: str
    snapshot: bytes
    access: bytes
    record: bytes | None
    webhooks: Sequence[str] = ()
    """As in Stored."""
    last_revocation: str = ""
    """As in Stored."""

    @property
    def revision(self) -> Revision:
        """What a commit on top of it builds on."""
        return Revision(self.version, self.digest, self.webhooks, self.last_revocation)


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one commit changes, at once or not at all."""

    game: str
    id: str
    """Unique to this commit: a commit that reached the store twice is applied once."""
    expected: Revision | None
    """What it builds on; None creates the game."""
    snapshot: bytes
    access: bytes | None
    """The new access record; None leaves it."""
    revokes_token: bool = False
    """Whether a token of the record before opens nothing any more: no commit that builds on that record may follow."""
    diffs: Sequence[StoredDiff]
    """Without gap from `expected` on; the last one's version and digest are the game's new ones.

    None where only the access record changes.
    """
    idempotency: IdempotencyRecord | None
    status: Status
    previous_status: Status | None
    """The status before, None when the game is created."""
    is_public: bool
    """Whether the public list of games shows it."""
    created_at: int
    """Unix seconds; the list is ordered by it."""
    ttl_s: int
    """Seconds from now after which the game is forgotten unless it changes again."""
    due_at: int | None
    """Unix seconds at which some instance must look at this game again (bots to go on, a deadline); None for never."""
    index_keys: Callable[[], Sequence[str]] = tuple
    """Gives the names that the game is found by (`Store.found`); asked for when they are written, which is seldom."""
    index_ttl_s: int = 0
    """How long they are kept at least, in seconds: longer than any game that nobody changes."""
    meta: str = ""
    """Goes with its diffs in the log, for whoever reads them there and not for clients: `service.telemetry.clock`."""


class Committed(NamedTuple):
    """It is stored."""


class VersionConflict(NamedTuple):
    """Somebody else was first (or the game exists already): nothing was changed. None, where the game is gone.

    They are those that were expected where only a webhook was added or removed meanwhile.
    """

    version: int | None
    digest: str | None


class Replayed(NamedTuple):
    """The idempotency key has its record already: nothing was changed."""

    record: bytes


class KeyQuotaExceeded(NamedTuple):
    """The token has as many idempotency keys in this game as it may have, until then (Unix seconds)."""

    reset_at: int


CommitOutcome = Committed | VersionConflict | Replayed | KeyQuotaExceeded


class ChangeNotification(NamedTuple):
    """An announcement: a game has this version now."""

    game: str
    version: int | None
    """None where it may have changed before announcements were heard."""
    revokes_token: bool = False
    """Whether a token of the game has ended."""


class Page(NamedTuple):
    """Some listed games, the newest first, and where the next page begins (None at the end)."""

    games: list[str]
    next_cursor: str | None


class RateLimit(NamedTuple):
    """A bucket: it holds `quota` tokens, and `window_s` seconds fill it from empty to full."""

    quota: int
    window_s: int


class Grant(NamedTuple):
    """What was taken out of a bucket."""

    tokens: int
    """As many as were wanted, or as there were."""
    remaining: int
    """Tokens that are still in it."""
    wait_s: float
    """Until there is one in it; 0 where there is."""


class TokenBucketStore(Protocol):
    """A store of token buckets. A bucket that nobody has taken from is full, and full ones are not stored."""

    async def take(self, bucket: str, wanted: int, size: RateLimit) -> Grant:
        """Take up to `wanted` tokens. Raises StoreUnavailable."""


class GameStore(Protocol):
    """A store of games. Every method may raise StoreUnavailable."""

    @property
    def webhooks(self) -> WebhookStore:
        """The games' webhooks."""

    @property
    def buckets(self) -> TokenBucketStore:
        """What limits clients."""

    async def load(self, game: str, key: str | None = None) -> GameRecord | None:
        """The game as it is now, with the record kept under `key`; None where there is no such game."""

    async def commit(self, commit: Commit) -> CommitOutcome:
        """Change everything that `commit` says at once, if its version is still the game's."""

    async def load_diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        """The log after version `since`, oldest first, at most `limit` entries; empty where there is no such game."""

    async def load_versions(self, games: Sequence[str]) -> list[tuple[int, str] | None]:
        """Version and digest of each game now; None where there is no such game, or it cannot be read."""

    async def list_by_status(self, statuses: Sequence[Status], limit: int, after: str | None) -> Page:
        """Public games that have, or lately had, one of these statuses; raises ValueError for a foreign `after`."""

    async def unlist(self, game: str, status: Status) -> None:
        """Mend the list: the game does not have this status (any more)."""

    async def list_by_keys(self, names: Sequence[str], limit: int, after: str | None) -> Page:
        """Games that may be found by any of these names; raises ValueError for a foreign `after`."""

    async def unindex_missing(self, names: Sequence[str], game: str) -> int:
        """Take a game that is no more from these names, unless it is being created right now; gives from how many."""

    async def unindex(self, names: Sequence[str], game: str) -> None:
        """Let a game be found by these names no more."""

    async def list_due(self, now: int, limit: int) -> list[str]:
        """Games whose `due_at` has come, the oldest first, until `settle`; after a lost race some come early."""

    async def reschedule(self, game: str, until: int | None) -> None:
        """Move a game's `due_at` (None: nothing is due any more); the game may come up once more, a little later."""

    async def postpone(self, game: str, now: int, backoff: Backoff) -> int | None:
        """Put off a game that is due and failed, longer after each failure in a row.

        Gives the number of failures; None where it is not due, since another instance has moved it or put it off.
        """

    async def defer(self, game: str, now: int, until: int) -> None:
        """Put off a game that is due and did not fail itself; it stays as it is where another instance moved it."""

    def notifications(self) -> AsyncGenerator[ChangeNotification]:
        """Which of the games that are followed others have changed. A hint may be lost: the log is the truth."""

    def subscribe(self, game: str) -> None:
        """Let `hints` tell of this game, until `unfollow`."""

    def unsubscribe(self, game: str) -> None:
        """Let it tell of this game no more."""

    async def ping(self) -> None:
        """Raise StoreUnavailable unless the store answers and takes writes."""
