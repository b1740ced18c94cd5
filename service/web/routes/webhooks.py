"""`/v1/games/{id}/webhooks`: register, read, retry and delete the webhooks of a game, as its owner or a player."""

from functools import partial
from hashlib import blake2b

import msgspec
from aiohttp import web

from schemas.webhooks import Deliveries, RegisterWebhook, Webhook, WebhookCreated, Webhooks
from service.games.context import Context
from service.games.webhooks import registration
from service.web.api_keys import authenticate_api_key
from service.web.app_keys import CONTEXT, LIMITS
from service.web.connections.limiter import get_client_address
from service.web.headers.bearer_tokens import parse_bearer_token
from service.web.outbound.ssrf import check_url
from service.web.parsing import get_path_id, parse_idempotency_key, read_body
from service.web.responses import cacheable_response, json_response, mark_replayed
from service.web.routing import GAME_ID, WEBHOOK_ID, ResponseSpec, Route

CLIENT_DIGEST_BYTES = 8

REGISTER_DECODER = msgspec.json.Decoder(RegisterWebhook)

WEBHOOKS_PATH = "/v1/games/" + GAME_ID + "/webhooks"
WEBHOOK_PATH = WEBHOOKS_PATH + "/" + WEBHOOK_ID


def hash_address(request: web.Request) -> str:
    """Return the hash of the client's address, by which challenges are limited."""
    return blake2b(get_client_address(request).encode(), digest_size=CLIENT_DIGEST_BYTES).hexdigest()


webhook_route = partial(Route, tag="webhooks", access="required", problems=("not_owner", "not_found"))


@webhook_route(
    "POST",
    WEBHOOKS_PATH,
    operation_id="registerWebhook",
    summary="Register a webhook",
    body=REGISTER_DECODER,
    takes_api_key=True,
    headers=("Idempotency-Key",),
    responses=(
        ResponseSpec(
            201,
            "The webhook and its secret.",
            WebhookCreated,
            ("Location", "Idempotent-Replayed"),
            examples=("webhook_created",),
        ),
    ),
    problems=("not_owner", "not_found", "limit_reached", "key_reused", "url_refused"),
    examples=("webhook", "webhook_turns"),
)
async def register_webhook(request: web.Request) -> web.Response:
    """Register a URL that receives later changes of the game as POST requests, signed as Standard Webhooks define.

    The owner may, and every player with the seat's token, for at most 2 webhooks: they end when the token is replaced,
    or the player leaves.

    The service first sends a challenge, signed in the same way; the server must respond with 2xx and
    `{"challenge": ...}`, repeating it. Until then the webhook is `pending` and messages wait. A challenge is sent up to
    5 times within 15 minutes.

    Messages are delivered at least once and in the order of the versions; retries have the same `webhook-id`. Without a
    2xx response before the time-out, delivery is retried for about a day, then the webhook is disabled; a 410 response
    disables it at once. Redirects are not followed, and only public addresses are allowed. The secret is returned only
    here. With an `Api-Key`, the request counts against the key's quotas.
    """
    await authenticate_api_key(request)
    body = await read_body(request, REGISTER_DECODER)
    limits = request.app[LIMITS]
    check_url(body.url, allow_private=limits.webhooks_allow_private)
    game = get_path_id(request)
    webhook_request = registration.WebhookRequest(
        body, parse_bearer_token(request), parse_idempotency_key(request), limits.max_webhooks, hash_address(request)
    )
    created, _, replayed = await registration.register_webhook(request.app[CONTEXT], game, webhook_request)
    response = json_response(
        created, status=201, private=True, secret=True, location=f"/v1/games/{game}/webhooks/{created.id}"
    )
    return mark_replayed(response, replayed=replayed)


@webhook_route(
    "GET",
    WEBHOOKS_PATH,
    operation_id="listWebhooks",
    summary="List the webhooks",
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(200, "The webhooks of the game, oldest first.", Webhooks, ("ETag",)),
        ResponseSpec(304, "The webhooks have not changed.", headers=("ETag",)),
    ),
)
async def list_webhooks(request: web.Request) -> web.Response:
    """List the game's webhooks, without their secrets; with a seat token, only those that it has registered."""
    webhooks = await registration.list_webhooks(request.app[CONTEXT], get_path_id(request), parse_bearer_token(request))
    return cacheable_response(request, webhooks, private=True)


def _webhook_arguments(request: web.Request) -> tuple[Context, str, str, str | None]:
    """Return what every function for one webhook takes: the context, the game's and the webhook's id, and the token."""
    return request.app[CONTEXT], get_path_id(request), request.match_info["hook"], parse_bearer_token(request)


@webhook_route(
    "GET",
    WEBHOOK_PATH,
    operation_id="readWebhook",
    summary="Read a webhook",
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(200, "The webhook.", Webhook, ("ETag",)),
        ResponseSpec(304, "The webhook has not changed.", headers=("ETag",)),
    ),
)
async def read_webhook(request: web.Request) -> web.Response:
    """Return one webhook with its status and its delivery progress."""
    webhook = await registration.load_webhook(*_webhook_arguments(request))
    return cacheable_response(request, webhook, private=True)


@webhook_route(
    "DELETE",
    WEBHOOK_PATH,
    operation_id="deleteWebhook",
    summary="Delete a webhook",
    responses=(ResponseSpec(204, "The webhook is deleted."),),
)
async def delete_webhook(request: web.Request) -> web.Response:
    """Delete a webhook and its delivery log; a delivery in progress may still arrive."""
    await registration.delete_webhook(*_webhook_arguments(request))
    return web.Response(status=204)


@webhook_route(
    "POST",
    WEBHOOK_PATH + "/retry",
    operation_id="retryWebhook",
    summary="Retry now",
    headers=("Idempotency-Key",),
    responses=(ResponseSpec(200, "The webhook, its failures reset.", Webhook, ("Idempotent-Replayed",)),),
    problems=("not_owner", "not_found", "key_reused"),
)
async def retry_webhook(request: web.Request) -> web.Response:
    """Retry the next delivery now, for example when the server works again.

    A disabled webhook becomes active again and receives everything that it missed, in order. A webhook that never
    passed its challenge becomes `pending` again and receives a new challenge.
    """
    key = parse_idempotency_key(request)
    retried, _, replayed = await registration.retry_webhook(*_webhook_arguments(request), key)
    return mark_replayed(json_response(retried, private=True), replayed=replayed)


@webhook_route(
    "GET",
    WEBHOOK_PATH + "/deliveries",
    operation_id="listDeliveries",
    summary="List a webhook's deliveries",
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(
            200, "The latest delivery attempts, newest first.", Deliveries, ("ETag",), examples=("deliveries",)
        ),
        ResponseSpec(304, "There was no new attempt.", headers=("ETag",)),
    ),
)
async def list_deliveries(request: web.Request) -> web.Response:
    """List the latest 100 delivery attempts with their responses."""
    deliveries = await registration.list_deliveries(*_webhook_arguments(request))
    return cacheable_response(request, deliveries, private=True)


ROUTES = (register_webhook, list_webhooks, read_webhook, delete_webhook, retry_webhook, list_deliveries)
