"""Registering, reading and deleting a game's webhooks: its owner's business."""

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple
from uuid import uuid4

import msgspec

from schemas.webhooks import CHALLENGE_MESSAGE, Attempt, Deliveries, RegisterWebhook, Webhook, WebhookCreated, Webhooks
from service.games import repository
from service.games.access import authorize_owner
from service.games.commands.execute import Retries
from service.games.commands.game_setup import derive_game_id, random_game_id
from service.games.context import Context
from service.games.errors import Malformed, NoSuchGame, NoSuchWebhook, TooManyWebhooks
from service.games.idempotency import IdempotencyScope, ReplayableResult, idempotency_scope, new_record, read_record
from service.games.repository import decode_game
from service.games.timestamps import timestamp, unix_seconds
from service.games.webhooks.payloads import challenge_id, generate_secret, is_secret, message_id
from service.games.webhooks.port import (
    Added,
    DeliveryAttempt,
    LeaseTaken,
    LimitReached,
    Replayed,
    StoredWebhook,
    WebhookNotFound,
    WebhookRegistration,
    WebhookState,
)

LEASE_TTL_S = 5
"""How long a webhook is held while its failures are forgotten."""


class WebhookRequest(NamedTuple):
    """A whole request to register a webhook."""

    body: RegisterWebhook
    token: str | None
    idempotency_key: str | None
    max_webhooks: int
    """How many a game may have."""
    client_hash: str = ""
    """Who asks, as a hash: challenges are limited by that."""


async def register_webhook(context: Context, game_id: str, wanted: WebhookRequest) -> ReplayableResult[WebhookCreated]:
    """Add a webhook, which gets all later changes once its server has answered a challenge.

    Raises TooManyWebhooks, Malformed, NoSuchWebhook (a retry, where it was deleted since), and what `check_owner` does.
    The URL must have been checked before.
    """
    asked = wanted.body
    idempotency = idempotency_scope(wanted.idempotency_key, f"/v1/games/{game_id}/webhooks", wanted.token, asked)

    retries = Retries()
    while (registered := await _try_register(context, game_id, wanted, idempotency)) is None:
        await retries.wait()
    return registered


async def _try_register(
    context: Context, game_id: str, request: WebhookRequest, idempotency: IdempotencyScope | None
) -> ReplayableResult[WebhookCreated] | None:
    """Register a webhook, or return None where a request with the same key was first."""
    asked = request.body
    loaded, access = await repository.load_game(context, game_id, idempotency and idempotency.stored_key)
    authorize_owner(access, game_id, request.token)
    if idempotency and (before := read_record(idempotency, loaded.record, context.clock())) is not None:
        found = await _load_stored(context, game_id, _id_from(idempotency, before.detail))
        return ReplayableResult(_view_created(found), before.version, replayed=True)
    _validate(asked, len(decode_game(loaded).players))
    hook_id, number = _new_id(idempotency, loaded.webhooks)
    hook = WebhookRegistration(
        hook_id, asked.url, asked.events, asked.seats, asked.secret or generate_secret(), context.now()
    )
    state = WebhookState(loaded.version, pending_client=request.client_hash)
    record = new_record(idempotency, context.clock(), loaded.version, number)
    match await context.store.webhooks.add(game_id, hook, state, max_webhooks=request.max_webhooks, keep=record):
        case Added():
            return ReplayableResult(_view_created(StoredWebhook(hook, state)), loaded.version)
        case LimitReached():
            raise TooManyWebhooks(request.max_webhooks)
        case WebhookNotFound():
            raise NoSuchGame(game_id)
        case Replayed():
            return None  # the same request was first


def _new_id(idempotency: IdempotencyScope | None, there: Sequence[str]) -> tuple[str, int]:
    """An id, which follows from a key and a number, so that a retry finds the webhook; random without a key."""
    if idempotency is None:
        return random_game_id(), 0
    return next((hook, number) for number in count() if (hook := _id_from(idempotency, number)) not in there)


def _id_from(idempotency: IdempotencyScope, number: int) -> str:
    return derive_game_id(f"webhook.{idempotency.stored_key}", number)


def _view_created(registered: StoredWebhook) -> WebhookCreated:
    told = msgspec.structs.asdict(_view(registered))
    return WebhookCreated(**told, secret=registered.registration.secret)


