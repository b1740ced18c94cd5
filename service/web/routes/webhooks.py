"""`/v1/games/{id}/webhooks` and `/v1/keys/me/webhooks`: the webhooks of a game, and those of an API key.

Each operation is declared once, for API keys, which have all; `_of_game` says what differs for games.
"""

from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import Annotated, Any, cast

import msgspec
from aiohttp import web
from msgspec import Meta

from schemas import webhooks as hooks
from schemas.vocabulary import ID
from service.games.access import subject_of_key
from service.games.api_key import ApiKey
from service.games.commands import webhooks
from service.games.idempotency import ReplayableResult
from service.games.ports import StoredWebhook
from service.games.webhook_owner import Owner, view_attempt, view_webhook
from service.web.app import CONTEXT, LIMITS, HttpRequest
from service.web.connection import get_connection
from service.web.headers import API_KEY_HEADER, IdempotencyKey, SecretIdempotencyKey, add_vary
from service.web.outbound import check_url
from service.web.response_heads import WholeResponse
from service.web.responses import cacheable_response, json_response, mark_replayed
from service.web.routes.service import KeyRead
from service.web.routing import GAME_PATH, GameCommand, Route, TypedRequest

WEBHOOKS = "/v1/keys/me/webhooks"
WEBHOOK = WEBHOOKS + "/{hook}"

HookId = Annotated[str, Meta(pattern=f"^{ID}$", description="A webhook's id.", examples=["w4k8x1m7q2zc"])]

CLIENT_DIGEST_BYTES = 8


GAME_TYPES: dict[Any, type] = {
    hooks.RegisterKeyWebhook: hooks.RegisterWebhook,
    hooks.KeyWebhook: hooks.Webhook,
    hooks.KeyWebhookCreated: hooks.WebhookCreated,
    hooks.KeyWebhooks: hooks.Webhooks,
    hooks.KeyDeliveries: hooks.Deliveries,
}
"""The types of bodies that a game's webhooks have instead of an API key's."""


class OfGame(GameCommand, frozen=True, kw_only=True):
    """A request about the webhooks of a game; `_of_game` adds what that of an API key has."""

    def owner(self, request: HttpRequest) -> Owner:
        """Return whose webhooks they are, and who asks."""
        return Owner(self.id, request.app[LIMITS].max_webhooks, self.token, _hash_address(request))


class OfKey(KeyRead, frozen=True, kw_only=True):
    """A request about the webhooks of an API key."""

    def owner(self, request: HttpRequest) -> Owner:
        """Return whose webhooks they are, and who asks."""
        subject = subject_of_key(self.api_key.name)
        return Owner(subject, request.app[LIMITS].max_webhooks, None, _hash_address(request))


class Registration(OfKey, frozen=True, kw_only=True):
    """A request for a webhook."""

    body: hooks.RegisterKeyWebhook
    idempotency_key: IdempotencyKey = None


class OneWebhook(OfKey, frozen=True, kw_only=True):
    """A request about one webhook."""

    hook: HookId


class Command(OneWebhook, frozen=True, kw_only=True):
    """A command to a webhook."""

    idempotency_key: IdempotencyKey = None


class Change(OneWebhook, frozen=True, kw_only=True):
    """A change of a webhook."""

    body: hooks.ChangeKeyWebhook


class Rotation(OneWebhook, frozen=True, kw_only=True):
    """A request for another secret of a webhook."""

    body: hooks.RotateSecret = hooks.RotateSecret()
    idempotency_key: SecretIdempotencyKey = None


def _of_game(route: Route) -> Route:
    """Return the route of a game that does what one of an API key does; no lease makes it wait."""
    declared = cast("type[OfKey]", route.request_type)
    fields: list[Any] = [
        (field.name, GAME_TYPES.get(field.type, field.type), field.default)
        for field in msgspec.structs.fields(declared)
        if field.name not in OfKey.__struct_fields__
    ]
    if route.creates is not None:
        fields.append(("api_key", ApiKey | None))
    request_type = msgspec.defstruct(declared.__name__, fields, bases=(OfGame,), frozen=True, kw_only=True)
    return replace(
        route,
        path=route.path.replace("/v1/keys/me", GAME_PATH),
        operation_id=route.operation_id.replace("Key", ""),
        content=GAME_TYPES.get(route.content),
        tag="webhooks",
        problems=("not_owner", *(problem for problem in route.problems if problem != "conflict")),
        request_type=cast("type[TypedRequest]", request_type),
    )


