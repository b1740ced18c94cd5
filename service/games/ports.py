"""The port to a store of games; `service.store` implements it on Redis, and its tests run over the port.

A game's stored state is its snapshot, its access record (`service.games.access`), its log of diffs and its idempotency
records. One `commit` changes all of that atomically.

    StoreError
    └── StoreUnavailable      the store did not reply in time; the command may have been executed
        ├── StoreBusy         too many commands wait for the store; this one was not sent
        └── UnreadableGame    a game's record is damaged, or was written by a later release
            └── ArchiveUnavailable    the archive has the game's log, and does not respond

The ports of webhooks: their part of the store, and what sends to their servers.

A webhook has a subject: a game, with which it is stored and expires, or an API key. The webhook of a key receives the
changes of all games that are created with it afterwards. Each of these games refers to it by a registration that has
only the id and the key's name, and stores how far the game's changes are delivered.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

import msgspec

from schemas.vocabulary import Status
from service.engine import Game, LaterRelease, decode_snapshot
from service.games.access import AccessRecord, decode_access
from service.games.api_key import ApiKeyStore
from service.games.errors import ServiceError
from service.games.idempotency import IdempotencyRecord, Replayed
from service.supervision import Backoff

TIMEOUT = "timeout"
WRONG_ANSWER = "wrong_answer"
"""A challenge got a 2xx response that does not repeat it."""
POSTPONED = "postponed"
"""Nothing was sent, as its address has received too many challenges."""


class WebhookRegistration(msgspec.Struct, array_like=True, frozen=True):
    """A webhook as it was registered. The secret is stored in clear, as payloads are signed with it."""

    id: str
    url: str
    events: list[str] | None
    seats: list[int] | None
    secret: str
    created_at: str
    previous_secret: str | None = None
    """The secret before a rotation, which signs too until it expires."""
    previous_expires_at: int | None = None
    """Unix second."""
    api_key: str | None = None
    """Name of the API key whose webhook this is; of a game's own webhook None."""
    seat: int | None = None
    """The seat whose token registered it, which only sees its own webhooks; None for the owner's."""

    def secrets(self, now: int) -> list[str]:
        """Return the secrets that are valid, the current one first."""
        is_previous_valid = self.previous_secret is not None and now < (self.previous_expires_at or 0)
        return [self.secret, *([self.previous_secret] if is_previous_valid and self.previous_secret else [])]


class WebhookState(msgspec.Struct, array_like=True, frozen=True):
    """The delivery state of a webhook."""

    delivered_version: int
    """Version up to which every matching change is delivered."""
    failures: int = 0
    """Number of failed attempts at the next message."""
    next_attempt_at: int | None = None
    """Unix second of the next attempt after a failure."""
    disabled_reason: str | None = None
    """Why the webhook is disabled; None while it is not."""
    pending_client: str | None = None
    """Hash of the registering client's address until the challenge is answered, then None."""
    is_ping_requested: bool = False
    """Whether a ping is to be sent."""

    @property
    def is_active(self) -> bool:
        """Return whether the webhook gets messages."""
        return self.disabled_reason is None and self.pending_client is None

    def is_behind(self, version: int) -> bool:
        """Return whether a challenge or changes up to this version are to be sent."""
        return self.disabled_reason is None and (self.pending_client is not None or self.delivered_version < version)


class DeliveryAttempt(msgspec.Struct, array_like=True, frozen=True):
    """One attempt, as the delivery log stores it."""

    version: int
    type: str
    attempt: int
    at: str
    status: int | None
    error: str | None
    latency_ms: int
    game: str | None = None
    """The game, in the delivery log of an API key's webhook."""


class StoredWebhook(NamedTuple):
    """A webhook with its state."""

    registration: WebhookRegistration
    state: WebhookState


class WebhookChange(NamedTuple):
    """What the holder of a webhook's lease stores, and the state `before`, if it is known; None for nothing new."""

    state: WebhookState
    attempt: DeliveryAttempt | None = None
    registration: WebhookRegistration | None = None
    record: IdempotencyRecord | None = None
    before: WebhookState | None = None


AddOutcome = Literal["added", "changed", "missing"]
"""A webhook was stored; or nothing was changed, as the subject is not as expected, or there is no such subject."""


class ExpectedWebhooks(NamedTuple):
    """What a registration builds on."""

    ids: Sequence[str]
    """Of the subject's webhooks."""
    last_revocation: str
    """Id of the last commit that revoked a token of the game, empty if none did."""
    record: bytes | None
    """What is stored under the idempotency key."""


