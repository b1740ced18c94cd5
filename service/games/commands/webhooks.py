"""What an owner does with webhooks: register, read, change, test, retry and delete them.

A game's owner, its players and the holder of an API key have the same commands; `owner` says what each may do. A
webhook of an API key receives the changes of the games that are created with the key from then on. Its challenge, its
pings and its status are the key's; how far a game's changes are delivered is stored with the game.
"""

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from msgspec.structs import replace

from schemas.webhooks import ChangeKeyWebhook, RegisterKeyWebhook, RegisterWebhook, RotateSecret
from service.games import idempotency, ports
from service.games.access import key_of_subject
from service.games.api_key import UNKNOWN_KEY
from service.games.commands.create import derive_game_id, random_game_id
from service.games.commands.execute import pause
from service.games.due_work import LeaseTaken
from service.games.errors import ApiKeyRejected, Conflict, Malformed, NoSuchGame, NoSuchWebhook, TooManyWebhooks
from service.games.repository import Context
from service.games.webhook_owner import Owner, authorize, restart, update_webhook, view_status
from service.games.webhook_payloads import derive_secret, generate_secret
from service.telemetry.clock import DAY_S

DEFAULT_GRACE_S = DAY_S
"""How long the secret before a rotation signs too."""

LEASE_WAITS_S = (0.1, 0.2, 0.4, 0.8)
"""Pauses before a change is tried again while a challenge or a ping is on its way."""


async def register_webhook(
    context: Context, owner: Owner, body: RegisterKeyWebhook, idempotency_key: str | None = None
) -> idempotency.ReplayableResult[ports.StoredWebhook]:
    """Register a webhook, which receives changes once its server has answered a challenge.

    One of a game receives the changes from now on; one of an API key those of games that are created with it from now
    on. The caller must have checked the URL. Raises TooManyWebhooks, Malformed, IdempotencyKeyReused, NoSuchWebhook (a
    retry of the request after the webhook was deleted), ApiKeyRejected, and what `authorize` does.
    """
    scope = idempotency.idempotency_scope(idempotency_key, owner.subject, owner.token, body)
    conflicts = 0
    while (registered := await _attempt_registration(context, owner, body, scope)) is None:
        conflicts += 1
        await pause(conflicts)
    return registered


async def _attempt_registration(
    context: Context, owner: Owner, body: RegisterKeyWebhook, scope: idempotency.IdempotencyScope | None
) -> idempotency.ReplayableResult[ports.StoredWebhook] | None:
    """Add a webhook; return None if another registration was first, or a token has been revoked."""
    webhooks, rights = context.store.webhooks, await authorize(context, owner)
    record = None if scope is None else await webhooks.load_idempotency_record(owner.subject, scope.key_hash)
    if (first := idempotency.read_record(scope, record, context.clock())) is not None:
        return idempotency.ReplayableResult(
            await load_webhook(context, owner, _make_id(scope, first.detail)), 0, replayed=True
        )
    seats = body.seats if isinstance(body, RegisterWebhook) else None
    version, last_revocation = 0, ""
    if rights.game is not None:
        version, last_revocation = rights.game.revision.version, rights.game.last_revocation
        _check_seats(seats, len(rights.game.game.players))
    existing = [one.registration for one in await webhooks.list_by_subject(owner.subject)]
    if sum(one.api_key is None and one.seat == rights.seat for one in existing) >= rights.max_webhooks:
        raise TooManyWebhooks(rights.max_webhooks)
    ids = [webhook.id for webhook in existing]
    number, webhook_id = next((n, new_id) for n in count() if (new_id := _make_id(scope, n)) not in ids)
    secret = body.secret or generate_secret()
    new = ports.StoredWebhook(
        ports.WebhookRegistration(webhook_id, body.url, body.events, seats, secret, context.now(), seat=rights.seat),
        ports.WebhookState(version, pending_client=owner.client_hash),
    )
    match await webhooks.add(
        owner.subject,
        *new,
        record=idempotency.new_record(scope, context.clock(), 0, number),
        expected=ports.ExpectedWebhooks(ids, last_revocation, record),
    ):
        case "added":
            await _check_not_revoked(context, owner, webhook_id)
            context.woken_webhooks.add(ports.webhook_entry(owner.subject, webhook_id))
            return idempotency.ReplayableResult(new, 0)
        case "changed":
            return None
        case "missing":
            raise ApiKeyRejected(UNKNOWN_KEY) if owner.is_key else NoSuchGame(owner.subject)


