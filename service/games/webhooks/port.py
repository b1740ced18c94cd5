"""The webhook part of the store port. Webhooks are stored with their game and expire with it."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from service.games.idempotency import IdempotencyRecord, Replayed


class WebhookRegistration(msgspec.Struct, array_like=True, frozen=True):
    """A webhook as it was registered. The secret is stored in clear, as payloads are signed with it."""

    id: str
    url: str
    events: list[str] | None
    seats: list[int] | None
    secret: str
    created_at: str


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


class DeliveryAttempt(msgspec.Struct, array_like=True, frozen=True):
    """One attempt, as the delivery log stores it."""

    version: int
    type: str
    attempt: int
    at: str
    status: int | None
    error: str | None
    latency_ms: int


class StoredWebhook(NamedTuple):
    """A webhook with its state."""

    registration: WebhookRegistration
    state: WebhookState


class Added(NamedTuple):
    """The webhook is stored."""


class LimitReached(NamedTuple):
    """The game has its maximum number of webhooks; nothing was changed."""


class WebhookNotFound(NamedTuple):
    """There is no such webhook, or no such game."""


class LeaseTaken(NamedTuple):
    """Another instance holds the webhook's lease."""


class WebhookStore(Protocol):
    """A store of webhooks. Every method may raise StoreUnavailable."""

    async def add(
        self,
        game: str,
        webhook: WebhookRegistration,
        state: WebhookState,
        *,
        max_webhooks: int,
        record: IdempotencyRecord | None,
    ) -> Added | LimitReached | Replayed | WebhookNotFound:
        """Add a webhook if the game has fewer than `max_webhooks`, and schedule it."""

    async def list_by_game(self, game: str) -> list[StoredWebhook]:
        """Return the webhooks of a game, the oldest first."""

    async def get(self, game: str, webhook_id: str) -> StoredWebhook | None:
        """Return a webhook of a game, or None if there is no such webhook."""

    async def remove(self, game: str, webhook_id: str) -> bool:
        """Delete a webhook; return whether it existed."""

    async def list_attempts(self, game: str, webhook_id: str) -> list[DeliveryAttempt]:
        """Return the latest attempts, the newest first."""

    async def acquire_lease(
        self, game: str, webhook_id: str, holder: str, seconds: int
    ) -> StoredWebhook | LeaseTaken | WebhookNotFound:
        """Acquire a webhook's lease for `seconds`, so that no other instance delivers to it."""

    async def save_state(
        self,
        game: str,
        state: WebhookState,
        attempt: DeliveryAttempt | None,
        *,
        webhook_id: str,
        holder: str,
        seconds: int | None,
    ) -> bool:
        """Store the state and an attempt; extend the lease by `seconds`, or release it (None).

        Return False, with nothing changed, if the webhook was deleted or the lease has expired.
        """

    async def schedule(self, game: str, webhook_ids: Sequence[str], at: int) -> None:
        """Schedule webhooks for a Unix second, unless they are scheduled earlier."""

    async def list_due(self, now: int, limit: int) -> list[tuple[str, str]]:
        """Return the due (game id, webhook id) pairs, the most urgent first, until `reschedule`."""

    async def reschedule(self, game: str, webhook_id: str, until: int | None) -> None:
        """Reschedule a webhook (None: unschedule it); a concurrent `schedule` takes effect a little later."""