class DueQueue(Protocol):
    """Entries with their due dates, in Unix seconds. Every method may raise StoreUnavailable."""

    async def schedule(self, entry: str, at: int) -> bool:
        """Set an entry's date before the commit that it follows from; return False if an earlier one stands."""

    async def list_due(self, now: int, limit: int) -> list[str]:
        """Return the due entries, the most urgent first, until another method moves them."""

    async def reschedule(self, entry: str, now: int, until: int | None) -> None:
        """Set the date of an entry that was looked at, None for never; it may be listed as due once more.

        A concurrent `schedule` takes effect a little later.
        """

    async def defer(self, entry: str, now: int, until: int) -> bool:
        """Move a due entry that was not looked at, and did not fail.

        Return False, with nothing changed, if it is not due, because another instance has processed it.
        """

    async def postpone(self, entry: str, now: int, backoff: Backoff) -> int | None:
        """Move a due entry that failed, for longer after each failure in a row.

        Return the number of failures; None if the entry is not due, because another instance has processed it.
        """

    async def acquire_lease(self, entry: str, seconds: int) -> str | None:
        """Lease an entry for `seconds`; return who holds the lease now, None if another one does."""

    async def release_lease(self, entry: str, holder: str) -> None:
        """Release a lease, unless it has expired."""


class WebhookStore(Protocol):
    """A store of webhooks. Every method may raise StoreUnavailable."""

    async def add(
        self,
        subject: str,
        webhook: WebhookRegistration,
        state: WebhookState,
        *,
        record: IdempotencyRecord | None = None,
        expected: ExpectedWebhooks | None = None,
    ) -> AddOutcome:
        """Add a webhook if the subject is as expected, and schedule it; one that it has already stays as it is."""

    async def list_by_subject(self, subject: str) -> list[StoredWebhook]:
        """Return the webhooks of a subject, the oldest first."""

    async def get(self, subject: str, webhook_id: str) -> StoredWebhook | None:
        """Return a webhook of a subject, or None if there is no such webhook."""

    async def remove(self, subject: str, webhook_id: str) -> bool:
        """Delete a webhook; return whether it existed."""

    async def list_attempts(self, subject: str, webhook_id: str) -> list[DeliveryAttempt]:
        """Return the latest attempts, the newest first."""

    async def add_attempt(self, subject: str, webhook_id: str, attempt: DeliveryAttempt) -> None:
        """Add an attempt to the log of an API key's webhook."""

    async def save(self, subject: str, webhook_id: str, holder: str, change: WebhookChange, lease_s: int) -> bool:
        """Store what changed of a leased webhook, and extend the lease to `lease_s`.

        Return False, with nothing changed, if the webhook was deleted or the lease has expired, unless `change.before`
        is still stored and nobody else has a lease.
        """

    async def load_idempotency_record(self, subject: str, key: str) -> bytes | None:
        """Return what `add` or `save` stored under the hash of an idempotency key; None for nothing."""


def webhook_entry(subject: str, webhook_id: str) -> str:
    """Return the entry of a webhook in the queue of due webhooks."""
    return f"{subject} {webhook_id}"


class SendResult(NamedTuple):
    """The result of an attempt: the response's status, or an error."""

    status: int | None
    error: str | None
    """None for success."""
    latency_ms: int
    response_body: bytes = b""
    """The start of the response to a challenge."""


class WebhookSender(Protocol):
    """Sends a body with headers to a URL, and reads the response to a challenge. Raises nothing."""

    async def __call__(
        self, url: str, headers: Mapping[str, str], body: bytes, /, *, challenge: bool = False
    ) -> SendResult:
        """Send one message."""
        ...


class StoreError(ServiceError):
    """Base of the errors of a store."""


class StoreUnavailable(StoreError, code="store_unavailable", text="the store does not respond; {outcome}"):
    """The store did not reply in time; the command may have been executed. Retry after `retry_after_s`."""

    reason: str
    retry_after_s: int = 1
    cause: str = "connection"
    """In a word, for metrics."""


class StoreBusy(StoreUnavailable, text="too many commands wait for the store; {outcome}"):
    """Too many commands wait for the store: this one was not sent, but earlier ones may have been executed."""

    cause: str = "busy"


