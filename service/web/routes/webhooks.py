"""`/v1/games/{id}/webhooks` and `/v1/keys/me/webhooks`: the webhooks of a game, and those of an API key.

The operations on webhooks: what a request for one is, of a game or of an API key, and the routes of both.
"""

from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from typing import Annotated, Any, TypeAlias

from aiohttp import web
from msgspec import Meta

from schemas.vocabulary import ID
from schemas.webhooks import (
    ChangeKeyWebhook,
    Deliveries,
    KeyDeliveries,
    KeyWebhook,
    KeyWebhookCreated,
    KeyWebhooks,
    RegisterKeyWebhook,
    RegisterWebhook,
    RotatedSecret,
    RotateSecret,
    Webhook,
    WebhookCreated,
    Webhooks,
)
from service.games.api_key import ApiKey
from service.games.commands import webhooks
from service.games.idempotency import ReplayableResult
from service.games.webhook_owner import Owner, owner_by_key, owner_by_token
from service.web.app import CONTEXT, LIMITS, HttpRequest
from service.web.common_headers import WholeResponse
from service.web.connection import get_connection
from service.web.headers import API_KEY_HEADER, IdempotencyKey, SecretIdempotencyKey, add_vary
from service.web.outbound import check_url
from service.web.responses import cacheable_response, json_response, mark_replayed
from service.web.routes.service import KeyRead
from service.web.routing import GameCommand, Handler, Route, TypedRequest

GAME_WEBHOOKS = "/v1/games/{id}/webhooks"
KEY_WEBHOOKS = "/v1/keys/me/webhooks"

HookId = Annotated[str, Meta(pattern=f"^{ID}$", description="A webhook's id.", examples=["w4k8x1m7q2zc"])]


class OfGame(GameCommand, frozen=True, kw_only=True):
    """A request about the webhooks of a game."""

    def owner(self, request: HttpRequest) -> Owner:
        """Return whose webhooks they are."""
        return owner_by_token(self.id, self.token, request.app[LIMITS].max_webhooks)


class OfKey(KeyRead, frozen=True, kw_only=True):
    """A request about the webhooks of an API key."""

    def owner(self, request: HttpRequest) -> Owner:
        """Return whose webhooks they are."""
        return owner_by_key(self.api_key.name, request.app[LIMITS].max_webhooks)


class Registration(OfGame, frozen=True, kw_only=True):
    """A request for a webhook of a game."""

    api_key: ApiKey | None
    body: RegisterWebhook
    idempotency_key: IdempotencyKey = None


class KeyRegistration(OfKey, frozen=True, kw_only=True):
    """A request for a webhook of an API key."""

    body: RegisterKeyWebhook
    idempotency_key: IdempotencyKey = None


class OneOfGame(OfGame, frozen=True, kw_only=True):
    """A request about one webhook of a game."""

    hook: HookId


class CommandOfGame(OneOfGame, frozen=True, kw_only=True):
    """A command to a webhook of a game."""

    idempotency_key: IdempotencyKey = None


class OneOfKey(OfKey, frozen=True, kw_only=True):
    """A request about one webhook of an API key."""

    hook: HookId


class CommandOfKey(OneOfKey, frozen=True, kw_only=True):
    """A command to a webhook of an API key."""

    idempotency_key: IdempotencyKey = None


class Change(OneOfKey, frozen=True, kw_only=True):
    """A change of a webhook."""

    body: ChangeKeyWebhook


class Rotation(OneOfKey, frozen=True, kw_only=True):
    """A request for another secret of a webhook."""

    body: RotateSecret = RotateSecret()
    idempotency_key: SecretIdempotencyKey = None


RequestAndContent: TypeAlias = tuple[type[TypedRequest], Any]
"""What differs between owners: the type of the request and that of the response's body."""

GAME_ROUTES: list[Route] = []
KEY_ROUTES: list[Route] = []


