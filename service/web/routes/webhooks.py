"""`/v1/games/{id}/webhooks` and `/v1/keys/me/webhooks`: the webhooks of a game, and those of an API key."""

from functools import partial
from hashlib import blake2b
from typing import Annotated, Any

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
    ReplayMessages,
    RotatedSecret,
    RotateSecret,
    Webhook,
    WebhookCreated,
    Webhooks,
)
from service.games.api_key import ApiKey
from service.games.commands import webhooks
from service.games.idempotency import ReplayableResult
from service.games.webhooks.owner import Owner, owner_by_key, owner_by_token
from service.web.app_keys import CONTEXT, LIMITS
from service.web.connections.protocol import get_connection
from service.web.headers.bearer_tokens import API_KEY_HEADER
from service.web.headers.fields import IdempotencyKey, SecretIdempotencyKey
from service.web.headers.negotiation import add_vary
from service.web.outbound.ssrf import check_url
from service.web.responses import cacheable_response, json_response, mark_replayed
from service.web.routes.api_keys import KeyRead
from service.web.routing import GameCommand, Route

CLIENT_DIGEST_BYTES = 8

GAME_WEBHOOKS = "/v1/games/{id}/webhooks"
KEY_WEBHOOKS = "/v1/keys/me/webhooks"

HookId = Annotated[str, Meta(pattern=f"^{ID}$", description="A webhook's id.", examples=["w4k8x1m7q2zc"])]


class OfGame(GameCommand, frozen=True, kw_only=True):
    """A request about the webhooks of a game."""

    def owner(self, request: web.Request) -> Owner:
        """Return whose webhooks they are."""
        return owner_by_token(self.id, self.token, request.app[LIMITS].max_webhooks)


class OfKey(KeyRead, frozen=True, kw_only=True):
    """A request about the webhooks of an API key."""

    def owner(self, request: web.Request) -> Owner:
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


class Replay(CommandOfKey, frozen=True, kw_only=True):
    """A request to deliver messages again."""

    body: ReplayMessages


game_route = partial(Route, tag="webhooks", problems=("not_owner",))
key_route = partial(Route, tag="API keys")


async def _register(request: web.Request, asked: Registration | KeyRegistration) -> web.Response:
    owner = asked.owner(request)
    _check_url(request, asked.body.url)
    registration = webhooks.RegistrationRequest(asked.body, asked.idempotency_key, _hash_address(request))
    created = await webhooks.register_webhook(request.app[CONTEXT], owner, registration)
    return _respond(owner, created, 201, secret=True, location=f"{owner.path}/{created.response.id}")


async def _list(request: web.Request, asked: OfGame | OfKey) -> web.Response:
    owner = asked.owner(request)
    return _cacheable(request, owner, await webhooks.list_webhooks(request.app[CONTEXT], owner))


async def _read(request: web.Request, asked: OneOfGame | OneOfKey) -> web.Response:
    owner = asked.owner(request)
    return _cacheable(request, owner, await webhooks.load_webhook(request.app[CONTEXT], owner, asked.hook))


async def _delete(request: web.Request, asked: OneOfGame | OneOfKey) -> web.Response:
    await webhooks.delete_webhook(request.app[CONTEXT], asked.owner(request), asked.hook)
    return web.Response(status=204)


async def _retry(request: web.Request, asked: CommandOfGame | CommandOfKey) -> web.Response:
    owner = asked.owner(request)
    retried = await webhooks.retry_webhook(request.app[CONTEXT], owner, asked.hook, asked.idempotency_key)
    return _respond(owner, retried)


async def _list_deliveries(request: web.Request, asked: OneOfGame | OneOfKey) -> web.Response:
    owner = asked.owner(request)
    return _cacheable(request, owner, await webhooks.list_deliveries(request.app[CONTEXT], owner, asked.hook))


def _check_url(request: web.Request, url: str) -> None:
    check_url(url, allow_private=request.app[LIMITS].webhooks_allow_private)


def _hash_address(request: web.Request) -> str:
    """Return the hash of the client's address, by which challenges are limited."""
    return blake2b(get_connection(request).address.encode(), digest_size=CLIENT_DIGEST_BYTES).hexdigest()


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