def _check_url(request: HttpRequest, url: str) -> None:
    check_url(url, allow_private=request.app[LIMITS].webhooks_allow_private)


def _hash_address(request: HttpRequest) -> str:
    """Return the hash of the client's address, by which challenges are limited."""
    return blake2b(get_connection(request).charge.account.client.encode(), digest_size=CLIENT_DIGEST_BYTES).hexdigest()


def _respond(
    request: HttpRequest,
    owner: Owner,
    result: ReplayableResult[StoredWebhook],
    content: type = hooks.KeyWebhook,
    **options: Any,
) -> web.Response:
    """Return the response to a command; for the options see `json_response`."""
    value = _convert(owner, content, _view(request, result.response))
    return mark_replayed(_vary(owner, json_response(value, private=True, **options)), replayed=result.replayed)


def _cacheable(request: HttpRequest, owner: Owner, content: type, value: dict[str, Any]) -> web.Response:
    return _vary(owner, cacheable_response(request, _convert(owner, content, value), private=True))


def _view(request: HttpRequest, stored: StoredWebhook) -> dict[str, Any]:
    return view_webhook(stored, request.app[CONTEXT].clock())


def _convert(owner: Owner, content: type, value: dict[str, Any]) -> Any:
    """Return the body of a response, which shows what its type has."""
    return msgspec.convert(value, content if owner.is_key else GAME_TYPES[content])


def _vary(owner: Owner, response: web.Response) -> web.Response:
    return add_vary(response, API_KEY_HEADER) if owner.is_key else response


key_route = partial(Route, tag="API keys")
key_read = partial(key_route, "GET")
key_command = partial(key_route, "POST", headers=(), problems=("conflict",))


@key_route(
    "POST",
    WEBHOOKS,
    "Register a webhook",
    hooks.KeyWebhookCreated,
    "The webhook and its secret.",
    headers=("Location",),
    creates="entry",
    problems=("limit_reached", "url_refused"),
)
async def register_key_webhook(request: HttpRequest, params: Registration) -> web.Response:
    """Register a URL that receives later changes as POST requests, signed as Standard Webhooks define.

    Those of a game: its owner may, and every player with the seat's token, for at most 2 webhooks: they end when the
    token is replaced, or the player leaves. Or those of an API key: of all games that are created with it from now on.

    The service first sends a challenge, signed in the same way; the server must respond with 2xx and
    `{"challenge": ...}`, repeating it. Until then the webhook is `pending` and messages wait. A challenge is sent up to
    5 times within 15 minutes; `game` is null in that of an API key.

    Messages of one game are delivered at least once and in the order of the versions, those of different games in any
    order; retries have the same `webhook-id`. Without a 2xx response before the time-out, delivery is retried for about
    a day, then the webhook is disabled; a 410 response disables it at once. Redirects are not followed, and only public
    addresses are allowed. The secret is returned only here. With an `Api-Key`, the request counts against the key's
    quotas.
    """
    _check_url(request, params.body.url)
    context, owner = request.app[CONTEXT], params.owner(request)
    created = await webhooks.register_webhook(context, owner, params.body, params.idempotency_key)
    location = f"{request.path}/{created.response.registration.id}"
    return _respond(request, owner, created, hooks.KeyWebhookCreated, status=201, secret=True, location=location)


@key_read(WEBHOOKS, "List the webhooks", hooks.KeyWebhooks, "The webhooks, oldest first.")
async def list_key_webhooks(request: HttpRequest, params: OfKey) -> web.Response:
    """List the webhooks, without their secrets; with a seat token, only those that it has registered."""
    owner = params.owner(request)
    shown = [_view(request, stored) for stored in await webhooks.list_webhooks(request.app[CONTEXT], owner)]
    return _cacheable(request, owner, hooks.KeyWebhooks, {"webhooks": shown})


@key_read(WEBHOOK, "Read a webhook", hooks.KeyWebhook, "The webhook.")
async def read_key_webhook(request: HttpRequest, params: OneWebhook) -> web.Response:
    """Return one webhook with its status and, in a game, its delivery progress."""
    owner = params.owner(request)
    stored = await webhooks.load_webhook(request.app[CONTEXT], owner, params.hook)
    return _cacheable(request, owner, hooks.KeyWebhook, _view(request, stored))