class UnreadableGame(StoreUnavailable, text="this instance cannot read the stored game"):
    """A game's record that this instance cannot read: it is damaged, or was written by a later release."""

    cause: str = "unreadable"


class GameOfLaterRelease(UnreadableGame, text="a later release wrote the stored game; other instances can read it"):
    """A game that this instance is too old for."""


class ArchiveUnavailable(UnreadableGame, text="the archive that has the log of this game does not respond"):
    """The archive that has a game's log does not respond. Other games are not affected."""

    retry_after_s: int = 5
    cause: str = "archive"


class StoredDiff(msgspec.Struct, frozen=True):
    """One diff of a game's log: `data` is what clients receive, byte for byte; `previous` is the digest before it."""

    version: int
    digest: bytes
    previous: bytes
    at: str
    data: bytes


class Revision(NamedTuple):
    """A version of a game and its digest; the digest tells apart histories that share a version."""

    version: int
    digest: bytes

    def is_followed_by(self, diffs: Sequence[StoredDiff]) -> bool:
        """Return whether diffs continue from here without a gap, by their versions and their previous digests.

        >>> Revision(4, b"a").is_followed_by([StoredDiff(5, b"b", b"a", "", b""), StoredDiff(6, b"c", b"b", "", b"")])
        True
        >>> Revision(4, b"a").is_followed_by([StoredDiff(6, b"c", b"b", "", b"")])
        False
        """
        version, digest = self
        for diff in diffs:
            if diff.version != version + 1 or diff.previous != digest:
                return False
            version, digest = diff.version, diff.digest
        return True

    def conflicts_with(self, stored: "Revision") -> bool:
        """Return whether the stored game is behind this revision, or has another digest at the same version."""
        return stored.version < self.version or (stored.version == self.version and stored != self)


NO_REVISION = Revision(0, b"")
"""Of a game that is not stored yet."""


class StoredGame(msgspec.Struct, dict=True):
    """A game as it is stored; a command changes `game` and `access`, which are decoded when they are first needed."""

    id: str
    revision: Revision = NO_REVISION
    """What the next commit builds on. If it has changed, or one of the next two has, that is a version conflict."""
    snapshot: bytes = b""
    access_record: bytes = b""
    webhooks: Sequence[str] = ()
    """Ids of the game's webhooks."""
    last_revocation: str = ""
    """Id of the last commit that revoked a token, empty if none did."""
    idempotency_record: bytes | None = None
    """The one that was requested with it, if there is one."""
    since: Revision | None = None
    """The revision of the version that was requested with it, None if the log does not have that version."""
    status: Status | None = None
    """The stored one, once the game is decoded; None while it is not stored."""

    @cached_property
    def game(self) -> Game:
        """Decode the snapshot. Raises GameOfLaterRelease, UnreadableGame."""
        try:
            game = decode_snapshot(self.snapshot)
        except LaterRelease as error:
            raise GameOfLaterRelease(str(error)) from error
        except msgspec.DecodeError as error:
            raise UnreadableGame(f"the snapshot cannot be read: {error}") from error
        self.status = game.status
        return game

    @cached_property
    def access(self) -> AccessRecord:
        """Decode the access record. Raises UnreadableGame."""
        try:
            return decode_access(self.access_record)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UnreadableGame(f"the access record cannot be read: {error}") from error

    @property
    def is_private(self) -> bool:
        """Return whether only tokens of the game read it."""
        return self.access.visibility == "private"

    def resume_from(self, digest: bytes | None) -> Revision | None:
        """Return where a client continues that has the requested version, or None if it needs the whole game.

        It needs it without a version, if the version is in the future or before the beginning of the log, and if
        `digest` is not that version's.
        """
        return self.since if self.since is not None and digest in (None, self.since.digest) else None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What one commit writes on top of a stored game, atomically, beside the game itself."""

    stored: StoredGame
    """The game as it shall be, with the revision that it builds on."""
    id: str
    """Unique, 14 hexadecimal digits: a commit that reaches the store twice is applied once."""
    snapshot: bytes
    access_record: bytes | None = None
    """The new access record; None leaves it unchanged."""
    revokes_token: bool = False
    """Whether a token is revoked: no commit that builds on the access record before may follow."""
    diffs: Sequence[StoredDiff] = ()
    """Consecutive from the revision on; the last one has the game's new version and digest.

    Empty if only the access record changes.
    """
    idempotency: IdempotencyRecord | None = None
    ttl_s: int
    """Seconds from now after which the game expires unless it changes again."""
    index_ttl_s: int
    """Minimum TTL of an index key in seconds: longer than that of any game."""
    due_at: int | None
    """Unix seconds at which the scheduler must process the game (a bot on turn, a deadline); None for never."""


class Committed(msgspec.Struct, frozen=True):
    """The commit is stored."""


class VersionConflict(msgspec.Struct, frozen=True):
    """Another commit came first, the game exists already, or there is no such game: nothing was changed."""


class KeyQuotaExceeded(msgspec.Struct, frozen=True):
    """The token has used its quota of idempotency keys in this game, until `reset_at` (Unix seconds)."""

    reset_at: int


CommitOutcome = Committed | VersionConflict | Replayed | KeyQuotaExceeded


class ChangeNotification(NamedTuple):
    """What subscribers need of a change by another instance."""

    game: str
    diffs: Sequence[StoredDiff] = ()
    """Empty too when the subscription has begun: the game may have changed before."""
    revokes_token: bool = False
    sent_us: int = 0
    """The time of the commit in Unix microseconds by the shared clock (`service.telemetry.clock`)."""


class Page(NamedTuple):
    """A page of a list, newest game first, and the cursor of the next page (None at the end)."""

    games: list[str]
    next_cursor: str | None


class RateLimit(NamedTuple):
    """A token bucket's size: it holds `quota` tokens, and `window_s` seconds fill it."""

    quota: int
    window_s: int