def webhook_operation(  # noqa: PLR0913  as a route's
    method: str,
    suffix: str,
    operation_id: str,
    summary: str,
    result: str,
    *,
    of_key: RequestAndContent,
    of_game: RequestAndContent | None = None,
    problems: tuple[str, ...] = (),
    problems_of_key: tuple[str, ...] = (),
    **options: Any,
) -> Callable[[Handler], Handler]:
    """Declare an operation on the webhooks of an API key, and of a game; `{}` in its id stands for their kind."""

    def add(handler: Handler) -> Handler:
        shared = partial(Route, method, summary=summary, result=result, handler=handler, **options)
        key_request, key_content = of_key
        KEY_ROUTES.append(
            shared(
                path=KEY_WEBHOOKS + suffix,
                operation_id=operation_id.format("Key"),
                content=key_content,
                request_type=key_request,
                tag="API keys",
                problems=(*problems, *problems_of_key),
            )
        )
        if of_game is not None:
            game_request, game_content = of_game
            GAME_ROUTES.append(
                shared(
                    path=GAME_WEBHOOKS + suffix,
                    operation_id=operation_id.format(""),
                    content=game_content,
                    request_type=game_request,
                    tag="webhooks",
                    problems=("not_owner", *problems),
                )
            )
        return handler

    return add


CLIENT_DIGEST_BYTES = 8


def _check_url(request: HttpRequest, url: str) -> None:
    check_url(url, allow_private=request.app[LIMITS].webhooks_allow_private)


def _hash_address(request: HttpRequest) -> str:
    """Return the hash of the client's address, by which challenges are limited."""
    return blake2b(get_connection(request).charge.account.client.encode(), digest_size=CLIENT_DIGEST_BYTES).hexdigest()


def _respond(
    owner: Owner, result: ReplayableResult[Any], status: int = 200, *, secret: bool = False, location: str | None = None
) -> web.Response:
    """Return the response to a command; a `secret` one contains a secret (see `json_response`)."""
    response = json_response(result.response, status=status, private=True, secret=secret, location=location)
    return mark_replayed(_vary(owner, response), replayed=result.replayed)


def _cacheable(request: HttpRequest, owner: Owner, value: Any) -> web.Response:
    return _vary(owner, cacheable_response(request, value, private=True))


def _vary(owner: Owner, response: web.Response) -> web.Response:
    return response if owner.api_key is None else add_vary(response, API_KEY_HEADER)


@webhook_operation(
    "POST",
    "",
    "register{}Webhook",
    "Register a webhook",
    "The webhook and its secret.",
    of_key=(KeyRegistration, KeyWebhookCreated),
    of_game=(Registration, WebhookCreated),
    headers=("Location",),
    creates="entry",
    problems=("limit_reached", "url_refused"),
)
async def register_webhook(request: HttpRequest, params: Registration | KeyRegistration) -> web.Response:
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
    owner = params.owner(request)
    _check_url(request, params.body.url)
    registration = webhooks.RegistrationRequest(params.body, params.idempotency_key, _hash_address(request))
    created = await webhooks.register_webhook(request.app[CONTEXT], owner, registration)
    return _respond(owner, created, 201, secret=True, location=f"{owner.path}/{created.response.id}")


@webhook_operation(
    "GET",
    "",
    "list{}Webhooks",
    "List the webhooks",
    "The webhooks, oldest first.",
    of_key=(OfKey, KeyWebhooks),
    of_game=(OfGame, Webhooks),
)
async def list_webhooks(request: HttpRequest, params: OfGame | OfKey) -> web.Response:
    """List the webhooks, without their secrets; with a seat token, only those that it has registered."""
    owner = params.owner(request)
    return _cacheable(request, owner, await webhooks.list_webhooks(request.app[CONTEXT], owner))


@webhook_operation(
    "GET",
    "/{hook}",
    "read{}Webhook",
    "Read a webhook",
    "The webhook.",
    of_key=(OneOfKey, KeyWebhook),
    of_game=(OneOfGame, Webhook),
)
async def read_webhook(request: HttpRequest, params: OneOfGame | OneOfKey) -> web.Response:
    """Return one webhook with its status and, in a game, its delivery progress."""
    owner = params.owner(request)
    return _cacheable(request, owner, await webhooks.load_webhook(request.app[CONTEXT], owner, params.hook))


