"""Register, read, change, test, retry and delete the webhooks of an API key, for its holder.

A webhook of a key receives the changes of all games of the key. Its challenge, its pings and its status are the key's;
how far a game's changes are delivered is stored with the game (see `dispatcher`).
"""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from schemas.webhooks import (
    ChangeKeyWebhook,
    KeyAttempt,
    KeyDeliveries,
    KeyWebhook,
    KeyWebhookCreated,
    KeyWebhooks,
    RegisterKeyWebhook,
    ReplayMessages,
    RotatedSecret,
    RotateSecret,
)
from service.games.api_keys.subject import subject_of_key
from service.games.context import Context
from service.games.errors import ApiKeyRejected, Conflict, Malformed, NoSuchWebhook, TooManyWebhooks
from service.games.idempotency import (
    IdempotencyScope,
    ReplayableResult,
    Replayed,
    idempotency_scope,
    new_record,
    read_record,
    token_secret,
)
from service.games.timestamps import DAY_S, timestamp, unix_seconds
from service.games.webhooks.payloads import derive_secret, generate_secret
from service.games.webhooks.port import (
    Added,
    LeaseTaken,
    LimitReached,
    StoredWebhook,
    WebhookNotFound,
    WebhookRegistration,
    WebhooksChanged,
    WebhookState,
)
from service.games.webhooks.registration import make_webhook_id, new_webhook_id, view_attempt, view_status
from service.games.webhooks.updates import change_webhook, restart

__all__ = [
    "KeyWebhookRequest",
    "change_key_webhook",
    "delete_key_webhook",
    "list_key_deliveries",
    "list_key_webhooks",
    "load_key_webhook",
    "ping_key_webhook",
    "register_key_webhook",
    "replay_key_webhook",
    "retry_key_webhook",
    "rotate_secret",
]

PATH = "/v1/keys/me/webhooks"

DEFAULT_GRACE_S = DAY_S
"""How long the secret before a rotation signs too."""

LEASE_WAITS_S = (0.1, 0.2, 0.4, 0.8)
"""Pauses before a change is tried again while a challenge or a ping is on its way."""


class KeyWebhookRequest(NamedTuple):
    """A request to register a webhook for an API key."""

    body: RegisterKeyWebhook
    key: str
    """The key's name."""
    idempotency_key: str | None
    max_webhooks: int
    client_hash: str
    """Hash of the client's address, by which challenges are limited."""


async def register_key_webhook(context: Context, request: KeyWebhookRequest) -> ReplayableResult[KeyWebhookCreated]:
    """Register a webhook for all games of a key. The caller must have checked the URL.

    Raises TooManyWebhooks, Malformed, IdempotencyKeyReused, ApiKeyRejected, NoSuchWebhook (a retry after the webhook
    was deleted).
    """
    body, key = request.body, subject_of_key(request.key)
    scope = idempotency_scope(request.idempotency_key, PATH, key, body)
    webhooks = context.store.webhooks
    webhook_id, number = new_webhook_id(scope, [one.registration.id for one in await webhooks.list_by_subject(key)])
    secret = body.secret or generate_secret()
    webhook = WebhookRegistration(webhook_id, body.url, body.events, None, secret, context.now())
    state = WebhookState(0, pending_client=request.client_hash, next_games="", resumes=True)
    record = new_record(scope, context.clock(), 0, number)
    match await webhooks.add(key, webhook, state, max_webhooks=request.max_webhooks, record=record):
        case Added():
            await _check_not_revoked(context, request.key, webhook_id)
            context.on_webhooks_due(key, [webhook_id])
            return ReplayableResult(await _view_created(context, key, StoredWebhook(webhook, state)), 0)
        case LimitReached():
            raise TooManyWebhooks(request.max_webhooks)
        case WebhookNotFound():
            raise ApiKeyRejected("this API key is unknown")
        case WebhooksChanged():
            raise AssertionError(webhook_id)  # nothing was expected
        case Replayed(stored_record):
            first = read_record(scope, stored_record, context.clock())
            stored = await _load(context, key, make_webhook_id(scope, 0 if first is None else first.detail))
            return ReplayableResult(await _view_created(context, key, stored), 0, replayed=True)


async def list_key_webhooks(context: Context, api_key: str) -> KeyWebhooks:
    """Return a key's webhooks, the oldest first."""
    key = subject_of_key(api_key)
    stored = await context.store.webhooks.list_by_subject(key)
    return KeyWebhooks(webhooks=[KeyWebhook(**await _view(context, key, one)) for one in stored])


