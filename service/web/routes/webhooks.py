"""Webhooks: another server is told what happens in a game."""

from functools import partial
from hashlib import blake2b

import msgspec
from aiohttp import web

from schemas.webhooks import Deliveries, RegisterWebhook, Webhook, WebhookCreated, Webhooks
from service.games.webhooks import registration
from service.web.app_keys import CONTEXT, LIMITS
from service.web.connections.limiter import client_address
from service.web.outbound.ssrf import check_url
from service.web.parsing import get_path_id, parse_bearer_token, parse_idempotency_key, read_body
from service.web.responses import json_response, mark_replayed
from service.web.routing import GAME_ID, WEBHOOK_ID, ResponseSpec, Route

CLIENT_DIGEST_BYTES = 8

REGISTER_DECODER = msgspec.json.Decoder(RegisterWebhook)

WEBHOOKS_PATH = "/v1/games/" + GAME_ID + "/webhooks"
WEBHOOK_PATH = WEBHOOKS_PATH + "/" + WEBHOOK_ID

owner_route = partial(Route, tag="webhooks", access="required", problems=("not_owner", "not_found"))


@owner_route(
    "POST",
    WEBHOOKS_PATH,
    operation_id="registerWebhook",
    summary="Register a webhook",
    body=REGISTER_DECODER,
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
    """Tells a server of every later change of the game that it asks for, by a POST signed as Standard Webhooks say.

    First it gets a challenge, signed in the same way, and must answer 2xx with `{"challenge": ...}`, which repeats it.
    Until then the webhook is `pending`, and changes wait; a challenge is tried 5 times within a quarter of an hour.

    Messages come at least once and in the order of the versions; `webhook-id` is equal over retries. A message that is
    not answered with 2xx within the time-out is tried again for about a day, then the webhook is disabled; 410 disables
    it at once. Redirects are not followed. Only public addresses are sent to. The secret is told once.
    """
    body = await read_body(request, REGISTER_DECODER)
    limits = request.app[LIMITS]
    check_url(body.url, allow_private=limits.webhooks_allow_private)
    game = get_path_id(request)
    client = blake2b(client_address(request).encode(), digest_size=CLIENT_DIGEST_BYTES).hexdigest()
    webhook_request = registration.WebhookRequest(
        body, parse_bearer_token(request), parse_idempotency_key(request), limits.max_webhooks, client
    )
    created, _, replayed = await registration.register_webhook(request.app[CONTEXT], game, webhook_request)
    response = json_response(
        created, status=201, private=True, secret=True, location=f"/v1/games/{game}/webhooks/{created.id}"
    )
    return mark_replayed(response, replayed=replayed)


@owner_route(
    "GET",
    WEBHOOKS_PATH,
    operation_id="listWebhooks",
    summary="List the webhooks",
    responses=(ResponseSpec(200, "The webhooks of the game, the oldest first.", Webhooks),),
)
async def list_webhooks(request: web.Request) -> web.Response:
    """The game's webhooks, for its owner, without their secrets."""
    return json_response(
        await registration.list_webhooks(request.app[CONTEXT], get_path_id(request), parse_bearer_token(request)),
        private=True,
    )


@owner_route(
    "GET",
    WEBHOOK_PATH,
    operation_id="readWebhook",
    summary="Read a webhook",
    responses=(ResponseSpec(200, "The webhook.", Webhook),),
)
async def read_webhook(request: web.Request) -> web.Response:
    """One webhook, for the game's owner: what it waits for, how far it has come, and whether it is disabled."""
    context, webhook_id = request.app[CONTEXT], request.match_info["hook"]
    return json_response(
        await registration.load_webhook(context, get_path_id(request), webhook_id, parse_bearer_token(request)),
        private=True,
    )


@owner_route(
    "DELETE",
    WEBHOOK_PATH,
    operation_id="deleteWebhook",
    summary="Delete a webhook",
    responses=(ResponseSpec(204, "It is forgotten."),),
)
async def delete_webhook(request: web.Request) -> web.Response:
    """Forgets a webhook with its log: nothing more is sent there, but for what is on its way."""
    await registration.delete_webhook(
        request.app[CONTEXT], get_path_id(request), request.match_info["hook"], parse_bearer_token(request)
    )
    return web.Response(status=204)


@owner_route(
    "POST",
    WEBHOOK_PATH + "/retry",
    operation_id="retryWebhook",
    summary="Try again now",
    responses=(ResponseSpec(200, "The webhook, its failures forgotten.", Webhook),),
)
async def retry_webhook(request: web.Request) -> web.Response:
    """Tries the message that waits at once, for the game's owner, as when the server is in order again.

    A webhook that was disabled is active again, and gets everything that it missed, in order. One that never answered
    its challenge is `pending` again, and gets another one.
    """
    context, webhook_id = request.app[CONTEXT], request.match_info["hook"]
    return json_response(
        await registration.retry_webhook(context, get_path_id(request), webhook_id, parse_bearer_token(request)),
        private=True,
    )


@owner_route(
    "GET",
    WEBHOOK_PATH + "/deliveries",
    operation_id="listDeliveries",
    summary="Read a webhook's log",
    responses=(ResponseSpec(200, "The latest attempts, the newest first.", Deliveries, examples=("deliveries",)),),
)
async def list_deliveries(request: web.Request) -> web.Response:
    """What was sent of late and what was answered, for the game's owner: the latest 100 attempts."""
    context, webhook_id = request.app[CONTEXT], request.match_info["hook"]
    return json_response(
        await registration.list_deliveries(context, get_path_id(request), webhook_id, parse_bearer_token(request)),
        private=True,
    )


ROUTES = (register_webhook, list_webhooks, read_webhook, delete_webhook, retry_webhook, list_deliveries)