@webhook_operation(
    "PATCH",
    "/{hook}",
    "change{}Webhook",
    "Change a webhook",
    "The changed webhook.",
    of_key=(Change, KeyWebhook),
    headers=(),
    problems=("conflict", "url_refused"),
)
async def change_webhook(request: HttpRequest, params: Change) -> web.Response:
    """Change the URL or the events of a webhook; what is not given stays.

    The server of another URL must answer a challenge first: the webhook is `pending`, and messages wait meanwhile.
    """
    body, owner = params.body, params.owner(request)
    if body.url is not None:
        _check_url(request, body.url)
    changed = await webhooks.change_webhook(request.app[CONTEXT], owner, params.hook, body, _hash_address(request))
    return _respond(owner, ReplayableResult(changed, 0))


@webhook_operation(
    "DELETE",
    "/{hook}",
    "delete{}Webhook",
    "Delete a webhook",
    "The webhook is deleted.",
    of_key=(OneOfKey, None),
    of_game=(OneOfGame, None),
    headers=(),
)
async def delete_webhook(request: HttpRequest, params: OneOfGame | OneOfKey) -> web.Response:
    """Delete a webhook and its delivery log; deliveries in progress may still arrive."""
    await webhooks.delete_webhook(request.app[CONTEXT], params.owner(request), params.hook)
    return WholeResponse(status=204)


@webhook_operation(
    "POST",
    "/{hook}/ping",
    "ping{}Webhook",
    "Send a test message",
    "The webhook; the ping is sent at once.",
    of_key=(CommandOfKey, KeyWebhook),
    status=202,
    headers=(),
    problems=("conflict",),
)
async def ping_webhook(request: HttpRequest, params: CommandOfKey) -> web.Response:
    """Send a message of the type `ping` to an active webhook, signed as all others, once.

    The outcome is in the list of deliveries within seconds; a failure has no consequence. A webhook that is pending or
    disabled is sent nothing: the problem is `conflict`.
    """
    owner = params.owner(request)
    pinged = await webhooks.ping_webhook(request.app[CONTEXT], owner, params.hook, params.idempotency_key)
    return _respond(owner, pinged, 202)


@webhook_operation(
    "POST",
    "/{hook}/rotate-secret",
    "rotate{}WebhookSecret",
    "Rotate a signing secret",
    "The new secret.",
    of_key=(Rotation, RotatedSecret),
    headers=(),
    problems=("conflict",),
)
async def rotate_secret(request: HttpRequest, params: Rotation) -> web.Response:
    """Give a webhook a new signing secret, random or your own.

    Until the grace period ends, every message has a signature of each secret in `webhook-signature`, separated by a
    space. So the receiver can change over at any time. A second rotation ends the oldest secret at once; a retry with
    the same `Idempotency-Key` is none, and returns the same secret.
    """
    owner, key = params.owner(request), params.idempotency_key
    rotated = await webhooks.rotate_secret(request.app[CONTEXT], owner, params.hook, key, params.body)
    return _respond(owner, rotated, secret=True)


@webhook_operation(
    "POST",
    "/{hook}/retry",
    "retry{}Webhook",
    "Retry a webhook now",
    "The webhook, its failures reset.",
    of_key=(CommandOfKey, KeyWebhook),
    of_game=(CommandOfGame, Webhook),
    headers=(),
    problems_of_key=("conflict",),
)
async def retry_webhook(request: HttpRequest, params: CommandOfGame | CommandOfKey) -> web.Response:
    """Try a webhook again now, for example when its server works again, and enable a disabled one.

    One that never passed its challenge becomes `pending` and receives a new one. A game's webhook receives all that
    waits for it, in order. An API key's webhook receives what waits of a game with that game's next change; before
    that, `GET /v1/games/{id}/diffs` has it.
    """
    owner = params.owner(request)
    retried = await webhooks.retry_webhook(request.app[CONTEXT], owner, params.hook, params.idempotency_key)
    return _respond(owner, retried)


@webhook_operation(
    "GET",
    "/{hook}/deliveries",
    "list{}Deliveries",
    "List a webhook's deliveries",
    "The latest delivery attempts, newest first.",
    of_key=(OneOfKey, KeyDeliveries),
    of_game=(OneOfGame, Deliveries),
)
async def list_deliveries(request: HttpRequest, params: OneOfGame | OneOfKey) -> web.Response:
    """List the latest 100 delivery attempts with their responses."""
    owner = params.owner(request)
    return _cacheable(request, owner, await webhooks.list_deliveries(request.app[CONTEXT], owner, params.hook))
