"""Declarations of routes: what a request has, which its handler gets as one typed value, and what is documented."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Protocol, cast, get_args, get_type_hints

import msgspec
from aiohttp import hdrs, web
from msgspec import NODEFAULT, Meta
from multidict import istr

from schemas.base import Query
from schemas.vocabulary import ID
from service.games.api_key import SECRET_PREFIX, ApiKey
from service.games.errors import ApiKeyRejected, Unauthorized
from service.games.queries import load_for_reader
from service.web.app import API_KEYS, CONTEXT, App, Creates, HttpRequest, Terms
from service.web.charge import Charge
from service.web.connection import get_connection
from service.web.headers import (
    Header,
    check_spelling,
    find_misspellings,
    parse_api_key,
    parse_bearer_tokens,
    read_bearer_token,
)
from service.web.parsing import expects_continue, read_body, read_query

Tag = Literal["tile sets", "games", "playing", "webhooks", "API keys", "service"]

Access = Literal["none", "reads", "required", "key"]
"""Whether a route uses a token: never, to read private games, or always; or whether it requires an API key instead."""

Id = Annotated[
    str,
    Meta(
        pattern=f"^{ID}$", description="An id. An invalid id is treated as an unknown one.", examples=["k7m2x9qd4t1w"]
    ),
]
"""An id in a path; anything else does not match, so the response is 404."""

GAME_PATH = "/v1/games/{id}"

_PATH_PARAMETER = re.compile(r"\{(\w+)\}")


class TypedRequest(Protocol):
    """What handlers get of a request: a Struct with a `charge`.

    Another field is the `query`, the `body` (optional if it has a default), the `token` (where `access` is not `none`),
    the list of `tokens`, the `api_key`, a header if its type says so, or else, without a default, one of the path.
    """

    access: ClassVar[Access]

    def __init__(self, **values: Any) -> None:
        """Make it of its fields."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Base of requests."""

    access: ClassVar[Access] = "none"
    charge: Charge
    """What it is charged to."""


class GameRead(Request, frozen=True, kw_only=True):
    """A request that reads a game."""

    access: ClassVar[Access] = "reads"
    id: Id
    token: str | None = None


class GameCommand(GameRead, frozen=True, kw_only=True):
    """A request that changes a game."""

    access: ClassVar[Access] = "required"


_SPECIAL_FIELDS = frozenset({"query", "body", "api_key", "charge", "token", "tokens"})


class ResponseSpec(NamedTuple):
    """A documented response that is not a problem: its status, content and headers."""

    status: int
    description: str
    content: Any = None
    """The type of the body; None for a response without a body."""
    headers: tuple[str, ...] = ()
    media_type: str = "application/json"


class RequestDecoder:
    """Decodes the requests of one type; its attributes say what they have."""

    def __init__(self, kind: type[TypedRequest]) -> None:
        self._kind = kind
        self.fields = {field.name: field for field in msgspec.structs.fields(cast("type[msgspec.Struct]", kind))}
        self.headers: dict[str, Header] = {
            name: part
            for name, field in self.fields.items()
            for part in get_args(field.type)
            if isinstance(part, Header)
        }
        """By the names of their fields."""
        self.query: type[Query] | None = self.fields["query"].type if "query" in self.fields else None
        self.body = msgspec.json.Decoder(self.fields["body"].type) if "body" in self.fields else None
        self.is_body_optional = self.body is not None and self.fields["body"].default is not NODEFAULT
        self.takes_api_key = "api_key" in self.fields
        self._takes_token = "token" in self.fields and kind.access != "none"
        self._takes_tokens = "tokens" in self.fields
        self._headers = [(name, istr(header.name), header.parse) for name, header in self.headers.items()]
        written = [header.name for header in self.headers.values()]
        self._misspellings = find_misspellings([*written, "Api-Key"] if self.takes_api_key else written)
        self._path = [
            (name, get_args(field.type)[0])
            for name, field in self.fields.items()
            if field.default is NODEFAULT and name not in _SPECIAL_FIELDS
        ]

    def path_pattern(self, name: str) -> str:
        """Return the pattern of a parameter of the path; anything else does not match, so the response is 404."""
        limits = next(part for part in get_args(self.fields[name].type) if isinstance(part, Meta))
        return f"[{limits.ge}-{limits.le}]" if limits.pattern is None else limits.pattern.strip("^$")

    async def decode(self, request: HttpRequest, charge: Charge) -> TypedRequest:
        """Return the typed request: headers' names and the API key are checked first, then body, query and headers.

        Raises Malformed, UnsupportedMediaType, BodyTooLarge, Unauthorized, ApiKeyRejected, StoreUnavailable.
        """
        values: dict[str, Any] = {"charge": charge}
        headers = request.headers
        check_spelling(headers, self._misspellings)
        for name, kind in self._path:
            values[name] = kind(request.match_info[name])
        if self.takes_api_key:
            values["api_key"] = await _authenticate_api_key(request, charge, is_required=self._kind.access == "key")
        if self.body is not None and (request.body_exists or not self.is_body_optional):
            if self._takes_token and expects_continue(request):
                await self._check_token(request)
            values["body"] = await read_body(request, self.body)
        if self.query is not None and request.query_string:
            values["query"] = read_query(request, self.query)
        for name, header, parse in self._headers:
            if header in headers:
                values[name] = parse(headers.getall(header))
        if self._takes_token:
            values["token"] = read_bearer_token(request).text
        elif self._takes_tokens:
            values["tokens"] = parse_bearer_tokens(request)
        return self._kind(**values)

    async def _check_token(self, request: HttpRequest) -> None:
        """Raise Unauthorized or NoSuchGame, before the client sends its body, if its token would be rejected."""
        token = read_bearer_token(request).text
        if token is None and self._kind.access == "required":
            raise Unauthorized(missing=True)
        await load_for_reader(request.app[CONTEXT], request.match_info["id"], token)