def _check_seats(seats: Sequence[int] | None, players: int) -> None:
    """Raise Malformed for a seat that the game does not have."""
    for index, seat in enumerate(seats or ()):
        if seat >= players:
            raise Malformed(f"there are {players} players, so no seat {seat}", f"$.seats[{index}]")


async def _check_not_revoked(context: Context, owner: Owner, webhook_id: str) -> None:
    """Delete a new webhook and raise ApiKeyRejected if its key was revoked, which this instance may not know yet.

    `keys revoke` deletes the webhooks that it finds after it has stored the revocation.
    """
    if (name := key_of_subject(owner.subject)) is None:
        return
    stored = await context.store.api_keys.load(name)
    if stored is None or stored.key.revoked_at is not None:
        await context.store.webhooks.remove(owner.subject, webhook_id)
        raise ApiKeyRejected(f"the API key {name} was revoked")


def _make_id(scope: idempotency.IdempotencyScope | None, number: int) -> str:
    """Return an id derived from the idempotency key, so that a retry finds it, or a random one without a key."""
    return random_game_id() if scope is None else derive_game_id(f"webhook.{scope.key_hash}", number)


async def list_webhooks(context: Context, owner: Owner) -> list[ports.StoredWebhook]:
    """Return the webhooks that an owner sees, the oldest first. Raises what `authorize` does."""
    rights = await authorize(context, owner)
    return [one for one in await context.store.webhooks.list_by_subject(owner.subject) if rights.sees(one.registration)]


async def load_webhook(context: Context, owner: Owner, webhook_id: str) -> ports.StoredWebhook:
    """Return a webhook that an owner sees. Raises NoSuchWebhook, and what `authorize` does, as all functions below."""
    rights = await authorize(context, owner)
    stored = await context.store.webhooks.get(owner.subject, webhook_id)
    if stored is None or not rights.sees(stored.registration):
        raise NoSuchWebhook(webhook_id)
    return stored


async def list_deliveries(
    context: Context, owner: Owner, webhook_id: str
) -> tuple[ports.StoredWebhook, list[ports.DeliveryAttempt]]:
    """Return a webhook and its latest delivery attempts, the newest first."""
    stored = await load_webhook(context, owner, webhook_id)
    return stored, await context.store.webhooks.list_attempts(owner.subject, webhook_id)


async def delete_webhook(context: Context, owner: Owner, webhook_id: str) -> None:
    """Delete a webhook, after which nothing more is sent to it."""
    await load_webhook(context, owner, webhook_id)
    if not await context.store.webhooks.remove(owner.subject, webhook_id):
        raise NoSuchWebhook(webhook_id)


async def change_webhook(
    context: Context, owner: Owner, webhook_id: str, body: ChangeKeyWebhook
) -> idempotency.ReplayableResult[ports.StoredWebhook]:
    """Change a webhook's URL or events. The caller must have checked the URL. Raises Conflict too.

    The server of another URL must answer a challenge before it receives anything.
    """

    def change(stored: ports.StoredWebhook) -> ports.StoredWebhook:
        registration, state = stored
        if body.url is not None and body.url != registration.url:
            registration = replace(registration, url=body.url)
            state = replace(restart(stored).state, pending_client=owner.client_hash)
        if body.events is not None:
            registration = replace(registration, events=body.events or None)
        return ports.StoredWebhook(registration, state)

    return await _update(context, owner, webhook_id, change)