async def load_key_webhook(context: Context, api_key: str, webhook_id: str) -> KeyWebhook:
    """Return a webhook. Raises NoSuchWebhook."""
    key = subject_of_key(api_key)
    return KeyWebhook(**await _view(context, key, await _load(context, key, webhook_id)))


async def delete_key_webhook(context: Context, api_key: str, webhook_id: str) -> None:
    """Delete a webhook, after which nothing more is sent to it. Raises NoSuchWebhook."""
    if not await context.store.webhooks.remove(subject_of_key(api_key), webhook_id):
        raise NoSuchWebhook(webhook_id)


async def change_key_webhook(
    context: Context, api_key: str, webhook_id: str, body: ChangeKeyWebhook, client_hash: str
) -> KeyWebhook:
    """Change a webhook's URL or events. The caller must have checked the URL. Raises NoSuchWebhook, Conflict.

    The server of another URL must answer a challenge before it receives anything.
    """

    def change(stored: StoredWebhook) -> StoredWebhook:
        registration, state = stored
        if body.url is not None and body.url != registration.url:
            registration = msgspec.structs.replace(registration, url=body.url)
            state = msgspec.structs.replace(restart(stored).state, pending_client=client_hash, resumes=True)
        if body.events is not None:
            registration = msgspec.structs.replace(registration, events=body.events or None)
        return StoredWebhook(registration, state)

    return (await _change(context, api_key, webhook_id, change)).response


async def rotate_secret(
    context: Context, api_key: str, webhook_id: str, idempotency_key: str | None, body: RotateSecret
) -> ReplayableResult[RotatedSecret]:
    """Give a webhook a new secret; the current one signs too until it expires.

    Without a secret of the host's own, it is derived from the idempotency key, so that a retry returns the same one.
    Raises Malformed, NoSuchWebhook, Conflict, IdempotencyKeyReused.
    """
    scope = _scope(idempotency_key, api_key, webhook_id, "rotate-secret", body)
    secret = body.secret or derive_secret(token_secret(scope), webhook_id)
    expires_at = int(context.clock()) + (DEFAULT_GRACE_S if body.grace_s is None else body.grace_s)

    def change(stored: StoredWebhook) -> StoredWebhook:
        current = stored.registration.secret
        if secret == current:
            return stored
        registration = msgspec.structs.replace(
            stored.registration, secret=secret, previous_secret=current, previous_expires_at=expires_at
        )
        return StoredWebhook(registration, stored.state)

    rotated, version, replayed = await _change(context, api_key, webhook_id, change, scope)
    view = RotatedSecret(secret=secret, previous_secret_expires_at=rotated.previous_secret_expires_at)
    return ReplayableResult(view, version, replayed)


async def ping_key_webhook(
    context: Context, api_key: str, webhook_id: str, idempotency_key: str | None
) -> ReplayableResult[KeyWebhook]:
    """Send a ping to an active webhook. Raises NoSuchWebhook, Conflict for any other, IdempotencyKeyReused."""

    def change(stored: StoredWebhook) -> StoredWebhook:
        if not stored.state.is_active:
            raise Conflict(f"the webhook is {view_status(stored.state)}: only an active one is sent a ping")
        return StoredWebhook(stored.registration, msgspec.structs.replace(stored.state, is_ping_requested=True))

    scope = _scope(idempotency_key, api_key, webhook_id, "ping")
    return await _change(context, api_key, webhook_id, change, scope)


async def retry_key_webhook(
    context: Context, api_key: str, webhook_id: str, idempotency_key: str | None
) -> ReplayableResult[KeyWebhook]:
    """Deliver everything that a webhook missed, of all games; a disabled one is active again, or pending.

    Raises NoSuchWebhook, Conflict, IdempotencyKeyReused.
    """

    def change(stored: StoredWebhook) -> StoredWebhook:
        registration, state = restart(stored)
        return StoredWebhook(registration, msgspec.structs.replace(state, resumes=True))

    scope = _scope(idempotency_key, api_key, webhook_id, "retry")
    return await _change(context, api_key, webhook_id, change, scope)


