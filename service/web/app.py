"""The application of one instance: what its requests share, its routes, and what runs while it is served.

It takes the place of aiohttp's, which needs five times as long to find a handler.
"""

import re
from asyncio import Event
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, NamedTuple, TypeVar, cast

from aiohttp import web

from schemas.vocabulary import ID
from service.games.api_key import ApiKeyAuthenticator
from service.games.errors import find_closest
from service.games.hub import Hub
from service.games.repository import Context
from service.supervision import Supervisor
from service.web.limits import Limits

T = TypeVar("T")

CONTEXT = web.AppKey("context", Context)
LIMITS = web.AppKey("limits", Limits)
HUB = web.AppKey("hub", Hub)
API_KEYS = web.AppKey("api_keys", ApiKeyAuthenticator)

SUPERVISOR = web.AppKey("supervisor", Supervisor)
"""Runs this instance's background tasks; /readyz reports a required one that keeps failing."""

DRAINING = web.AppKey("draining", Event)
"""Set when this instance is about to stop: /readyz says so, and responses ask clients to close their connections."""

EXPECTS_CONTINUE = web.RequestKey("expects_continue", bool)
"""Whether the client waits for 100 Continue before it sends the body."""

UNMATCHED = "unmatched"
"""The route of all unknown paths."""


class HttpRequest(web.BaseRequest):
    """A request to the application."""

    app: "App"
    route: str = UNMATCHED
    """The path of its route, with the names of parameters: `/v1/games/{id}`."""
    match_info: Mapping[str, str] = {}
    """The parameters of its path, by name."""
    base_path: str = ""
    """What clients send before its path, and proxies remove."""

    def clone(self, **changes: Any) -> "HttpRequest":
        """Return a copy with other parts."""
        copy = cast("HttpRequest", super().clone(**changes))
        copy.app, copy.route, copy.match_info = self.app, self.route, self.match_info
        copy.base_path = self.base_path
        return copy


Handler = Callable[[HttpRequest], Awaitable[web.StreamResponse]]


Creates = Literal["game", "entry"] | None


class Terms(NamedTuple):
    """What the limiter needs to know of a route, or of unknown paths, OPTIONS and files, which have none."""

    is_limited: bool = True
    """Whether requests count for their client."""
    checks_token: bool = False
    """Whether success proves that a token is valid."""
    may_guess: bool = False
    """Whether a response tells if a game or a token exists."""
    takes_api_key: bool = False
    creates: Creates = None
    """What a successful request adds to the store, which counts: a game, or a webhook or an index entry."""
    has_route: bool = True


NO_ROUTE = Terms(has_route=False)


class Resource(NamedTuple):
    """A path, and the handlers of its methods, with their terms."""

    path: str
    handlers: dict[str, tuple[Handler, Terms]]


class _Node:
    """The part of the paths that begin alike: what may follow, up to the next slash."""

    def __init__(self) -> None:
        self.resource: Resource | None = None
        """Of the path that ends here."""
        self.rest: tuple[str, Resource] | None = None
        """The parameter that takes whatever follows, and its path."""
        self.texts: dict[str, _Node] = {}
        self.patterns: list[tuple[re.Pattern[str], _Node]] = []


_PARAMETER = re.compile(r"\{(\w+)\}")

REST = ".*"
"""The pattern of a parameter that takes whatever follows, with slashes."""


NO_PATTERNS: Mapping[str, str] = {}

MAX_SUGGESTED_LENGTH = 64
"""Characters of an unknown path for which another is suggested: longer ones would cost up to seven requests."""

MIN_LIKENESS = 0.75
"""What parts of a path have in common of which one is suggested for the other: `status` is not like `seats`."""

MAX_SUGGESTED_PARTS = 8
"""Parts of an unknown path that are compared with known ones."""

ANY_PART = "[^/]+"
"""The pattern of a parameter without one."""

_MEANT_PARTS = {"join": "seats", "moves": "legal-moves", "events": "diffs", "leave": "resign", "state": "", "abort": ""}
_MEANT_PARTS |= dict.fromkeys(("act", "move"), "actions")
"""What clients may mean by a part of a path; none is the path before it, to read or to abort a game."""

NO_ID = ": an id is 1 to 32 of a-z, 0-9 and -"
BESIDE = "; the documentation is at /docs/, OpenAPI at /openapi.json, health at /livez and /readyz"
"""What the service has beside the API."""


