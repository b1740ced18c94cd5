"""The ports of webhooks: their part of the store, and what sends to their servers.

A webhook has a subject: a game, with which it is stored and expires, or an API key. The webhook of a key receives the
changes of all games of the key. Each of these games refers to it by a registration that has only the id and the key's
name, and stores how far the game's changes are delivered.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from service.games.idempotency import IdempotencyRecord

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
    next_games: str | None = None
    """Of an API key's webhook: cursor of the games to attach to it; empty for the first ones, None for none."""
    resumes: bool = False
    """Of an API key's webhook: whether the games with missed messages are to be delivered again."""
    replays_since: int | None = None
    """Of an API key's webhook: the Unix second from which on `next_games` are delivered again; None for no replay."""

    @property
    def is_active(self) -> bool:
        """Return whether the webhook gets messages."""
        return self.disabled_reason is None and self.pending_client is None


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
    """What the holder of a webhook's lease stores; None for nothing new."""

    state: WebhookState
    attempt: DeliveryAttempt | None = None
    registration: WebhookRegistration | None = None
    record: IdempotencyRecord | None = None


class Added(NamedTuple):
    """The webhook is stored."""


class WebhooksChanged(NamedTuple):
    """The subject is not as expected; nothing was changed."""


class WebhookNotFound(NamedTuple):
    """There is no such webhook, or no such subject."""


class LeaseTaken(NamedTuple):
    """Another instance holds the webhook's lease."""


class ExpectedWebhooks(NamedTuple):
    """What a registration builds on."""

    ids: Sequence[str]
    """Of the subject's webhooks."""
    last_revocation: str
    """Id of the last commit that revoked a token of the game, empty if none did."""
    record: bytes | None
    """What is stored under the idempotency key."""


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
    ) -> Added | WebhooksChanged | WebhookNotFound:
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

    async def acquire_lease(
        self, subject: str, webhook_id: str, holder: str, seconds: int
    ) -> StoredWebhook | LeaseTaken | WebhookNotFound:
        """Acquire a webhook's lease for `seconds`, so that no other instance delivers to it."""

    async def save(
        self, subject: str, webhook_id: str, holder: str, change: WebhookChange, lease_s: int | None = None
    ) -> bool:
        """Store what changed of a leased webhook; extend the lease, or release it (None).

        Return False, with nothing changed, if the webhook was deleted or the lease has expired.
        """

    async def load_idempotency_record(self, subject: str, key: str) -> bytes | None:
        """Return what `add` or `save` stored under the hash of an idempotency key; None for nothing."""

    async def add_missed(self, subject: str, webhook_id: str, game: str) -> None:
        """Record that an API key's webhook misses messages of a game."""

    async def list_missed(self, subject: str, webhook_id: str, limit: int) -> list[str]:
        """Return some of the games whose messages an API key's webhook misses."""

    async def count_missed(self, subject: str, webhook_id: str) -> int:
        """Return the number of these games."""

    async def remove_missed(self, subject: str, webhook_id: str, games: Sequence[str]) -> None:
        """Remove games from those whose messages are missed."""

    async def schedule(self, subject: str, webhook_ids: Sequence[str], at: int) -> None:
        """Schedule webhooks for a Unix second, unless they are scheduled earlier."""

    async def list_due(self, now: int, limit: int) -> list[tuple[str, str]]:
        """Return the due (subject, webhook id) pairs, the most urgent first, until `reschedule`."""

    async def reschedule(self, subject: str, webhook_id: str, until: int | None) -> None:
        """Reschedule a webhook (None: unschedule it); a concurrent `schedule` takes effect a little later."""


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
