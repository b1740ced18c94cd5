"""Who owns webhooks, and what their token or API key allows.

A game's owner sees and changes all webhooks of the game, a seat's token those that it has registered, and the holder of
an API key those of the key. What a game receives as one of an API key's games belongs to the key alone.

Changes of a stored webhook under its lease, so that no delivery overwrites them.

Webhooks and their delivery attempts as the API shows them.
"""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from schemas.webhooks import CHALLENGE_MESSAGE, PING_MESSAGE
from service.games import ports, repository
from service.games.access import authorize_owner_or_player, key_of_subject, subject_of_key
from service.games.due_work import lease
from service.games.idempotency import IdempotencyScope, Replayed, new_record, read_record
from service.games.repository import Context
from service.games.webhook_payloads import attempt_id, message_id
from service.telemetry.clock import timestamp, unix_seconds

MAX_SEAT_WEBHOOKS = 2
"""Maximum number of webhooks of a seat: one of its player's app, and one to move to."""


class Owner(NamedTuple):
    """Whose webhooks a request is about, and who sends it."""

    subject: str
    """The game, or the API key."""
    max_webhooks: int
    """Maximum number of webhooks of a game's owner, or of an API key."""
    token: str | None = None
    """Of a game's owner or player, which `authorize` checks; None for an API key, which the caller has checked."""
    client_hash: str = ""
    """Hash of the client's address, by which challenges are limited."""

    @property
    def is_key(self) -> bool:
        """Return whether they are those of an API key."""
        return key_of_subject(self.subject) is not None


class Rights(NamedTuple):
    """What an owner may do."""

    max_webhooks: int
    seat: int | None = None
    """Of a seat's token."""
    game: ports.StoredGame | None = None
    """The game as it was when its access record allowed this."""

    def sees(self, webhook: ports.WebhookRegistration) -> bool:
        """Return whether the owner sees and changes a webhook."""
        return webhook.api_key is None and self.seat in (None, webhook.seat)


async def authorize(context: Context, owner: Owner) -> Rights:
    """Return what an owner may do now. Raises NoSuchGame, and what `authorize_owner_or_player` does."""
    if owner.is_key:
        return Rights(owner.max_webhooks)
    stored = await repository.load_game(context, owner.subject)
    principal = authorize_owner_or_player(stored.access, owner.subject, owner.token)
    limit = owner.max_webhooks if principal.seat is None else MAX_SEAT_WEBHOOKS
    return Rights(limit, principal.seat, stored)


LEASE_TTL_S = 5
"""Duration of the lease while a change is stored."""


async def update_webhook(
    store: ports.GameStore,
    subject: str,
    webhook_id: str,
    now: int,
    change: Callable[[ports.StoredWebhook], ports.StoredWebhook],
    scope: IdempotencyScope | None = None,
) -> ports.StoredWebhook | Replayed | None:
    """Change a webhook that is not being delivered to, schedule it, and return it; None if there is no such webhook.

    A request with the idempotency key of an earlier one changes nothing. Raises LeaseTaken, IdempotencyKeyReused, and
    what `change` raises.
    """
    webhooks, entry = store.webhooks, ports.webhook_entry(subject, webhook_id)
    async with lease(store.due_webhooks, entry, LEASE_TTL_S) as holder:
        if (stored := await webhooks.get(subject, webhook_id)) is None:
            return None
        record = None if scope is None else await webhooks.load_idempotency_record(subject, scope.key_hash)
        if record is not None and read_record(scope, record, now) is not None:
            return Replayed(record)
        changed = change(stored)
        await store.due_webhooks.schedule(entry, now)
        saved = ports.WebhookChange(changed.state, None, changed.registration, new_record(scope, now, 0))
        return changed if await webhooks.save(subject, webhook_id, holder, saved, LEASE_TTL_S) else None


def restart(stored: ports.StoredWebhook) -> ports.StoredWebhook:
    """Return a webhook with its failures reset, so that it is tried at once."""
    state = msgspec.structs.replace(stored.state, failures=0, next_attempt_at=None, disabled_reason=None)
    return ports.StoredWebhook(stored.registration, state)


async def remove_webhooks_of_seat(webhooks: ports.WebhookStore, stored: ports.StoredGame, seat: int) -> None:
    """Delete what a seat's token has registered; the next commit expects the game's other webhooks."""
    if not stored.webhooks:
        return
    registered = [one.registration for one in await webhooks.list_by_subject(stored.id)]
    own = [webhook.id for webhook in registered if webhook.seat == seat]
    await asyncio.gather(*(webhooks.remove(stored.id, webhook_id) for webhook_id in own))
    stored.webhooks = [webhook_id for webhook_id in stored.webhooks if webhook_id not in own]


async def attach_to_key(context: Context, stored: ports.StoredGame) -> None:
    """Make a new game refer to the webhooks of its API key, which receive its changes from the first one on."""
    game, api_key, webhooks = stored.id, stored.access.api_key, context.store.webhooks
    if api_key is None:
        return
    registered = [one.registration for one in await webhooks.list_by_subject(subject_of_key(api_key))]
    if registered:
        references = [
            ports.WebhookRegistration(webhook.id, "", None, None, "", webhook.created_at, api_key=api_key)
            for webhook in registered
        ]
        await asyncio.gather(*(webhooks.add(game, reference, ports.WebhookState(0)) for reference in references))
        context.cache.pop(game)  # the next commit expects these webhooks
        context.woken_webhooks.add(*(ports.webhook_entry(game, webhook.id) for webhook in registered))


def view_webhook(stored: ports.StoredWebhook, now: float) -> dict[str, Any]:
    """Return what the API can show of a webhook, its secret included; the response's type says what it does show."""
    webhook, state = stored
    retry_at, expires_at = state.next_attempt_at, webhook.previous_expires_at
    return {
        **msgspec.structs.asdict(webhook),
        **msgspec.structs.asdict(state),
        "registered_by": webhook.seat,
        "status": view_status(state),
        "next_attempt_at": None if retry_at is None else timestamp(retry_at),
        "previous_secret_expires_at": None if expires_at is None or expires_at <= now else timestamp(expires_at),
    }


def view_status(state: ports.WebhookState) -> str:
    """Return a webhook's status."""
    if state.disabled_reason is not None:
        return "disabled"
    return "active" if state.is_active else "pending"


def view_attempt(subject: str, webhook_id: str, attempt: ports.DeliveryAttempt) -> dict[str, Any]:
    """Return what the API may show of an attempt to deliver to a subject's webhook."""
    if attempt.type in {CHALLENGE_MESSAGE, PING_MESSAGE}:
        attempted = attempt_id(subject, attempt.type, webhook_id, unix_seconds(attempt.at))
    else:
        attempted = message_id(attempt.game or subject, attempt.version, webhook_id)
    return msgspec.structs.asdict(attempt) | {"id": attempted, "delivered": attempt.error is None}
