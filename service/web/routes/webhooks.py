"""`/v1/games/{id}/webhooks` and `/v1/keys/me/webhooks`: the webhooks of a game, and those of an API key."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from hashlib import blake2b
from typing import Any

import msgspec
from aiohttp import web

from schemas.webhooks import (
    ChangeKeyWebhook,
    Deliveries,
    KeyDeliveries,
    KeyWebhook,
    KeyWebhookCreated,
    KeyWebhooks,
    RegisterKeyWebhook,
    RegisterWebhook,
    ReplayMessages,
    RotatedSecret,
    RotateSecret,
    Webhook,
    WebhookCreated,
    Webhooks,
)
from service.games.commands import webhooks
from service.games.context import Context
from service.games.idempotency import ReplayableResult
from service.games.webhooks.owner import Owner, owner_by_key, owner_by_token
from service.web.api_keys import authenticate_api_key, require_api_key
from service.web.app_keys import CONTEXT, LIMITS
from service.web.connections.limiter import get_client_address
from service.web.headers.bearer_tokens import API_KEY_HEADER, parse_bearer_token
from service.web.headers.negotiation import add_vary
from service.web.outbound.ssrf import check_url
from service.web.parsing import get_path_id, parse_idempotency_key, read_body, read_optional_body
from service.web.responses import cacheable_response, json_response, mark_replayed
from service.web.routing import GAME_ID, WEBHOOK_ID, Access, ResponseSpec, Route, Tag

CLIENT_DIGEST_BYTES = 8

REGISTER_DECODER = msgspec.json.Decoder(RegisterWebhook)
REGISTER_KEY_DECODER = msgspec.json.Decoder(RegisterKeyWebhook)
CHANGE_DECODER = msgspec.json.Decoder(ChangeKeyWebhook)
REPLAY_DECODER = msgspec.json.Decoder(ReplayMessages)
ROTATE_DECODER = msgspec.json.Decoder(RotateSecret)

ONE = "/" + WEBHOOK_ID
"""Path of one webhook, below those of its owner."""

Handle = Callable[[web.Request, Owner], Awaitable[web.Response]]


@dataclass(frozen=True)
class Family:
    """The operations on the webhooks of one kind of owner: decorators for handlers, which get the owner."""

    path: str
    tag: Tag
    access: Access
    identify: Callable[[web.Request], Awaitable[Owner]]
    problems: tuple[str, ...]
    """Of every operation."""
    command_problems: tuple[str, ...]
    """Of the commands to one webhook."""
    created: type
    webhook: type
    webhooks: type
    deliveries: type
    examples: str = ""
    """Prefix of the names of examples."""

    def route(
        self, method: str, path: str, operation_id: str, summary: str, *responses: ResponseSpec, **options: Any
    ) -> Callable[[Handle], Route]:
        """Declare an operation."""
        missing = ("not_found",) if path.startswith(ONE) else ()
        route = Route(
            method,
            self.path + path,
            operation_id=operation_id,
            summary=summary,
            tag=self.tag,
            access=self.access,
            responses=responses,
            problems=(*self.problems, *missing, *options.pop("problems", ())),
            **options,
        )

        def decorate(handle: Handle) -> Route:
            @wraps(handle)
            async def handler(request: web.Request) -> web.StreamResponse:
                return await handle(request, await self.identify(request))

            return route(handler)

        return decorate

    def register(self, operation_id: str, summary: str, **options: Any) -> Callable[[Handle], Route]:
        """Declare the registration of a webhook."""
        headers, examples = ("Location", "Idempotent-Replayed"), (f"{self.examples}webhook_created",)
        created = ResponseSpec(201, "The webhook and its secret.", self.created, headers, examples=examples)
        options |= {"problems": ("limit_reached", "key_reused", "url_refused"), "headers": ("Idempotency-Key",)}
        options["creates"] = "entry"
        return self.route("POST", "", operation_id, summary, created, **options)

    def read(
        self, path: str, operation_id: str, summary: str, found: ResponseSpec, unchanged: str
    ) -> Callable[[Handle], Route]:
        """Declare a route that reads."""
        found, not_modified = found._replace(headers=("ETag",)), ResponseSpec(304, unchanged, headers=("ETag",))
        return self.route("GET", path, operation_id, summary, found, not_modified, headers=("If-None-Match",))

    def list_all(self, operation_id: str, summary: str, found: str) -> Callable[[Handle], Route]:
        """Declare the list of webhooks."""
        listed = ResponseSpec(200, found, self.webhooks)
        return self.read("", operation_id, summary, listed, "The webhooks have not changed.")

    def read_one(self, operation_id: str, summary: str) -> Callable[[Handle], Route]:
        """Declare the route of one webhook."""
        found = ResponseSpec(200, "The webhook.", self.webhook)
        return self.read(ONE, operation_id, summary, found, "The webhook has not changed.")

    def list_deliveries(self, operation_id: str, summary: str) -> Callable[[Handle], Route]:
        """Declare the list of delivery attempts."""
        description, examples = "The latest delivery attempts, newest first.", (f"{self.examples}deliveries",)
        found = ResponseSpec(200, description, self.deliveries, examples=examples)
        return self.read(f"{ONE}/deliveries", operation_id, summary, found, "There was no new attempt.")

    def delete(self, operation_id: str, summary: str) -> Callable[[Handle], Route]:
        """Declare the deletion of a webhook."""
        return self.route("DELETE", ONE, operation_id, summary, ResponseSpec(204, "The webhook is deleted."))

    def command(
        self, name: str, operation_id: str, summary: str, done: ResponseSpec, **options: Any
    ) -> Callable[[Handle], Route]:
        """Declare a command to one webhook."""
        done = done._replace(content=done.content or self.webhook, headers=("Idempotent-Replayed",))
        options = {"headers": ("Idempotency-Key",), "problems": self.command_problems, **options}
        return self.route("POST", f"{ONE}/{name}", operation_id, summary, done, **options)


async def _identify_by_token(request: web.Request) -> Owner:
    return owner_by_token(get_path_id(request), parse_bearer_token(request), request.app[LIMITS].max_webhooks)


async def _identify_by_key(request: web.Request) -> Owner:
    return owner_by_key((await require_api_key(request)).name, request.app[LIMITS].max_webhooks)


GAME = Family(
    "/v1/games/" + GAME_ID + "/webhooks",
    "webhooks",
    "required",
    _identify_by_token,
    ("not_owner", "not_found"),
    ("key_reused",),
    WebhookCreated,
    Webhook,
    Webhooks,
    Deliveries,
)
KEY = Family(
    "/v1/keys/me/webhooks",
    "API keys",
    "key",
    _identify_by_key,
    (),
    ("conflict", "key_reused"),
    KeyWebhookCreated,
    KeyWebhook,
    KeyWebhooks,
    KeyDeliveries,
    "key_",
)


async def _register(request: web.Request, owner: Owner, decoder: msgspec.json.Decoder[Any]) -> web.Response:
    body = await read_body(request, decoder)
    _check_url(request, body.url)
    registration = webhooks.RegistrationRequest(body, parse_idempotency_key(request), _hash_address(request))
    created = await webhooks.register_webhook(request.app[CONTEXT], owner, registration)
    return _respond(owner, created, 201, secret=True, location=f"{owner.path}/{created.response.id}")


def _check_url(request: web.Request, url: str) -> None:
    check_url(url, allow_private=request.app[LIMITS].webhooks_allow_private)


def _hash_address(request: web.Request) -> str:
    """Return the hash of the client's address, by which challenges are limited."""
    return blake2b(get_client_address(request).encode(), digest_size=CLIENT_DIGEST_BYTES).hexdigest()