@key_route(
    "PATCH",
    WEBHOOK,
    "Change a webhook",
    hooks.KeyWebhook,
    "The changed webhook.",
    headers=(),
    problems=("conflict", "url_refused"),
)
async def change_key_webhook(request: HttpRequest, params: Change) -> web.Response:
    """Change the URL or the events of a webhook; what is not given stays.

    The server of another URL must answer a challenge first: the webhook is `pending`, and messages wait meanwhile.
    """
    owner = params.owner(request)
    if params.body.url is not None:
        _check_url(request, params.body.url)
    changed = await webhooks.change_webhook(request.app[CONTEXT], owner, params.hook, params.body)
    return _respond(request, owner, changed)


@key_route("DELETE", WEBHOOK, "Delete a webhook", None, "The webhook is deleted.", headers=())
async def delete_key_webhook(request: HttpRequest, params: OneWebhook) -> web.Response:
    """Delete a webhook and its delivery log; deliveries in progress may still arrive."""
    await webhooks.delete_webhook(request.app[CONTEXT], params.owner(request), params.hook)
    return WholeResponse(status=204)


@key_command(
    WEBHOOK + "/ping", "Send a test message", hooks.KeyWebhook, "The webhook; the ping is sent at once.", status=202
)
async def ping_key_webhook(request: HttpRequest, params: Command) -> web.Response:
    """Send a message of the type `ping` to an active webhook, signed as all others, once.

    The outcome is in the list of deliveries within seconds; a failure has no consequence. A webhook that is pending or
    disabled is sent nothing: the problem is `conflict`.
    """
    owner = params.owner(request)
    pinged = await webhooks.ping_webhook(request.app[CONTEXT], owner, params.hook, params.idempotency_key)
    return _respond(request, owner, pinged, status=202)


@key_command(WEBHOOK + "/rotate-secret", "Rotate a signing secret", hooks.RotatedSecret, "The new secret.")
async def rotate_key_webhook_secret(request: HttpRequest, params: Rotation) -> web.Response:
    """Give a webhook a new signing secret, random or your own.

    Until the grace period ends, every message has a signature of each secret in `webhook-signature`, separated by a
    space. So the receiver can change over at any time. A second rotation ends the oldest secret at once; a retry with
    the same `Idempotency-Key` is none, and returns the same secret.
    """
    owner, key = params.owner(request), params.idempotency_key
    rotated = await webhooks.rotate_secret(request.app[CONTEXT], owner, params.hook, key, params.body)
    return _respond(request, owner, rotated, hooks.RotatedSecret, secret=True)


@key_command(WEBHOOK + "/retry", "Retry a webhook now", hooks.KeyWebhook, "The webhook, its failures reset.")
async def retry_key_webhook(request: HttpRequest, params: Command) -> web.Response:
    """Try a webhook again now, for example when its server works again, and enable a disabled one.

    One that never passed its challenge becomes `pending` and receives a new one. A game's webhook receives all that
    waits for it, in order. An API key's webhook receives what waits of a game with that game's next change; before
    that, `GET /v1/games/{id}/diffs` has it.
    """
    owner = params.owner(request)
    retried = await webhooks.retry_webhook(request.app[CONTEXT], owner, params.hook, params.idempotency_key)
    return _respond(request, owner, retried)


@key_read(
    WEBHOOK + "/deliveries",
    "List a webhook's deliveries",
    hooks.KeyDeliveries,
    "The latest delivery attempts, newest first.",
)
async def list_key_deliveries(request: HttpRequest, params: OneWebhook) -> web.Response:
    """List the latest 100 delivery attempts with their responses."""
    owner = params.owner(request)
    stored, attempts = await webhooks.list_deliveries(request.app[CONTEXT], owner, params.hook)
    shown = [view_attempt(owner.subject, params.hook, one) for one in attempts]
    return _cacheable(request, owner, hooks.KeyDeliveries, {"webhook": _view(request, stored), "attempts": shown})


KEY_ROUTES = (
    register_key_webhook,
    list_key_webhooks,
    read_key_webhook,
    change_key_webhook,
    delete_key_webhook,
    ping_key_webhook,
    rotate_key_webhook_secret,
    retry_key_webhook,
    list_key_deliveries,
)
_OF_KEYS_ALONE = (change_key_webhook, ping_key_webhook, rotate_key_webhook_secret)
"""A game's webhooks cannot be changed or pinged, and their secrets are not rotated."""
GAME_ROUTES = tuple(_of_game(route) for route in KEY_ROUTES if route not in _OF_KEYS_ALONE)
