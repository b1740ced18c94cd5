"""Register, read, retry and delete a game's webhooks.

The owner sees and changes all, a seat's token those that it has registered. They end with the token. What the game
receives as one of an API key's games is neither shown nor changed here.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

import msgspec

from schemas.webhooks import Attempt, Deliveries, RegisterWebhook, Webhook, WebhookCreated, Webhooks
from service.games import repository
from service.games.access import AccessRecord, Principal, authorize_owner_or_player
from service.games.cache import GameSession
from service.games.commands.execute import Command, execute
from service.games.commands.game_setup import derive_game_id, random_game_id
from service.games.context import Context
from service.games.errors import Malformed, NoSuchGame, NoSuchWebhook, TooManyWebhooks
from service.games.idempotency import (
    FirstResponse,
    IdempotencyScope,
    ReplayableResult,
    Replayed,
    idempotency_scope,
    new_record,
)
from service.games.timestamps import timestamp, unix_seconds
from service.games.webhooks.payloads import challenge_id, generate_secret, message_id, ping_id
from service.games.webhooks.port import (
    Added,
    DeliveryAttempt,
    ExpectedWebhooks,
    LeaseTaken,
    LimitReached,
    StoredWebhook,
    WebhookNotFound,
    WebhookRegistration,
    WebhooksChanged,
    WebhookState,
)
from service.games.webhooks.updates import MAX_OF_GAME, change_webhook, restart

MAX_SEAT_WEBHOOKS = 2
"""Maximum number of webhooks of a seat: one of its player's app, and one to move to."""


class WebhookRequest(NamedTuple):
    """A request to register a webhook."""

    body: RegisterWebhook
    token: str | None
    idempotency_key: str | None
    max_webhooks: int
    """Maximum number of webhooks of a game's owner."""
    client_hash: str = ""
    """Hash of the client's address, by which challenges are limited."""


async def register_webhook(context: Context, game_id: str, request: WebhookRequest) -> ReplayableResult[WebhookCreated]:
    """Register a webhook, which receives later changes once its server has answered a challenge.

    The caller must have checked the URL. Raises TooManyWebhooks, Malformed, NoSuchWebhook (a retry of the request after
    the webhook was deleted), and what `authorize_owner_or_player` raises.
    """
    return await execute(RegisterCommand(context, game_id, request))


class RegisterCommand(Command[ReplayableResult[WebhookCreated]]):
    """A request to register a webhook, of the owner or a player."""

    def __init__(self, context: Context, game_id: str, request: WebhookRequest) -> None:
        path = f"/v1/games/{game_id}/webhooks"
        scope = idempotency_scope(request.idempotency_key, path, request.token, request.body)
        super().__init__(context, game_id, scope=scope)
        self._request = request

    def authorize(self, access: AccessRecord) -> Principal:
        """Return the owner or a player."""
        return authorize_owner_or_player(access, self.game_id, self._request.token)

    async def attempt(self, session: GameSession, principal: Principal) -> ReplayableResult[WebhookCreated] | None:
        """Add the webhook; return None if another registration was first, or a token has been revoked."""
        context, request, version = self.context, self._request, session.game.version
        body, webhooks = request.body, context.store.webhooks
        _validate(body, len(session.game.players))
        expected = ExpectedWebhooks((), "")
        if session.revision is not None:
            expected = ExpectedWebhooks(session.revision.webhooks, session.revision.last_revocation)
        max_webhooks = request.max_webhooks if principal.seat is None else MAX_SEAT_WEBHOOKS
        if expected.ids and await self._count_own(principal) >= max_webhooks:
            raise TooManyWebhooks(max_webhooks)
        webhook_id, number = new_webhook_id(self.scope, expected.ids)
        webhook = WebhookRegistration(
            webhook_id,
            body.url,
            body.events,
            body.seats,
            body.secret or generate_secret(),
            context.now(),
            seat=principal.seat,
        )
        state = WebhookState(version, pending_client=request.client_hash)
        record = new_record(self.scope, context.clock(), version, number)
        match await webhooks.add(
            self.game_id, webhook, state, max_webhooks=MAX_OF_GAME, record=record, expected=expected
        ):
            case Added():
                return ReplayableResult(_view_created(StoredWebhook(webhook, state)), version)
            case LimitReached():
                raise TooManyWebhooks(MAX_OF_GAME)
            case WebhookNotFound():
                raise NoSuchGame(self.game_id)
            case Replayed() | WebhooksChanged():
                return None

    async def _count_own(self, principal: Principal) -> int:
        """Return how many webhooks this owner or seat has registered."""
        stored = await self.context.store.webhooks.list_by_subject(self.game_id)
        return sum(one.registration.api_key is None and one.registration.seat == principal.seat for one in stored)

    async def replay(self, session: GameSession, first: FirstResponse) -> ReplayableResult[WebhookCreated]:
        """Return the same webhook, with its secret."""
        webhook_id = make_webhook_id(self.scope, first.detail)
        stored = await _load_stored(self.context, session.game.id, webhook_id, self._request.token)
        return ReplayableResult(_view_created(stored), first.version, replayed=True)


def new_webhook_id(scope: IdempotencyScope | None, existing: Sequence[str]) -> tuple[str, int]:
    """Return an unused id and its number."""
    numbered = ((make_webhook_id(scope, number), number) for number in count())
    return next((webhook_id, number) for webhook_id, number in numbered if webhook_id not in existing)