def _arguments(request: web.Request, owner: Owner) -> tuple[Context, Owner, str]:
    """Return what every function for one webhook takes: the context, the owner and the webhook's id."""
    return request.app[CONTEXT], owner, request.match_info["hook"]


def _respond(
    owner: Owner, result: ReplayableResult[Any], status: int = 200, *, secret: bool = False, location: str | None = None
) -> web.Response:
    """Return the response to a command; a `secret` one contains a secret (see `json_response`)."""
    response = json_response(result.response, status=status, private=True, secret=secret, location=location)
    return mark_replayed(_vary(owner, response), replayed=result.replayed)


def _cacheable(request: web.Request, owner: Owner, value: Any) -> web.Response:
    return _vary(owner, cacheable_response(request, value, private=True))


def _vary(owner: Owner, response: web.Response) -> web.Response:
    return response if owner.api_key is None else add_vary(response, API_KEY_HEADER)


@GAME.register(
    "registerWebhook",
    "Register a webhook",
    body=REGISTER_DECODER,
    takes_api_key=True,
    examples=("webhook", "webhook_turns"),
)
async def register_webhook(request: web.Request, owner: Owner) -> web.Response:
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
    return await _register(request, owner, REGISTER_DECODER)


@GAME.list_all("listWebhooks", "List the webhooks", "The webhooks of the game, oldest first.")
async def list_webhooks(request: web.Request, owner: Owner) -> web.Response:
    """List the game's webhooks, without their secrets; with a seat token, only those that it has registered."""
    return _cacheable(request, owner, await webhooks.list_webhooks(request.app[CONTEXT], owner))


