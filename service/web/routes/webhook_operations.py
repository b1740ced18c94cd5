"""The operations on webhooks: what a request for one is, of a game or of an API key, and the routes of both."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeAlias

from aiohttp import web
from msgspec import Meta

from schemas.vocabulary import ID
from schemas.webhooks import ChangeKeyWebhook, RegisterKeyWebhook, RegisterWebhook, ReplayMessages, RotateSecret
from service.games.api_key import ApiKey
from service.games.webhooks.owner import Owner, owner_by_key, owner_by_token
from service.web.app_keys import LIMITS
from service.web.headers.fields import IdempotencyKey, SecretIdempotencyKey
from service.web.routes.api_keys import KeyRead
from service.web.routing import GameCommand, Handler, Route, TypedRequest

__all__ = [
    "GAME_ROUTES",
    "KEY_ROUTES",
    "Change",
    "CommandOfGame",
    "CommandOfKey",
    "KeyRegistration",
    "OfGame",
    "OfKey",
    "OneOfGame",
    "OneOfKey",
    "Registration",
    "Replay",
    "Rotation",
    "webhook_operation",
]

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