class Router:
    """The routes, as a tree of the parts of their paths."""

    def __init__(self) -> None:
        self._root = _Node()
        self._root.resource = Resource("*", {})  # the service itself, for OPTIONS (RFC 9110, 9.3.7)
        self._paths: dict[tuple[str, str], None] = {}
        """Every method of the API's paths."""

    def add(
        self,
        methods: Sequence[str],
        path: str,
        handler: Handler,
        patterns: Mapping[str, str] = NO_PATTERNS,
        terms: Terms = NO_ROUTE,
    ) -> None:
        """Add the handler of some methods of a path; a parameter without a pattern takes all up to the next slash."""
        node, resource = self._root, Resource(path, {})
        for part in path.split("/")[1:]:
            names = _PARAMETER.findall(part)
            if names and patterns.get(names[0]) == REST:
                node.rest = node.rest or (names[0], resource)
                _, resource = node.rest
                break
            node = self._follow(node, part, patterns) if names else node.texts.setdefault(part, _Node())
        else:
            resource = node.resource = node.resource or resource
        self._paths |= {(method, path): None for method in methods if path.startswith("/v1/")}
        resource.handlers.update(dict.fromkeys(methods, (handler, terms)))

    @staticmethod
    def _follow(node: _Node, part: str, patterns: Mapping[str, str]) -> _Node:
        """Return the node of a part with parameters, a new one if there is none."""
        escaped = re.escape(part).replace(r"\{", "{").replace(r"\}", "}")
        pattern = re.compile(_PARAMETER.sub(lambda name: f"(?P<{name[1]}>{patterns.get(name[1], ANY_PART)})", escaped))
        following = dict(node.patterns).get(pattern)
        if following is None:
            following = _Node()
            node.patterns.append((pattern, following))
        return following

    def find(self, path: str) -> tuple[Resource, dict[str, str]] | None:
        """Return the resource of a path, whose reserved characters are encoded, and its parameters; None without."""
        node, parameters, rest = self._root, dict[str, str](), None
        _, *parts = path.split("/")
        for number, part in enumerate(parts):
            if node.rest is not None:
                rest = node.rest, number
            following = node.texts.get(part) or self._match(node, part, parameters)
            if following is None:
                break
            node = following
        else:
            if node.resource is not None:
                return node.resource, parameters
        if rest is None:
            return None
        (name, resource), number = rest
        return resource, {name: "/".join(parts[number:])}

    def suggest(self, path: str) -> str:
        """Return which path of the API may have been meant by an unknown one, or what may follow a part of it.

        That is a path that has all its parts. Else parts before one that the API knows are left out, and a part is
        taken for the known one that is most like it.
        """
        if len(path) > MAX_SUGGESTED_LENGTH:
            return ""
        parts = path.strip("/").split("/", MAX_SUGGESTED_PARTS)
        alike = [path for _, path in self._paths if "{" not in path and _has_parts(path, parts)]
        if parts != ["v1"] and alike:
            return f": did you mean {min(alike, key=lambda known: known.count('/'))}?"
        node, found = self._root.texts.get("v1", _Node()), "/v1"
        for part in parts:
            meant = _MEANT_PARTS.get(part, part)
            if not meant and part not in node.texts:
                continue
            close = find_closest(meant, node.texts, MIN_LIKENESS)
            limited = [one for one in node.patterns if ANY_PART not in one[0].pattern]
            matching = (following for pattern, following in limited if pattern.fullmatch(part))
            following = node.texts[close] if close else next(matching, None)
            if following is not None:
                node, found = following, f"{found}/{close or part}"
            elif any(ID in pattern.pattern for pattern, _ in limited):
                return NO_ID
            elif node.resource is not None and not node.texts:
                return f": did you mean {found}?"
            elif found != "/v1":
                break
        else:
            if node.resource is not None:
                return f": did you mean {found}?"
        hint = f": {found} is followed by {', '.join(node.texts)}" if node.texts else ""
        return hint + BESIDE if found == "/v1" else hint

    def suggest_method(self, method: str, path: str) -> str:
        """Return which paths right above, beside and below one of the API have a method that it has not."""
        above = path.rpartition("/")[0]
        paths = [one for known, one in self._paths if known == method]
        near = [one for one in paths if one == above or one.rpartition("/")[0] in {path, above}]
        return f"; {method} goes to {', '.join(near)}" if near else ""

    @staticmethod
    def _match(node: _Node, part: str, parameters: dict[str, str]) -> _Node | None:
        """Return the node of a part that is a parameter, whose value is added."""
        for pattern, following in node.patterns:
            if (match := pattern.fullmatch(part)) is not None:
                parameters.update(match.groupdict())
                return following
        return None


def _has_parts(path: str, parts: Sequence[str]) -> bool:
    """Return whether a path has these parts in their order, maybe among others."""
    rest = iter(path.split("/"))
    return all(part in rest for part in parts)


class App:
    """What the requests of one instance share, by key."""

    def __init__(self) -> None:
        self.router = Router()
        self.lifespans: list[Callable[[App], AbstractAsyncContextManager[None]]] = []
        """What is entered before the first connection, in this order, and left after the last."""
        self.on_shutdown: list[Callable[[App], Awaitable[None]]] = []
        """What is awaited while the connections are still open."""
        self._shared: dict[web.AppKey[Any], Any] = {}

    def __getitem__(self, key: web.AppKey[T]) -> T:
        """Return what is shared under a key. Raises KeyError."""
        return cast("T", self._shared[key])

    def __setitem__(self, key: web.AppKey[T], value: T) -> None:
        """Share something under a key."""
        self._shared[key] = value

    def get(self, key: web.AppKey[T]) -> T | None:
        """Return what is shared under a key, if anything is."""
        return self._shared.get(key)
