"""What webhooks need of a store. They are kept with their game, and end with it."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from service.games.idempotency import IdempotencyRecord


class WebhookRegistration(msgspec.Struct, array_like=True, frozen=True):
    """What was registered. The secret is stored as it is: messages are signed with it."""

    id: str
    url: str
    events: list[str] | None
    seats: list[int] | None
    secret: str
    created_at: str


class WebhookState(msgspec.Struct, array_like=True, frozen=True):
    """How far a webhook has come."""

    delivered_version: int
    """Version up to which everything is delivered, or was not asked for."""
    failures: int = 0
    """Attempts at the next message that failed."""
    next_attempt_at: int | None = None
    """Unix second of the next attempt after a failure."""
    disabled_reason: str | None = None
    """Why there will be none any more."""
    pending_client: str | None = None
    """Until the challenge is answered: who registered it, as a hash of the client's address. Then None."""


class DeliveryAttempt(msgspec.Struct, array_like=True, frozen=True):
    """One attempt, for the log."""

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
    """It is stored."""


class LimitReached(NamedTuple):
    """The game has as many as it may have: nothing was changed."""


class Replayed(NamedTuple):
    """The idempotency key has its record already: nothing was changed."""

    record: bytes


class WebhookNotFound(NamedTuple):
    """There is no such webhook, or no such game."""


class LeaseTaken(NamedTuple):
    """Somebody else is delivering to it."""


class WebhookStore(Protocol):
    """A store of webhooks. Every method may raise StoreUnavailable."""

    async def add(
        self,
        game: str,
        hook: WebhookRegistration,
        state: WebhookState,
        *,
        max_webhooks: int,
        keep: IdempotencyRecord | None,
    ) -> Added | LimitReached | Replayed | WebhookNotFound:
        """Add a webhook where the game has fewer than `most`, and have it looked at."""

    async def list_by_game(self, game: str) -> list[StoredWebhook]:
        """The webhooks of a game, the oldest first."""

    async def get(self, game: str, hook: str) -> StoredWebhook | None:
        """A webhook of a game; None where there is no such one."""

    async def remove(self, game: str, hook: str) -> bool:
        """Forget a webhook; whether there was one."""

    async def list_attempts(self, game: str, hook: str) -> list[DeliveryAttempt]:
        """The latest attempts, the newest first."""

    async def acquire_lease(
        self, game: str, hook: str, holder: str, seconds: int
    ) -> StoredWebhook | LeaseTaken | WebhookNotFound:
        """Take a webhook for so long, so that nobody else delivers to it."""

    async def save_state(
        self,
        game: str,
        state: WebhookState,
        attempt: DeliveryAttempt | None,
        *,
        hook: str,
        holder: str,
        seconds: int | None,
    ) -> bool:
        """Store how far it has come; hold it for `seconds` more, or (None) let go.

        False where it was forgotten meanwhile, or the holder had held it for too long: nothing was changed.
        """

    async def schedule(self, game: str, hooks: Sequence[str], at: int) -> None:
        """Have webhooks looked at by then, or earlier where that was promised before."""

    async def list_due(self, now: int, limit: int) -> list[tuple[str, str]]:
        """Games and webhooks to look at, the most urgent first, until `settle`."""

    async def reschedule(self, game: str, hook: str, until: int | None) -> None:
        """It was looked at: not before then (None: never) again; what was promised meanwhile comes a little later."""