async def list_webhooks(context: Context, game_id: str, token: str | None) -> Webhooks:
    """A game's webhooks."""
    await _check_owner(context, game_id, token)
    return Webhooks(webhooks=[_view(one) for one in await context.store.webhooks.list_by_game(game_id)])


async def load_webhook(context: Context, game_id: str, hook_id: str, token: str | None) -> Webhook:
    """A webhook; raises NoSuchWebhook."""
    await _check_owner(context, game_id, token)
    return _view(await _load_stored(context, game_id, hook_id))


async def delete_webhook(context: Context, game_id: str, hook_id: str, token: str | None) -> None:
    """Delete a webhook: nothing more is sent there. Raises NoSuchWebhook."""
    await _check_owner(context, game_id, token)
    if not await context.store.webhooks.remove(game_id, hook_id):
        raise NoSuchWebhook(hook_id)


async def retry_webhook(context: Context, game_id: str, hook_id: str, token: str | None) -> Webhook:
    """Try what waits now, as if nothing had failed, also where the webhook was disabled. Raises NoSuchWebhook.

    Where that is a challenge it comes within the limits on challenges, however often somebody tries.
    """
    await _check_owner(context, game_id, token)
    webhooks, holder = context.store.webhooks, uuid4().hex
    match await webhooks.acquire_lease(game_id, hook_id, holder, LEASE_TTL_S):
        case WebhookNotFound():
            raise NoSuchWebhook(hook_id)
        case StoredWebhook(_, state):
            await webhooks.schedule(game_id, [hook_id], int(context.clock()))
            again = WebhookState(state.delivered_version, pending_client=state.pending_client)
            await webhooks.save_state(game_id, again, None, hook=hook_id, holder=holder, seconds=None)
            context.on_webhooks_due(game_id, [hook_id])
        case LeaseTaken():
            pass  # it is being tried
    return _view(await _load_stored(context, game_id, hook_id))


async def list_deliveries(context: Context, game_id: str, hook_id: str, token: str | None) -> Deliveries:
    """What was tried of late; raises NoSuchWebhook."""
    await _check_owner(context, game_id, token)
    found = await _load_stored(context, game_id, hook_id)
    tried = await context.store.webhooks.list_attempts(game_id, hook_id)
    return Deliveries(webhook=_view(found), attempts=_view_attempts(game_id, hook_id, tried))


async def _check_owner(context: Context, game_id: str, token: str | None) -> None:
    _, access = await repository.load_game(context, game_id)
    authorize_owner(access, game_id, token)


async def _load_stored(context: Context, game_id: str, hook_id: str) -> StoredWebhook:
    found = await context.store.webhooks.get(game_id, hook_id)
    if found is None:
        raise NoSuchWebhook(hook_id)
    return found


def _validate(asked: RegisterWebhook, players: int) -> None:
    for index, seat in enumerate(asked.seats or ()):
        if seat >= players:
            raise Malformed(f"there are {players} players, so no seat {seat}", f"$.seats[{index}]")
    if asked.secret is not None and not is_secret(asked.secret):
        raise Malformed("a secret is whsec_ and 24 to 64 bytes in base64", "$.secret")


def _view(registered: StoredWebhook) -> Webhook:
    hook, state = registered
    return Webhook(
        id=hook.id,
        url=hook.url,
        events=hook.events,
        seats=hook.seats,
        created_at=hook.created_at,
        status=_status(state),
        disabled_reason=state.disabled_reason,
        delivered_version=state.delivered_version,
        failures=state.failures,
        next_attempt_at=None if state.next_attempt_at is None else timestamp(state.next_attempt_at),
    )


def _status(state: WebhookState) -> str:
    if state.disabled_reason is not None:
        return "disabled"
    return "active" if state.pending_client is None else "pending"


def _view_attempts(game_id: str, hook_id: str, tried: Sequence[DeliveryAttempt]) -> list[Attempt]:
    return [
        Attempt(id=_message_id(game_id, hook_id, one), delivered=one.error is None, **msgspec.structs.asdict(one))
        for one in tried
    ]


def _message_id(game_id: str, hook_id: str, tried: DeliveryAttempt) -> str:
    if tried.type == CHALLENGE_MESSAGE:
        return challenge_id(game_id, hook_id, unix_seconds(tried.at))
    return message_id(game_id, tried.version, hook_id)
