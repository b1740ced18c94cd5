"""Pages of which origins may open sockets and event streams.

A browser sends no token by itself, so a page of another origin opens nothing that is not its own; every origin may, as
with CORS. Whoever wants no other sites to use their service names those that may. Programs send no Origin.
"""

import re
from urllib.parse import urlsplit

from aiohttp import web

from service.web.errors import OriginNotAllowed

__all__ = ["BadOrigin", "check_origin", "parse_origins"]

_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?|null", re.IGNORECASE)

MAX_SHOWN_CHARACTERS = 100
"""Characters of an origin that are told."""


class BadOrigin(ValueError):
    """It is no origin."""


def parse_origins(text: str) -> tuple[str, ...]:
    """Origins as a setting names them, with commas between them; none for `*`. Raises BadOrigin.

    >>> origins("https://example.org, null"), origins("*")
    (('https://example.org', 'null'), ())
    """
    found = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if found in {("*",), ()}:
        return ()
    for one in found:
        if _ORIGIN.fullmatch(one) is None:
            raise BadOrigin(f"{one} is no origin: write https://example.org, null or *")
    return found


def check_origin(request: web.Request, allowed: tuple[str, ...]) -> None:
    """Raise OriginRefused for a page that may not; the service's own pages may always."""
    origin = request.headers.get("Origin")
    if not allowed or origin is None or origin.lower() in allowed:
        return
    if origin == "null" or urlsplit(origin).netloc.lower() != request.headers.get("Host", "").lower():
        raise OriginNotAllowed(origin[:MAX_SHOWN_CHARACTERS])
