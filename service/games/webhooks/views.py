"""Webhooks and their delivery attempts as the API shows them, to the owner of a game or the holder of an API key."""

from typing import Any

import msgspec

from schemas.webhooks import (
    Attempt,
    Deliveries,
    KeyAttempt,
    KeyDeliveries,
    KeyWebhook,
    KeyWebhookCreated,
    Webhook,
    WebhookCreated,
)
from service.games.context import Context
from service.games.ports.webhook_store import DeliveryAttempt, StoredWebhook, WebhookRegistration, WebhookState
from service.games.webhooks.owner import Owner
from service.games.webhooks.payloads import challenge_id, message_id, ping_id
from service.telemetry.clock import timestamp, unix_seconds

AnyWebhook = Webhook | KeyWebhook
AnyCreated = WebhookCreated | KeyWebhookCreated
AnyDeliveries = Deliveries | KeyDeliveries


async def view_webhook(context: Context, owner: Owner, stored: StoredWebhook) -> AnyWebhook:
    """Return a webhook without its secret."""
    fields = await _fields(context, owner, stored)
    return Webhook(**fields) if owner.api_key is None else KeyWebhook(**fields)


async def view_created(context: Context, owner: Owner, stored: StoredWebhook) -> AnyCreated:
    """Return a new webhook with its secret."""
    fields = await _fields(context, owner, stored) | {"secret": stored.registration.secret}
    return WebhookCreated(**fields) if owner.api_key is None else KeyWebhookCreated(**fields)


async def view_deliveries(context: Context, owner: Owner, stored: StoredWebhook) -> AnyDeliveries:
    """Return a webhook with its latest attempts, the newest first."""
    webhook_id, fields = stored.registration.id, await _fields(context, owner, stored)
    attempts = [
        (one.game, _attempt_fields(owner.subject, webhook_id, one))
        for one in await context.store.webhooks.list_attempts(owner.subject, webhook_id)
    ]
    if owner.api_key is None:
        return Deliveries(webhook=Webhook(**fields), attempts=[Attempt(**shown) for _, shown in attempts])
    return KeyDeliveries(
        webhook=KeyWebhook(**fields), attempts=[KeyAttempt(**shown, game=game) for game, shown in attempts]
    )


async def _fields(context: Context, owner: Owner, stored: StoredWebhook) -> dict[str, Any]:
    """Return what the API shows of a webhook."""
    webhook, state = stored
    fields: dict[str, Any] = {
        "id": webhook.id,
        "url": webhook.url,
        "events": webhook.events,
        "created_at": webhook.created_at,
        "status": view_status(state),
        "disabled_reason": state.disabled_reason,
        "failures": state.failures,
        "next_attempt_at": None if state.next_attempt_at is None else timestamp(state.next_attempt_at),
    }
    if owner.api_key is None:
        progress = {"delivered_version": state.delivered_version}
        return fields | progress | {"seats": webhook.seats, "registered_by": webhook.seat}
    return fields | {
        "missed_games": await context.store.webhooks.count_missed(owner.subject, webhook.id),
        "previous_secret_expires_at": previous_secret_expires_at(webhook, int(context.clock())),
    }


def view_status(state: WebhookState) -> str:
    """Return a webhook's status."""
    if state.disabled_reason is not None:
        return "disabled"
    return "active" if state.is_active else "pending"


def previous_secret_expires_at(webhook: WebhookRegistration, now: int) -> str | None:
    """Return until when the secret before a rotation signs too; None if it does not."""
    expires_at = webhook.previous_expires_at
    return timestamp(expires_at) if expires_at is not None and len(webhook.secrets(now)) > 1 else None


def _attempt_fields(subject: str, webhook_id: str, attempt: DeliveryAttempt) -> dict[str, Any]:
    fields = msgspec.structs.asdict(attempt)
    del fields["game"]
    return {**fields, "id": _attempted_id(subject, webhook_id, attempt), "delivered": attempt.error is None}


def _attempted_id(subject: str, webhook_id: str, attempt: DeliveryAttempt) -> str:
    """Return the id of the message that was attempted."""
    match attempt.type:
        case "challenge":
            return challenge_id(subject, webhook_id, unix_seconds(attempt.at))
        case "ping":
            return ping_id(subject, webhook_id, unix_seconds(attempt.at))
        case _:
            return message_id(attempt.game or subject, attempt.version, webhook_id)