@GAME.read_one("readWebhook", "Read a webhook")
async def read_webhook(request: web.Request, owner: Owner) -> web.Response:
    """Return one webhook with its status and its delivery progress."""
    return _cacheable(request, owner, await webhooks.load_webhook(*_arguments(request, owner)))


@GAME.delete("deleteWebhook", "Delete a webhook")
async def delete_webhook(request: web.Request, owner: Owner) -> web.Response:
    """Delete a webhook and its delivery log; a delivery in progress may still arrive."""
    await webhooks.delete_webhook(*_arguments(request, owner))
    return web.Response(status=204)


@GAME.command("retry", "retryWebhook", "Retry now", ResponseSpec(200, "The webhook, its failures reset."))
async def retry_webhook(request: web.Request, owner: Owner) -> web.Response:
    """Retry the next delivery now, for example when the server works again.

    A disabled webhook becomes active again and receives everything that it missed, in order. A webhook that never
    passed its challenge becomes `pending` again and receives a new challenge.
    """
    return _respond(owner, await webhooks.retry_webhook(*_arguments(request, owner), parse_idempotency_key(request)))


@GAME.list_deliveries("listDeliveries", "List a webhook's deliveries")
async def list_deliveries(request: web.Request, owner: Owner) -> web.Response:
    """List the latest 100 delivery attempts with their responses."""
    return _cacheable(request, owner, await webhooks.list_deliveries(*_arguments(request, owner)))


@KEY.register(
    "registerKeyWebhook",
    "Register a webhook for all games",
    body=REGISTER_KEY_DECODER,
    examples=("webhook", "key_webhook"),
)
async def register_key_webhook(request: web.Request, owner: Owner) -> web.Response:
    """Register a URL that receives the changes of all games of the API key, as a game's webhook does of one game.

    Games that are created from now on are reported from their first version, games that are in play from their next
    change. The server must answer a challenge first; `game` is null in it. Messages of one game arrive in the order of
    the versions, those of different games in any order.
    """
    return await _register(request, owner, REGISTER_KEY_DECODER)


@KEY.list_all("listKeyWebhooks", "List the API key's webhooks", "The webhooks of the key, oldest first.")
async def list_key_webhooks(request: web.Request, owner: Owner) -> web.Response:
    """List the webhooks of the API key, without their secrets."""
    return _cacheable(request, owner, await webhooks.list_webhooks(request.app[CONTEXT], owner))


@KEY.read_one("readKeyWebhook", "Read an API key's webhook")
async def read_key_webhook(request: web.Request, owner: Owner) -> web.Response:
    """Return one webhook with its status, and the number of games with messages that it missed."""
    return _cacheable(request, owner, await webhooks.load_webhook(*_arguments(request, owner)))


