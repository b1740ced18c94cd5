"""Pages of other origins: the responses to their preflights, and who may open WebSockets and event streams.

Browsers send no token on their own, so a page of another origin opens only what its user has a token for. By default
every origin may, as with CORS; operators may name those that may, this service's own among them. The request's Host
does not count: a page whose name was made to point here (DNS rebinding) sends its own. Programs send no Origin.
"""

import re

from aiohttp import web
from multidict import istr

from service.web.errors import OriginNotAllowed
from service.web.headers.negotiation import join_lines
from service.web.problems import format_allow_header, http_exception_response

__all__ = ["BadOrigin", "check_origin", "options_response", "parse_origins"]

REQUESTED_HEADERS = istr("Access-Control-Request-Headers")
REQUESTED_METHOD = istr("Access-Control-Request-Method")
PREFLIGHT_MAX_AGE_S = 7200

_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?|null", re.IGNORECASE)

ALL_ORIGINS = ("*",)

MAX_SHOWN_CHARACTERS = 100
"""Characters of an origin that an error message shows."""

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header or a method."""


class BadOrigin(ValueError):
    """A text is no origin."""


def parse_origins(text: str) -> tuple[str, ...]:
    """Return the origins of a text, separated by commas, or ALL_ORIGINS. Raises BadOrigin.

    >>> parse_origins("https://example.org, null"), parse_origins("*")
    (('https://example.org', 'null'), ('*',))
    """
    origins = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if origins in {ALL_ORIGINS, ()}:
        return ALL_ORIGINS
    for origin in origins:
        if _ORIGIN.fullmatch(origin) is None:
            raise BadOrigin(f"{origin} is not an origin: write https://example.org, null or *")
    return origins


def check_origin(request: web.Request, allowed: tuple[str, ...]) -> None:
    """Raise OriginNotAllowed for a page of another origin than the allowed ones."""
    origin = request.headers.get("Origin")
    if allowed != ALL_ORIGINS and origin is not None and origin.lower() not in allowed:
        raise OriginNotAllowed(origin[:MAX_SHOWN_CHARACTERS])


def options_response(request: web.Request, error: web.HTTPException) -> web.Response:
    """Return the response to OPTIONS, also for the preflight of a browser's request to another origin.

    Pages may send any header: their tracing, for example, adds `baggage` to each request. `*` would not allow
    Authorization (Fetch, 4.8), so the preflight lists those that it was asked for. It is answered for unknown paths and
    methods too, so that the page can read the problem of the request itself.
    """
    allowed = format_allow_header(error.allowed_methods) if isinstance(error, web.HTTPMethodNotAllowed) else ""
    method = request.headers.get(REQUESTED_METHOD, "")
    if not allowed and not method:
        return http_exception_response(error)
    methods = [allowed, *(_NAME.findall(method)[:1] if method not in allowed.split(", ") else [])]
    headers = {
        "Access-Control-Allow-Methods": ", ".join(filter(None, methods)),
        "Access-Control-Max-Age": str(PREFLIGHT_MAX_AGE_S),
    }
    if allowed:
        headers["Allow"] = allowed
    if requested := _NAME.findall(join_lines(request.headers.getall(REQUESTED_HEADERS, ()))):
        headers["Access-Control-Allow-Headers"] = ", ".join(requested)
    return web.Response(status=204, headers=headers)
