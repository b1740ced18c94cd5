"""Route declarations, from which routes are registered and described in the OpenAPI document."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, NamedTuple

import msgspec
from aiohttp import web

from schemas.base import RequestModel
from schemas.vocabulary import ID
from service.web.app_keys import TOKEN_HANDLERS

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

Tag = Literal["tile sets", "games", "playing", "webhooks", "API keys", "service"]

Access = Literal["none", "reads", "required", "key"]
"""Whether a route uses a token: never, to read private games, or always; or whether it requires an API key instead."""

GAME_ID = f"{{id:{ID}}}"
"""An id in a path; anything else does not match, so the response is 404."""

GAME_PREFIX = "/v1/games/" + GAME_ID

MOST_REQUESTED = ("act", "readGame", "readLegalMoves")
"""The most frequent operations, most frequent first."""

WEBHOOK_ID = f"{{hook:{ID}}}"
"""A webhook's id in a path."""

SEAT = "{seat:[0-4]}"
"""A seat's number in a path."""

_PATH_PARAMETER = re.compile(r"\{(\w+):(?:[^{}]|\{[^{}]*\})*\}")
"""A parameter of a path with its pattern."""


class Query(RequestModel, frozen=True, forbid_unknown_fields=False):
    """Base of query parameters; unknown names are ignored because later versions may define them."""


class ResponseSpec(NamedTuple):
    """A documented response that is not a problem: its status, content and headers."""

    status: int
    description: str
    content: Any = None
    """The type of the body; None for a response without a body."""
    headers: tuple[str, ...] = ()
    media_type: str = "application/json"
    examples: tuple[str, ...] = ()
    """Names of examples in `examples.json`."""


async def _missing_handler(request: web.Request) -> web.StreamResponse:
    raise NotImplementedError(request.path)


@dataclass(frozen=True)
class Route:
    """A method of a path: a decorator for the handler, whose docstring becomes the operation's description."""

    method: str
    path: str
    _: KW_ONLY
    operation_id: str
    summary: str
    tag: Tag
    responses: tuple[ResponseSpec, ...]
    access: Access = "none"
    takes_api_key: bool = False
    """Whether a request may carry an API key, whose quotas it then counts against."""
    creates: Literal["game", "entry"] | None = None
    """What a successful request adds to the store, which counts: a game, or a webhook or an index entry."""
    is_limited: bool = True
    """Whether requests count for their client."""
    problems: tuple[str, ...] = ()
    """Problem codes besides those that every route can return."""
    body: msgspec.json.Decoder[Any] | None = None
    query: type[Query] | None = None
    headers: tuple[str, ...] = ()
    """Names of parameters in `descriptions.PARAMETERS`."""
    examples: tuple[str, ...] = ()
    """Names of examples in `examples.json`, for the body."""
    is_body_optional: bool = False
    """Whether a request without a body means `{}`."""
    handler: Handler = _missing_handler

    def __call__(self, handler: Handler) -> "Route":
        """Return the route with its handler."""
        return replace(self, handler=handler)

    @property
    def is_of_game(self) -> bool:
        """Return whether a response tells if a game or a token exists, so that a request may be a guess."""
        return self.path.startswith(GAME_PREFIX) and self.access in {"reads", "required"}

    @property
    def description(self) -> str:
        """Return the handler's docstring."""
        return self.handler.__doc__ or ""

    @property
    def openapi_path(self) -> str:
        """Return the path without the patterns of its parameters, as OpenAPI writes it."""
        return _PATH_PARAMETER.sub(r"{\1}", self.path)

    @property
    def path_parameters(self) -> list[str]:
        """Return the names of the path's parameters, each of `descriptions.PARAMETERS`."""
        return _PATH_PARAMETER.findall(self.path)


def register_routes(app: web.Application, routes: tuple[Route, ...], limit: Callable[[Route], Handler]) -> None:
    """Register the routes with the handlers that `limit` makes of theirs; each GET route responds to HEAD too.

    aiohttp tries routes with the same prefix in the order of their registration, so the most frequent come first.
    """
    priorities = {operation: priority for priority, operation in enumerate(MOST_REQUESTED)}
    routes = tuple(replace(route, handler=limit(route)) for route in routes)
    for route in sorted(routes, key=lambda one: priorities.get(one.operation_id, len(priorities))):
        if route.method == "GET":
            app.router.add_get(route.path, route.handler)
        else:
            app.router.add_route(route.method, route.path, route.handler)
    app[TOKEN_HANDLERS] = frozenset(route.handler for route in routes if route.access == "required")
