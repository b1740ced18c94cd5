"""`/v1/keys/me/webhooks`: the webhooks of an API key, which receive the changes of all its games."""

from functools import partial
from typing import Any

import msgspec
from aiohttp import web

from schemas.webhooks import (
    ChangeKeyWebhook,
    KeyDeliveries,
    KeyWebhook,
    KeyWebhookCreated,
    KeyWebhooks,
    RegisterKeyWebhook,
    ReplayMessages,
    RotatedSecret,
    RotateSecret,
)
from service.games.context import Context
from service.games.idempotency import ReplayableResult
from service.games.webhooks import key_registration
from service.web.api_keys import cacheable_key_response, key_response, require_api_key
from service.web.app_keys import CONTEXT, LIMITS
from service.web.outbound.ssrf import check_url
from service.web.parsing import parse_idempotency_key, read_body, read_optional_body
from service.web.responses import mark_replayed
from service.web.routes.webhooks import hash_address
from service.web.routing import WEBHOOK_ID, ResponseSpec, Route

REGISTER_DECODER = msgspec.json.Decoder(RegisterKeyWebhook)
CHANGE_DECODER = msgspec.json.Decoder(ChangeKeyWebhook)
REPLAY_DECODER = msgspec.json.Decoder(ReplayMessages)
ROTATE_DECODER = msgspec.json.Decoder(RotateSecret)

WEBHOOKS_PATH = "/v1/keys/me/webhooks"
WEBHOOK_PATH = WEBHOOKS_PATH + "/" + WEBHOOK_ID

key_route = partial(Route, tag="API keys", access="key")
webhook_route = partial(key_route, problems=("not_found",))
command_route = partial(key_route, "POST", problems=("not_found", "conflict", "key_reused"))


async def _webhook_arguments(request: web.Request) -> tuple[Context, str, str]:
    """Return what every function for one webhook takes: the context, the key's name and the webhook's id."""
    key = await require_api_key(request)
    return request.app[CONTEXT], key.name, request.match_info["hook"]


async def _command_arguments(request: web.Request) -> tuple[Context, str, str, str | None]:
    """Return what every command for one webhook takes: these arguments, and the idempotency key."""
    return *await _webhook_arguments(request), parse_idempotency_key(request)


def _command_response(result: ReplayableResult[Any], *, status: int = 200, secret: bool = False) -> web.Response:
    """Return the response to a command; a `secret` one contains a secret (see `json_response`)."""
    return mark_replayed(key_response(result.response, status=status, secret=secret), replayed=result.replayed)


@key_route(
    "POST",
    WEBHOOKS_PATH,
    operation_id="registerKeyWebhook",
    summary="Register a webhook for all games",
    body=REGISTER_DECODER,
    headers=("Idempotency-Key",),
    responses=(
        ResponseSpec(
            201,
            "The webhook and its secret.",
            KeyWebhookCreated,
            ("Location", "Idempotent-Replayed"),
            examples=("key_webhook_created",),
        ),
    ),
    problems=("limit_reached", "key_reused", "url_refused"),
    examples=("webhook", "key_webhook"),
)
async def register_key_webhook(request: web.Request) -> web.Response:
    """Register a URL that receives the changes of all games of the API key, as a game's webhook does of one game.

    Games that are created from now on are reported from their first version, games that are in play from their next
    change. The server must answer a challenge first; `game` is null in it. Messages of one game arrive in the order of
    the versions, those of different games in any order.
    """
    key = await require_api_key(request)
    body = await read_body(request, REGISTER_DECODER)
    limits = request.app[LIMITS]
    check_url(body.url, allow_private=limits.webhooks_allow_private)
    registration = key_registration.KeyWebhookRequest(
        body, key.name, parse_idempotency_key(request), limits.max_webhooks, hash_address(request)
    )
    created, _, replayed = await key_registration.register_key_webhook(request.app[CONTEXT], registration)
    response = key_response(created, status=201, secret=True, location=f"{WEBHOOKS_PATH}/{created.id}")
    return mark_replayed(response, replayed=replayed)


@key_route(
    "GET",
    WEBHOOKS_PATH,
    operation_id="listKeyWebhooks",
    summary="List the API key's webhooks",
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(200, "The webhooks of the key, oldest first.", KeyWebhooks, ("ETag",)),
        ResponseSpec(304, "The webhooks have not changed.", headers=("ETag",)),
    ),
)
async def list_key_webhooks(request: web.Request) -> web.Response:
    """List the webhooks of the API key, without their secrets."""
    key = await require_api_key(request)
    return cacheable_key_response(request, await key_registration.list_key_webhooks(request.app[CONTEXT], key.name))


@webhook_route(
    "GET",
    WEBHOOK_PATH,
    operation_id="readKeyWebhook",
    summary="Read an API key's webhook",
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(200, "The webhook.", KeyWebhook, ("ETag",)),
        ResponseSpec(304, "The webhook has not changed.", headers=("ETag",)),
    ),
)
async def read_key_webhook(request: web.Request) -> web.Response:
    """Return one webhook with its status, and the number of games with messages that it missed."""
    webhook = await key_registration.load_key_webhook(*await _webhook_arguments(request))
    return cacheable_key_response(request, webhook)