async def rotate_secret(
    context: Context, owner: Owner, webhook_id: str, idempotency_key: str | None, body: RotateSecret
) -> idempotency.ReplayableResult[ports.StoredWebhook]:
    """Give a webhook a new secret; the current one signs too until it expires.

    Without a secret of the host's own, it is derived from the idempotency key, so that a retry returns the same one.
    Raises Malformed, Conflict, IdempotencyKeyReused too.
    """
    scope = _scope(idempotency_key, owner, webhook_id, "rotate-secret", body)
    secret = body.secret or derive_secret(idempotency.token_secret(idempotency_key), webhook_id)
    expires_at = int(context.clock()) + (DEFAULT_GRACE_S if body.grace_s is None else body.grace_s)

    def change(stored: ports.StoredWebhook) -> ports.StoredWebhook:
        current, state = stored
        if secret == current.secret:
            return stored
        rotated = replace(current, secret=secret, previous_secret=current.secret, previous_expires_at=expires_at)
        return ports.StoredWebhook(rotated, state)

    (registration, state), _, replayed = await _update(context, owner, webhook_id, change, scope)
    return idempotency.ReplayableResult(ports.StoredWebhook(replace(registration, secret=secret), state), 0, replayed)


async def ping_webhook(
    context: Context, owner: Owner, webhook_id: str, idempotency_key: str | None
) -> idempotency.ReplayableResult[ports.StoredWebhook]:
    """Send a ping to an active webhook. Raises Conflict for any other, and IdempotencyKeyReused too."""

    def change(stored: ports.StoredWebhook) -> ports.StoredWebhook:
        if not stored.state.is_active:
            raise Conflict(f"the webhook is {view_status(stored.state)}: only an active one is sent a ping")
        return ports.StoredWebhook(stored.registration, replace(stored.state, is_ping_requested=True))

    scope = _scope(idempotency_key, owner, webhook_id, "ping")
    return await _update(context, owner, webhook_id, change, scope)


async def retry_webhook(
    context: Context, owner: Owner, webhook_id: str, idempotency_key: str | None
) -> idempotency.ReplayableResult[ports.StoredWebhook]:
    """Deliver what waits for a webhook now; a disabled one is active again, or pending.

    Retried challenges stay within the rate limits of challenges. Raises IdempotencyKeyReused too, and Conflict for the
    webhook of an API key.
    """
    scope = _scope(idempotency_key, owner, webhook_id, "retry")
    return await _update(context, owner, webhook_id, restart, scope)


def _scope(
    idempotency_key: str | None, owner: Owner, webhook_id: str, command: str, body: Any = None
) -> idempotency.IdempotencyScope | None:
    """Return the scope of a command's idempotency key."""
    return idempotency.idempotency_scope(idempotency_key, f"{owner.subject}/{webhook_id}/{command}", owner.token, body)


async def _update(
    context: Context,
    owner: Owner,
    webhook_id: str,
    change: Callable[[ports.StoredWebhook], ports.StoredWebhook],
    scope: idempotency.IdempotencyScope | None = None,
) -> idempotency.ReplayableResult[ports.StoredWebhook]:
    """Change a webhook, process it at once and return it.

    A game's webhook whose lease is taken is being delivered to, and stays as it is.
    """
    stored, now = await load_webhook(context, owner, webhook_id), int(context.clock())
    for wait_s in LEASE_WAITS_S:
        try:
            changed = await update_webhook(context.store, owner.subject, webhook_id, now, change, scope)
        except LeaseTaken:
            if not owner.is_key:
                return idempotency.ReplayableResult(stored, 0)
            await asyncio.sleep(wait_s)
            continue
        match changed:
            case ports.StoredWebhook():
                context.woken_webhooks.add(ports.webhook_entry(owner.subject, webhook_id))
                return idempotency.ReplayableResult(changed, 0)
            case idempotency.Replayed():
                return idempotency.ReplayableResult(await load_webhook(context, owner, webhook_id), 0, replayed=True)
            case None:
                await load_webhook(context, owner, webhook_id)  # it was deleted, or the lease has expired meanwhile
    raise Conflict("a challenge or a ping is on its way: try again in a few seconds")
