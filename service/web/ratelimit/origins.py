"""Origins whose pages may open WebSockets and event streams.

Browsers send no token on their own, so a page of another origin opens only what its user has a token for. By default
every origin may, as with CORS; operators may name those that may, this service's own among them. The request's Host
does not count: a page whose name was made to point here (DNS rebinding) sends its own. Programs send no Origin.
"""

import re

from aiohttp import web

from service.web.errors import OriginNotAllowed

__all__ = ["BadOrigin", "check_origin", "parse_origins"]

_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?|null", re.IGNORECASE)

ALL_ORIGINS = ("*",)

MAX_SHOWN_CHARACTERS = 100
"""Characters of an origin that an error message shows."""


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