async def replay_key_webhook(
    context: Context, api_key: str, webhook_id: str, idempotency_key: str | None, body: ReplayMessages
) -> ReplayableResult[KeyWebhook]:
    """Deliver all changes since a time again, of all games, and everything that was missed.

    Raises Malformed, NoSuchWebhook, Conflict, IdempotencyKeyReused.
    """
    try:
        replays_since = unix_seconds(body.since)
    except ValueError:
        raise Malformed("there is no such date or time", "$.since") from None

    def change(stored: StoredWebhook) -> StoredWebhook:
        registration, state = restart(stored)
        walk = msgspec.structs.replace(state, replays_since=replays_since, next_games="", resumes=True)
        return StoredWebhook(registration, walk)

    scope = _scope(idempotency_key, api_key, webhook_id, "replay", body)
    return await _change(context, api_key, webhook_id, change, scope)


async def list_key_deliveries(context: Context, api_key: str, webhook_id: str) -> KeyDeliveries:
    """Return the latest attempts of all games, the newest first. Raises NoSuchWebhook."""
    key = subject_of_key(api_key)
    webhook = KeyWebhook(**await _view(context, key, await _load(context, key, webhook_id)))
    attempts = await context.store.webhooks.list_attempts(key, webhook_id)
    return KeyDeliveries(
        webhook=webhook,
        attempts=[KeyAttempt(**view_attempt(key, webhook_id, one), game=one.game) for one in attempts],
    )


def _scope(
    idempotency_key: str | None, api_key: str, webhook_id: str, command: str, body: Any = None
) -> IdempotencyScope | None:
    """Return the scope of a command's idempotency key."""
    return idempotency_scope(idempotency_key, f"{PATH}/{webhook_id}/{command}", subject_of_key(api_key), body)


async def _change(
    context: Context,
    api_key: str,
    webhook_id: str,
    change: Callable[[StoredWebhook], StoredWebhook],
    scope: IdempotencyScope | None = None,
) -> ReplayableResult[KeyWebhook]:
    """Change a webhook, process it at once and return it. Raises NoSuchWebhook, Conflict, IdempotencyKeyReused."""
    key = subject_of_key(api_key)
    for wait_s in LEASE_WAITS_S:
        match await change_webhook(context.store.webhooks, key, webhook_id, int(context.clock()), change, scope):
            case StoredWebhook() as changed:
                context.on_webhooks_due(key, [webhook_id])
                return ReplayableResult(KeyWebhook(**await _view(context, key, changed)), 0)
            case Replayed():
                return ReplayableResult(await load_key_webhook(context, api_key, webhook_id), 0, replayed=True)
            case WebhookNotFound():
                raise NoSuchWebhook(webhook_id)
            case LeaseTaken():
                await asyncio.sleep(wait_s)
    raise Conflict("a challenge or a ping is on its way: try again in a few seconds")


async def _check_not_revoked(context: Context, name: str, webhook_id: str) -> None:
    """Delete a new webhook and raise ApiKeyRejected if its key was revoked, which this instance may not know yet.

    `keys revoke` deletes the webhooks that it finds after it has stored the revocation.
    """
    stored = await context.store.api_keys.load(name)
    if stored is None or stored.key.revoked_at is not None:
        await context.store.webhooks.remove(subject_of_key(name), webhook_id)
        raise ApiKeyRejected(f"the API key {name} was revoked")


async def _load(context: Context, key: str, webhook_id: str) -> StoredWebhook:
    stored = await context.store.webhooks.get(key, webhook_id)
    if stored is None:
        raise NoSuchWebhook(webhook_id)
    return stored


async def _view_created(context: Context, key: str, stored: StoredWebhook) -> KeyWebhookCreated:
    return KeyWebhookCreated(**await _view(context, key, stored), secret=stored.registration.secret)


async def _view(context: Context, key: str, stored: StoredWebhook) -> dict[str, Any]:
    """Return the fields of a webhook that the API shows."""
    webhook, state = stored
    expires_at = webhook.previous_expires_at
    is_previous_valid = len(webhook.secrets(int(context.clock()))) > 1
    return {
        "id": webhook.id,
        "url": webhook.url,
        "events": webhook.events,
        "created_at": webhook.created_at,
        "status": view_status(state),
        "disabled_reason": state.disabled_reason,
        "failures": state.failures,
        "next_attempt_at": None if state.next_attempt_at is None else timestamp(state.next_attempt_at),
        "missed_games": await context.store.webhooks.count_missed(key, webhook.id),
        "previous_secret_expires_at": timestamp(expires_at) if is_previous_valid and expires_at is not None else None,
    }