@game_route(
    "POST",
    GAME_WEBHOOKS,
    "registerWebhook",
    "Register a webhook",
    WebhookCreated,
    "The webhook and its secret.",
    headers=("Location",),
    creates="entry",
    problems=("not_owner", "limit_reached", "url_refused"),
)
async def register_webhook(request: web.Request, asked: Registration) -> web.Response:
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
    return await _register(request, asked)


@game_route(
    "GET",
    GAME_WEBHOOKS,
    "listWebhooks",
    "List the webhooks",
    Webhooks,
    "The webhooks of the game, oldest first.",
)
async def list_webhooks(request: web.Request, asked: OfGame) -> web.Response:
    """List the game's webhooks, without their secrets; with a seat token, only those that it has registered."""
    return await _list(request, asked)


@game_route(
    "GET", GAME_WEBHOOKS + "/{hook}", "readWebhook", "Read a webhook", Webhook, "The webhook.", problems=("not_owner",)
)
async def read_webhook(request: web.Request, asked: OneOfGame) -> web.Response:
    """Return one webhook with its status and its delivery progress."""
    return await _read(request, asked)


@game_route(
    "DELETE",
    GAME_WEBHOOKS + "/{hook}",
    "deleteWebhook",
    "Delete a webhook",
    None,
    "The webhook is deleted.",
    headers=(),
)
async def delete_webhook(request: web.Request, asked: OneOfGame) -> web.Response:
    """Delete a webhook and its delivery log; a delivery in progress may still arrive."""
    return await _delete(request, asked)


@game_route(
    "POST",
    GAME_WEBHOOKS + "/{hook}/retry",
    "retryWebhook",
    "Retry now",
    Webhook,
    "The webhook, its failures reset.",
    headers=(),
)
async def retry_webhook(request: web.Request, asked: CommandOfGame) -> web.Response:
    """Retry the next delivery now, for example when the server works again.

    A disabled webhook becomes active again and receives everything that it missed, in order. A webhook that never
    passed its challenge becomes `pending` again and receives a new challenge.
    """
    return await _retry(request, asked)


@game_route(
    "GET",
    GAME_WEBHOOKS + "/{hook}/deliveries",
    "listDeliveries",
    "List a webhook's deliveries",
    Deliveries,
    "The latest delivery attempts, newest first.",
)
async def list_deliveries(request: web.Request, asked: OneOfGame) -> web.Response:
    """List the latest 100 delivery attempts with their responses."""
    return await _list_deliveries(request, asked)


@key_route(
    "POST",
    KEY_WEBHOOKS,
    "registerKeyWebhook",
    "Register a webhook for all games",
    KeyWebhookCreated,
    "The webhook and its secret.",
    headers=("Location",),
    creates="entry",
    problems=("limit_reached", "url_refused"),
)
async def register_key_webhook(request: web.Request, asked: KeyRegistration) -> web.Response:
    """Register a URL that receives the changes of all games of the API key, as a game's webhook does of one game.

    Games that are created from now on are reported from their first version, games that are in play from their next
    change. The server must answer a challenge first; `game` is null in it. Messages of one game arrive in the order of
    the versions, those of different games in any order.
    """
    return await _register(request, asked)


@key_route(
    "GET",
    KEY_WEBHOOKS,
    "listKeyWebhooks",
    "List the API key's webhooks",
    KeyWebhooks,
    "The webhooks of the key, oldest first.",
)
async def list_key_webhooks(request: web.Request, asked: OfKey) -> web.Response:
    """List the webhooks of the API key, without their secrets."""
    return await _list(request, asked)


@key_route("GET", KEY_WEBHOOKS + "/{hook}", "readKeyWebhook", "Read an API key's webhook", KeyWebhook, "The webhook.")
async def read_key_webhook(request: web.Request, asked: OneOfKey) -> web.Response:
    """Return one webhook with its status, and the number of games with messages that it missed."""
    return await _read(request, asked)


@key_route(
    "PATCH",
    KEY_WEBHOOKS + "/{hook}",
    "changeKeyWebhook",
    "Change an API key's webhook",
    KeyWebhook,
    "The changed webhook.",
    headers=(),
    problems=("conflict", "url_refused"),
)
async def change_key_webhook(request: web.Request, asked: Change) -> web.Response:
    """Change the URL or the events of a webhook; what is not given stays.

    The server of another URL must answer a challenge first: the webhook is `pending`, and messages wait meanwhile.
    """
    body, owner = asked.body, asked.owner(request)
    if body.url is not None:
        _check_url(request, body.url)
    changed = await webhooks.change_webhook(request.app[CONTEXT], owner, asked.hook, body, _hash_address(request))
    return _respond(owner, ReplayableResult(changed, 0))


