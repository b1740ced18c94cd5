"""What a route is: one declaration, from which it is registered and described in the OpenAPI document."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, NamedTuple

import msgspec
from aiohttp import web

from schemas.base import RequestModel
from schemas.vocabulary import ID

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

Tag = Literal["tile sets", "games", "playing", "webhooks", "service"]

Access = Literal["none", "reads", "required"]
"""Whether a token is looked at: never, to read private games, or always."""

GAME_ID = f"{{id:{ID}}}"
"""An id in a path; what is no id is no path either, so it is 404."""

MOST_REQUESTED = ("act", "readGame", "readLegalMoves")
"""The operations that most requests ask for, the most frequent first."""

WEBHOOK_ID = f"{{hook:{ID}}}"
"""A webhook's id in a path."""

SEAT = "{seat:[0-4]}"
"""A seat's number in a path."""

_PATH_PARAMETER = re.compile(r"\{(\w+):(?:[^{}]|\{[^{}]*\})*\}")
"""A name in a path with the pattern that it must match."""


class Query(RequestModel, frozen=True, forbid_unknown_fields=False):
    """The parameters of a query; names that it does not know are ignored, as later versions may know them."""


class ResponseSpec(NamedTuple):
    """One answer that is no problem: its status, what it holds and with which headers."""

    status: int
    description: str
    content: Any = None
    """A Struct's type; None for an answer without a body."""
    headers: tuple[str, ...] = ()
    media_type: str = "application/json"
    examples: tuple[str, ...] = ()
    """Names of `examples.json`."""


async def _missing_handler(request: web.Request) -> web.StreamResponse:
    raise NotImplementedError(request.path)


@dataclass(frozen=True)
class Route:
    """One method of one path: a decorator for its handler, whose docstring is the operation's description."""

    method: str
    path: str
    _: KW_ONLY
    operation_id: str
    summary: str
    tag: Tag
    responses: tuple[ResponseSpec, ...]
    access: Access = "none"
    problems: tuple[str, ...] = ()
    """Codes that it answers besides those that every route has."""
    body: msgspec.json.Decoder[Any] | None = None
    query: type[Query] | None = None
    headers: tuple[str, ...] = ()
    """Names of `described.PARAMETERS`."""
    examples: tuple[str, ...] = ()
    """Names of `examples.json`, for the body."""
    is_body_optional: bool = False
    """Whether no body at all means the same as `{}`."""
    handler: Handler = _missing_handler

    def __call__(self, handler: Handler) -> "Route":
        """Declare the handler."""
        return replace(self, handler=handler)

    @property
    def description(self) -> str:
        """What the handler's docstring says."""
        return self.handler.__doc__ or ""

    @property
    def openapi_path(self) -> str:
        """The path without the patterns of its names, as OpenAPI writes it."""
        return _PATH_PARAMETER.sub(r"{\1}", self.path)

    @property
    def path_parameters(self) -> list[str]:
        """The names in the path, each of `described.PARAMETERS`."""
        return _PATH_PARAMETER.findall(self.path)


def register_routes(
    app: web.Application, routes: tuple[Route, ...], expect_handler: Callable[[web.Request], Awaitable[Any]]
) -> None:
    """Make the application answer all of these; what answers GET answers HEAD too.

    aiohttp tries routes that begin alike in the order of their registration, so what is asked most goes first.
    """
    priorities = {operation: place for place, operation in enumerate(MOST_REQUESTED)}
    for route in sorted(routes, key=lambda one: priorities.get(one.operation_id, len(priorities))):
        app.router.add_route(route.method, route.path, route.handler, expect_handler=expect_handler)
        if route.method == "GET":
            app.router.add_route("HEAD", route.path, route.handler, expect_handler=expect_handler)
