"""Changes of a stored webhook under its lease, so that no delivery overwrites them."""

import asyncio
from collections.abc import Callable
from uuid import uuid4

import msgspec

from service.games.access import subject_of_key
from service.games.context import Context, GameSession
from service.games.errors import GameError
from service.games.idempotency import IdempotencyScope, Replayed, new_record, read_record
from service.games.ports.webhook_store import (
    LeaseTaken,
    StoredWebhook,
    WebhookChange,
    WebhookNotFound,
    WebhookRegistration,
    WebhookState,
    WebhookStore,
)

__all__ = ["attach_game", "attach_to_key", "remove_webhooks_of_seat", "restart", "update_webhook"]

LEASE_TTL_S = 5
"""Duration of the lease while a change is stored."""

UpdateOutcome = StoredWebhook | Replayed | LeaseTaken | WebhookNotFound


async def update_webhook(
    webhooks: WebhookStore,
    subject: str,
    webhook_id: str,
    now: int,
    change: Callable[[StoredWebhook], StoredWebhook],
    scope: IdempotencyScope | None = None,
) -> UpdateOutcome:
    """Change a webhook that is not being delivered to, schedule it, and return it.

    A request with the idempotency key of an earlier one changes nothing. Raises IdempotencyKeyReused, and what `change`
    raises.
    """
    holder = uuid4().hex
    match await webhooks.acquire_lease(subject, webhook_id, holder, LEASE_TTL_S):
        case StoredWebhook() as stored:
            try:
                record = None if scope is None else await webhooks.load_idempotency_record(subject, scope.key_hash)
                if record is not None and read_record(scope, record, now) is not None:
                    await webhooks.save(subject, webhook_id, holder, WebhookChange(stored.state))
                    return Replayed(record)
                changed = change(stored)
            except GameError:
                await webhooks.save(subject, webhook_id, holder, WebhookChange(stored.state))
                raise
            await webhooks.schedule(subject, [webhook_id], now)
            saved = WebhookChange(changed.state, None, changed.registration, new_record(scope, now, 0))
            return changed if await webhooks.save(subject, webhook_id, holder, saved) else WebhookNotFound()
        case LeaseTaken() | WebhookNotFound() as refused:
            return refused


def restart(stored: StoredWebhook) -> StoredWebhook:
    """Return a webhook with its failures reset, so that it receives everything that it missed."""
    state = msgspec.structs.replace(stored.state, failures=0, next_attempt_at=None, disabled_reason=None)
    return StoredWebhook(stored.registration, state)


async def attach_game(
    webhooks: WebhookStore, game: str, webhook: WebhookRegistration, api_key: str, since: int
) -> None:
    """Make a game refer to a webhook of its API key, which then receives the changes after a version.

    A game that refers to it already stays as it is.
    """
    reference = WebhookRegistration(webhook.id, "", None, None, "", webhook.created_at, api_key=api_key)
    await webhooks.add(game, reference, WebhookState(since))


async def remove_webhooks_of_seat(webhooks: WebhookStore, session: GameSession, seat: int) -> bool:
    """Delete what a seat's token has registered; return whether there was anything, which makes the session stale."""
    if not session.webhooks:
        return False
    registered = [one.registration for one in await webhooks.list_by_subject(session.game.id)]
    own = [webhook.id for webhook in registered if webhook.seat == seat]
    await asyncio.gather(*(webhooks.remove(session.game.id, webhook_id) for webhook_id in own))
    return bool(own)


async def attach_to_key(context: Context, session: GameSession) -> None:
    """Make a new game refer to the webhooks of its API key, which receive its changes from the first one on."""
    game, api_key, webhooks = session.game.id, session.access.api_key, context.store.webhooks
    if api_key is None:
        return
    registered = [one.registration for one in await webhooks.list_by_subject(subject_of_key(api_key))]
    if registered:
        await asyncio.gather(*(attach_game(webhooks, game, webhook, api_key, 0) for webhook in registered))
        context.cache.pop(game)  # the next commit expects these webhooks
        context.on_webhooks_due(game, [webhook.id for webhook in registered])