async def _authenticate_api_key(request: HttpRequest, charge: Charge, *, is_required: bool) -> ApiKey | None:
    """Return the API key of a request. Raises ApiKeyRejected, Malformed, StoreUnavailable.

    The rate limiter has authenticated it already, unless rate limits are off.
    """
    if charge.api_key is None and (secret := parse_api_key(request)) is not None:
        charge.api_key = await request.app[API_KEYS].authenticate(secret)
    if charge.api_key is None and (is_required or SECRET_PREFIX in request.headers.get(hdrs.AUTHORIZATION, "")):
        raise ApiKeyRejected("send the API key in the header Api-Key")
    return charge.api_key


Handler = Callable[[HttpRequest, Any], Awaitable[web.StreamResponse]]
"""Handles a request, given as aiohttp's and as the typed one."""


async def _missing_handler(request: HttpRequest, params: TypedRequest) -> web.StreamResponse:
    raise NotImplementedError(request.path, params)


@dataclass(frozen=True)
class Route:
    """A method of a path: a decorator for the handler, whose docstring becomes the operation's description."""

    method: str
    path: str
    summary: str
    content: Any
    """The type of the response's body; None for a response without one."""
    result: str
    """What the response is."""
    _: KW_ONLY
    tag: Tag
    operation_id: str = ""
    """By default the handler's name, in camel case."""
    status: int | None = None
    """By default 201 with a location, 204 without content, else 200."""
    headers: tuple[str, ...] = ("ETag",)
    """Of the response, besides those that follow from the request: its language, idempotency key, preference, page."""
    media_type: str = "application/json"
    others: tuple[ResponseSpec, ...] = ()
    """Responses in other media types."""
    problems: tuple[str, ...] = ()
    """Problem codes besides those that follow from the request."""
    creates: Creates = None
    """What a successful request adds to the store, which counts: a game, or a webhook or an index entry."""
    is_limited: bool = True
    """Whether requests count for their client."""
    request_type: type[TypedRequest] = Request
    """The type of the handler's second parameter."""
    handler: Handler = _missing_handler

    def __call__(self, handler: Handler) -> "Route":
        """Return the route with its handler."""
        _, request_type, *_ = get_type_hints(handler).values()
        operation_id = re.sub(r"_(\w)", lambda match: match[1].upper(), handler.__name__)
        return replace(self, handler=handler, request_type=request_type, operation_id=operation_id)

    @cached_property
    def decoder(self) -> RequestDecoder:
        """Return the decoder of its requests."""
        return RequestDecoder(self.request_type)

    @property
    def access(self) -> Access:
        """Return whether its requests need a token or an API key."""
        return self.request_type.access

    @property
    def takes_api_key(self) -> bool:
        """Return whether a request may carry an API key, whose quotas it then counts against."""
        return self.decoder.takes_api_key

    @cached_property
    def terms(self) -> Terms:
        """Return what the rate limiter has to know of it."""
        checks_token = self.access in {"reads", "required"}
        may_guess = checks_token and self.path.startswith(GAME_PATH)
        return Terms(self.is_limited, checks_token, may_guess, self.takes_api_key, self.creates)

    @property
    def responses(self) -> tuple[ResponseSpec, ...]:
        """Return its responses that are not problems."""
        status = self.status or (201 if "Location" in self.headers else 204 if self.content is None else 200)
        return (ResponseSpec(status, self.result, self.content, self.headers, self.media_type), *self.others)

    @property
    def path_parameters(self) -> list[str]:
        """Return the names of the path's parameters, each a field of the request."""
        return _PATH_PARAMETER.findall(self.path)

    async def respond(self, request: HttpRequest) -> web.StreamResponse:
        """Decode a request, and return the handler's response."""
        return await self.handler(request, await self.decoder.decode(request, get_connection(request).charge))

    def register(self, app: App) -> None:
        """Register the route; a GET route responds to HEAD too."""
        methods = ("GET", "HEAD") if self.method == "GET" else (self.method,)
        patterns = {name: self.decoder.path_pattern(name) for name in self.path_parameters}
        app.router.add(methods, self.path, self.respond, patterns, self.terms)