@KEY.route(
    "PATCH",
    ONE,
    "changeKeyWebhook",
    "Change an API key's webhook",
    ResponseSpec(200, "The changed webhook.", KeyWebhook),
    problems=("conflict", "url_refused"),
    body=CHANGE_DECODER,
    examples=("change_key_webhook",),
)
async def change_key_webhook(request: web.Request, owner: Owner) -> web.Response:
    """Change the URL or the events of a webhook; what is not given stays.

    The server of another URL must answer a challenge first: the webhook is `pending`, and messages wait meanwhile.
    """
    body = await read_body(request, CHANGE_DECODER)
    if body.url is not None:
        _check_url(request, body.url)
    changed = await webhooks.change_webhook(*_arguments(request, owner), body, _hash_address(request))
    return _respond(owner, ReplayableResult(changed, 0))


@KEY.delete("deleteKeyWebhook", "Delete an API key's webhook")
async def delete_key_webhook(request: web.Request, owner: Owner) -> web.Response:
    """Delete a webhook and its delivery log; deliveries in progress may still arrive."""
    await webhooks.delete_webhook(*_arguments(request, owner))
    return web.Response(status=204)


@KEY.command(
    "ping", "pingKeyWebhook", "Send a test message", ResponseSpec(202, "The webhook; the ping is sent at once.")
)
async def ping_key_webhook(request: web.Request, owner: Owner) -> web.Response:
    """Send a message of the type `ping` to an active webhook, signed as all others, once.

    The outcome is in the list of deliveries within seconds; a failure has no consequence. A webhook that is pending or
    disabled is sent nothing: the problem is `conflict`.
    """
    return _respond(
        owner, await webhooks.ping_webhook(*_arguments(request, owner), parse_idempotency_key(request)), 202
    )


@KEY.command(
    "rotate-secret",
    "rotateKeyWebhookSecret",
    "Rotate a signing secret",
    ResponseSpec(200, "The new secret.", RotatedSecret),
    headers=("Idempotency-Key-secret",),
    body=ROTATE_DECODER,
    is_body_optional=True,
)
async def rotate_key_webhook_secret(request: web.Request, owner: Owner) -> web.Response:
    """Give a webhook a new signing secret, random or your own.

    Until the grace period ends, every message has a signature of each secret in `webhook-signature`, separated by a
    space. So the receiver can change over at any time. A second rotation ends the oldest secret at once; a retry with
    the same `Idempotency-Key` is none, and returns the same secret.
    """
    key = parse_idempotency_key(request)
    body = await read_optional_body(request, ROTATE_DECODER)
    return _respond(owner, await webhooks.rotate_secret(*_arguments(request, owner), key, body), secret=True)


@KEY.command(
    "retry", "retryKeyWebhook", "Deliver missed messages", ResponseSpec(200, "The webhook, its failures reset.")
)
async def retry_key_webhook(request: web.Request, owner: Owner) -> web.Response:
    """Deliver now everything that the webhook missed, of all games, each in order.

    A disabled webhook becomes active again; one that never passed its challenge becomes `pending` and receives a new
    one. `missed_games` shrinks to 0 as the games are taken up again.
    """
    return _respond(owner, await webhooks.retry_webhook(*_arguments(request, owner), parse_idempotency_key(request)))


@KEY.command(
    "replay",
    "replayKeyWebhook",
    "Replay messages since a time",
    ResponseSpec(202, "The webhook; the messages follow."),
    body=REPLAY_DECODER,
    examples=("replay_key_webhook",),
)
async def replay_key_webhook(request: web.Request, owner: Owner) -> web.Response:
    """Deliver again all changes since a time, of all games, each in order, even those that the server had accepted.

    For a server that has lost messages which it had accepted. They have the same `webhook-id` as before. What was
    missed is delivered too, as `retry` does. With many games it takes a while until all of them are on their way.
    """
    key = parse_idempotency_key(request)
    body = await read_body(request, REPLAY_DECODER)
    return _respond(owner, await webhooks.replay_messages(*_arguments(request, owner), key, body), 202)


@KEY.list_deliveries("listKeyDeliveries", "List deliveries of all games")
async def list_key_deliveries(request: web.Request, owner: Owner) -> web.Response:
    """List the latest 100 delivery attempts with their responses, of all games."""
    return _cacheable(request, owner, await webhooks.list_deliveries(*_arguments(request, owner)))


GAME_ROUTES = (register_webhook, list_webhooks, read_webhook, delete_webhook, retry_webhook, list_deliveries)
KEY_ROUTES = (
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