@key_route(
    "DELETE",
    KEY_WEBHOOKS + "/{hook}",
    "deleteKeyWebhook",
    "Delete an API key's webhook",
    None,
    "The webhook is deleted.",
    headers=(),
)
async def delete_key_webhook(request: web.Request, asked: OneOfKey) -> web.Response:
    """Delete a webhook and its delivery log; deliveries in progress may still arrive."""
    return await _delete(request, asked)


@key_route(
    "POST",
    KEY_WEBHOOKS + "/{hook}/ping",
    "pingKeyWebhook",
    "Send a test message",
    KeyWebhook,
    "The webhook; the ping is sent at once.",
    status=202,
    headers=(),
    problems=("conflict",),
)
async def ping_key_webhook(request: web.Request, asked: CommandOfKey) -> web.Response:
    """Send a message of the type `ping` to an active webhook, signed as all others, once.

    The outcome is in the list of deliveries within seconds; a failure has no consequence. A webhook that is pending or
    disabled is sent nothing: the problem is `conflict`.
    """
    owner = asked.owner(request)
    pinged = await webhooks.ping_webhook(request.app[CONTEXT], owner, asked.hook, asked.idempotency_key)
    return _respond(owner, pinged, 202)


@key_route(
    "POST",
    KEY_WEBHOOKS + "/{hook}/rotate-secret",
    "rotateKeyWebhookSecret",
    "Rotate a signing secret",
    RotatedSecret,
    "The new secret.",
    headers=(),
    problems=("conflict",),
)
async def rotate_key_webhook_secret(request: web.Request, asked: Rotation) -> web.Response:
    """Give a webhook a new signing secret, random or your own.

    Until the grace period ends, every message has a signature of each secret in `webhook-signature`, separated by a
    space. So the receiver can change over at any time. A second rotation ends the oldest secret at once; a retry with
    the same `Idempotency-Key` is none, and returns the same secret.
    """
    owner, key = asked.owner(request), asked.idempotency_key
    rotated = await webhooks.rotate_secret(request.app[CONTEXT], owner, asked.hook, key, asked.body)
    return _respond(owner, rotated, secret=True)


@key_route(
    "POST",
    KEY_WEBHOOKS + "/{hook}/retry",
    "retryKeyWebhook",
    "Deliver missed messages",
    KeyWebhook,
    "The webhook, its failures reset.",
    headers=(),
    problems=("conflict",),
)
async def retry_key_webhook(request: web.Request, asked: CommandOfKey) -> web.Response:
    """Deliver now everything that the webhook missed, of all games, each in order.

    A disabled webhook becomes active again; one that never passed its challenge becomes `pending` and receives a new
    one. `missed_games` shrinks to 0 as the games are taken up again.
    """
    return await _retry(request, asked)


@key_route(
    "POST",
    KEY_WEBHOOKS + "/{hook}/replay",
    "replayKeyWebhook",
    "Replay messages since a time",
    KeyWebhook,
    "The webhook; the messages follow.",
    status=202,
    headers=(),
    problems=("conflict",),
)
async def replay_key_webhook(request: web.Request, asked: Replay) -> web.Response:
    """Deliver again all changes since a time, of all games, each in order, even those that the server had accepted.

    For a server that has lost messages which it had accepted. They have the same `webhook-id` as before. What was
    missed is delivered too, as `retry` does. With many games it takes a while until all of them are on their way.
    """
    owner, key = asked.owner(request), asked.idempotency_key
    replayed = await webhooks.replay_messages(request.app[CONTEXT], owner, asked.hook, key, asked.body)
    return _respond(owner, replayed, 202)


@key_route(
    "GET",
    KEY_WEBHOOKS + "/{hook}/deliveries",
    "listKeyDeliveries",
    "List deliveries of all games",
    KeyDeliveries,
    "The latest delivery attempts, newest first.",
)
async def list_key_deliveries(request: web.Request, asked: OneOfKey) -> web.Response:
    """List the latest 100 delivery attempts with their responses, of all games."""
    return await _list_deliveries(request, asked)


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