def make_webhook_id(scope: IdempotencyScope | None, number: int) -> str:
    """Return an id derived from the idempotency key, so that a retry finds it, or a random one without a key."""
    return random_game_id() if scope is None else derive_game_id(f"webhook.{scope.key_hash}", number)


def _view_created(stored: StoredWebhook) -> WebhookCreated:
    fields = msgspec.structs.asdict(_view(stored))
    return WebhookCreated(**fields, secret=stored.registration.secret)


async def list_webhooks(context: Context, game_id: str, token: str | None) -> Webhooks:
    """Return the webhooks of a game that a token sees."""
    principal = await _authorize(context, game_id, token)
    stored = await context.store.webhooks.list_by_subject(game_id)
    return Webhooks(webhooks=[_view(one) for one in stored if _sees(principal, one)])


async def load_webhook(context: Context, game_id: str, webhook_id: str, token: str | None) -> Webhook:
    """Return a webhook. Raises NoSuchWebhook."""
    return _view(await _load_stored(context, game_id, webhook_id, token))


async def delete_webhook(context: Context, game_id: str, webhook_id: str, token: str | None) -> None:
    """Delete a webhook, after which nothing more is sent to it. Raises NoSuchWebhook."""
    await _load_stored(context, game_id, webhook_id, token)
    if not await context.store.webhooks.remove(game_id, webhook_id):
        raise NoSuchWebhook(webhook_id)


async def retry_webhook(
    context: Context, game_id: str, webhook_id: str, token: str | None, idempotency_key: str | None
) -> ReplayableResult[Webhook]:
    """Reset a webhook's failures and deliver now, even if it was disabled. Raises NoSuchWebhook, IdempotencyKeyReused.

    Retried challenges stay within the rate limits of challenges.
    """
    await _load_stored(context, game_id, webhook_id, token)
    scope = idempotency_scope(idempotency_key, f"/v1/games/{game_id}/webhooks/{webhook_id}/retry", token, None)
    # A webhook whose lease is taken is being delivered to.
    outcome = await change_webhook(context.store.webhooks, game_id, webhook_id, int(context.clock()), restart, scope)
    match outcome:
        case WebhookNotFound():
            raise NoSuchWebhook(webhook_id)
        case StoredWebhook():
            context.on_webhooks_due(game_id, [webhook_id])
        case LeaseTaken() | Replayed():
            pass
    retried = _view(await _load_stored(context, game_id, webhook_id, token))
    return ReplayableResult(retried, 0, replayed=isinstance(outcome, Replayed))


async def list_deliveries(context: Context, game_id: str, webhook_id: str, token: str | None) -> Deliveries:
    """Return the latest attempts. Raises NoSuchWebhook."""
    stored = await _load_stored(context, game_id, webhook_id, token)
    attempts = await context.store.webhooks.list_attempts(game_id, webhook_id)
    return Deliveries(webhook=_view(stored), attempts=_view_attempts(game_id, webhook_id, attempts))


async def _authorize(context: Context, game_id: str, token: str | None) -> Principal:
    """Return the owner or a player."""
    _, access = await repository.load_game(context, game_id)
    return authorize_owner_or_player(access, game_id, token)


async def _load_stored(context: Context, game_id: str, webhook_id: str, token: str | None) -> StoredWebhook:
    """Return a webhook that a token sees. Raises NoSuchWebhook, and what `authorize_owner_or_player` does."""
    principal = await _authorize(context, game_id, token)
    stored = await context.store.webhooks.get(game_id, webhook_id)
    if stored is None or not _sees(principal, stored):
        raise NoSuchWebhook(webhook_id)
    return stored


def _sees(principal: Principal, stored: StoredWebhook) -> bool:
    """Return whether the owner, or a seat's token, sees a webhook."""
    return stored.registration.api_key is None and principal.seat in (None, stored.registration.seat)


def _validate(body: RegisterWebhook, players: int) -> None:
    for index, seat in enumerate(body.seats or ()):
        if seat >= players:
            raise Malformed(f"there are {players} players, so no seat {seat}", f"$.seats[{index}]")


def _view(stored: StoredWebhook) -> Webhook:
    webhook, state = stored
    return Webhook(
        id=webhook.id,
        url=webhook.url,
        events=webhook.events,
        seats=webhook.seats,
        registered_by=webhook.seat,
        created_at=webhook.created_at,
        status=view_status(state),
        disabled_reason=state.disabled_reason,
        delivered_version=state.delivered_version,
        failures=state.failures,
        next_attempt_at=None if state.next_attempt_at is None else timestamp(state.next_attempt_at),
    )


def view_status(state: WebhookState) -> str:
    """Return a webhook's status, as the API shows it."""
    if state.disabled_reason is not None:
        return "disabled"
    return "active" if state.is_active else "pending"


def _view_attempts(game_id: str, webhook_id: str, attempts: Sequence[DeliveryAttempt]) -> list[Attempt]:
    return [Attempt(**view_attempt(game_id, webhook_id, one)) for one in attempts]


def view_attempt(subject: str, webhook_id: str, attempt: DeliveryAttempt) -> dict[str, Any]:
    """Return the fields of a delivery attempt that every list of deliveries shows."""
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