class Grant(NamedTuple):
    """Tokens that were taken out of a bucket."""

    tokens: int
    """As many as were requested, or as there were."""
    remaining: int
    """Tokens left in the bucket."""
    wait_s: float
    """Seconds until there is a token; 0 if there is one."""


class TokenBucketStore(Protocol):
    """A store of token buckets. Unknown buckets are full, and full ones are not stored."""

    async def take(self, bucket: str, wanted: int, size: RateLimit) -> Grant:
        """Take up to `wanted` tokens. Raises StoreUnavailable."""


class GameStore(Protocol):
    """A store of games. Every method may raise StoreUnavailable."""

    webhooks: WebhookStore
    """The games' webhooks."""
    due_games: DueQueue
    """The games whose bots or clocks are due; after a version conflict some are early."""
    due_webhooks: DueQueue
    """The webhooks with something to send, as `webhook_entry` names them."""
    due_archives: DueQueue
    """The ended games whose logs are to be archived or compacted."""
    api_keys: ApiKeyStore
    """The API keys of hosts."""
    buckets: TokenBucketStore
    """The token buckets of the rate limits."""

    def unreachable_s(self) -> float:
        """Return for how many seconds this instance has not reached a part of the store; 0 if it reaches all."""

    async def load(self, game: str, key: str | None = None) -> StoredGame | None:
        """Load a game and the idempotency record under `key`; return None if there is no such game."""

    async def load_since(self, game: str, since: int) -> StoredGame | None:
        """Load a game with its revision at version `since`, both as of one moment, whatever a failover takes back."""

    async def commit(self, change: Change) -> CommitOutcome:
        """Store a change atomically, if the game still has its revision."""

    async def load_diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        """Return at most `limit` diffs after version `since`, oldest first; none if there is no such game."""

    async def load_versions(self, games: Sequence[str]) -> list[tuple[Revision, str] | None]:
        """Return revision and last revocation of each game; None if there is none, or it is unreadable."""

    async def list_by_status(self, statuses: Sequence[Status], limit: int, after: str | None) -> Page:
        """List public games that have, or recently had, one of these statuses."""

    async def list_game(self, game: Game) -> None:
        """Add a game to the list of its status."""

    async def unlist(self, game: str, status: Status) -> None:
        """Remove a game from the list of a status that it no longer has."""

    async def list_by_keys(self, index_keys: Sequence[str], limit: int, after: str | None) -> Page:
        """List games that are indexed under any of these keys."""

    async def unindex(self, index_keys: Sequence[str], game: str) -> None:
        """Remove a game from these index keys."""

    def notifications(self) -> AsyncGenerator[ChangeNotification]:
        """Yield changes of subscribed games by other instances. Notifications may be lost; the log is complete."""

    def subscribe(self, game: str) -> None:
        """Have `notifications` yield a game's changes."""

    def unsubscribe(self, game: str) -> None:
        """Stop it."""