@key_route(
    "PATCH",
    WEBHOOK_PATH,
    operation_id="changeKeyWebhook",
    summary="Change an API key's webhook",
    body=CHANGE_DECODER,
    responses=(ResponseSpec(200, "The changed webhook.", KeyWebhook),),
    problems=("not_found", "conflict", "url_refused"),
    examples=("change_key_webhook",),
)
async def change_key_webhook(request: web.Request) -> web.Response:
    """Change the URL or the events of a webhook; what is not given stays.

    The server of another URL must answer a challenge first: the webhook is `pending`, and messages wait meanwhile.
    """
    context, name, webhook_id = await _webhook_arguments(request)
    body = await read_body(request, CHANGE_DECODER)
    if body.url is not None:
        check_url(body.url, allow_private=request.app[LIMITS].webhooks_allow_private)
    changed = await key_registration.change_key_webhook(context, name, webhook_id, body, hash_address(request))
    return key_response(changed)


@webhook_route(
    "DELETE",
    WEBHOOK_PATH,
    operation_id="deleteKeyWebhook",
    summary="Delete an API key's webhook",
    responses=(ResponseSpec(204, "The webhook is deleted."),),
)
async def delete_key_webhook(request: web.Request) -> web.Response:
    """Delete a webhook and its delivery log; deliveries in progress may still arrive."""
    await key_registration.delete_key_webhook(*await _webhook_arguments(request))
    return web.Response(status=204)


@command_route(
    WEBHOOK_PATH + "/ping",
    operation_id="pingKeyWebhook",
    summary="Send a test message",
    headers=("Idempotency-Key",),
    responses=(ResponseSpec(202, "The webhook; the ping is sent at once.", KeyWebhook, ("Idempotent-Replayed",)),),
)
async def ping_key_webhook(request: web.Request) -> web.Response:
    """Send a message of the type `ping` to an active webhook, signed as all others, once.

    The outcome is in the list of deliveries within seconds; a failure has no consequence. A webhook that is pending or
    disabled is sent nothing: the problem is `conflict`.
    """
    pinged = await key_registration.ping_key_webhook(*await _command_arguments(request))
    return _command_response(pinged, status=202)


@command_route(
    WEBHOOK_PATH + "/rotate-secret",
    operation_id="rotateKeyWebhookSecret",
    summary="Rotate a signing secret",
    body=ROTATE_DECODER,
    is_body_optional=True,
    headers=("Idempotency-Key-secret",),
    responses=(ResponseSpec(200, "The new secret.", RotatedSecret, ("Idempotent-Replayed",)),),
)
async def rotate_key_webhook_secret(request: web.Request) -> web.Response:
    """Give a webhook a new signing secret, random or your own.

    Until the grace period ends, every message has a signature of each secret in `webhook-signature`, separated by a
    space. So the receiver can change over at any time. A second rotation ends the oldest secret at once; a retry with
    the same `Idempotency-Key` is none, and returns the same secret.
    """
    arguments = await _command_arguments(request)
    body = await read_optional_body(request, ROTATE_DECODER)
    return _command_response(await key_registration.rotate_secret(*arguments, body), secret=True)


@command_route(
    WEBHOOK_PATH + "/retry",
    operation_id="retryKeyWebhook",
    summary="Deliver missed messages",
    headers=("Idempotency-Key",),
    responses=(ResponseSpec(200, "The webhook, its failures reset.", KeyWebhook, ("Idempotent-Replayed",)),),
)
async def retry_key_webhook(request: web.Request) -> web.Response:
    """Deliver now everything that the webhook missed, of all games, each in order.

    A disabled webhook becomes active again; one that never passed its challenge becomes `pending` and receives a new
    one. `missed_games` shrinks to 0 as the games are taken up again.
    """
    return _command_response(await key_registration.retry_key_webhook(*await _command_arguments(request)))


@command_route(
    WEBHOOK_PATH + "/replay",
    operation_id="replayKeyWebhook",
    summary="Replay messages since a time",
    body=REPLAY_DECODER,
    headers=("Idempotency-Key",),
    responses=(ResponseSpec(202, "The webhook; the messages follow.", KeyWebhook, ("Idempotent-Replayed",)),),
    examples=("replay_key_webhook",),
)
async def replay_key_webhook(request: web.Request) -> web.Response:
    """Deliver again all changes since a time, of all games, each in order, even those that the server had accepted.

    For a server that has lost messages which it had accepted. They have the same `webhook-id` as before. What was
    missed is delivered too, as `retry` does. With many games it takes a while until all of them are on their way.
    """
    arguments = await _command_arguments(request)
    body = await read_body(request, REPLAY_DECODER)
    return _command_response(await key_registration.replay_key_webhook(*arguments, body), status=202)


@webhook_route(
    "GET",
    WEBHOOK_PATH + "/deliveries",
    operation_id="listKeyDeliveries",
    summary="List deliveries of all games",
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(
            200, "The latest delivery attempts, newest first.", KeyDeliveries, ("ETag",), examples=("key_deliveries",)
        ),
        ResponseSpec(304, "There was no new attempt.", headers=("ETag",)),
    ),
)
async def list_key_deliveries(request: web.Request) -> web.Response:
    """List the latest 100 delivery attempts with their responses, of all games."""
    deliveries = await key_registration.list_key_deliveries(*await _webhook_arguments(request))
    return cacheable_key_response(request, deliveries)


ROUTES = (
    register_key_webhook,
    list_key_webhooks,
    read_key_webhook,
    change_key_webhook,
    delete_key_webhook,
    ping_key_webhook,
    rotate_key_webhook_secret,
    retry_key_webhook,
    replay_key_webhook,
    list_key_deliveries,
)
