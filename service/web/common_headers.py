"""The headers that every response has: CORS, the request id, and what restricts browsers."""

import random
import re

from multidict import CIMultiDict, istr

from service.telemetry.logs import LOG_CONTEXT
from service.web.limits import Limits

REQUEST_ID = istr("X-Request-Id")

REQUEST_ID_BITS = 96
"""Enough that no two requests of any instance get the same id."""

_ID = re.compile(r"[A-Za-z0-9._~+/=-]{1,64}")
_RANDOM = random.Random()  # noqa: S311  an id opens nothing

IDEMPOTENT_REPLAYED = istr("Idempotent-Replayed")

EXPOSED_HEADERS = "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id"

CSP = istr("Content-Security-Policy")

_RESTRICTIONS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}

PAGE_HEADERS = {
    CSP: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    **_RESTRICTIONS,
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""For pages, which may run only this service's scripts and contact only this service."""

API_HEADERS = {
    CSP: "default-src 'none'; frame-ancestors 'none'",
    **_RESTRICTIONS,
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""For everything else: it loads nothing and is never framed, but every origin may read it, as with CORS.

So a player's name in an SVG cannot run as a script, even if the picture is opened directly.
"""


class CommonHeaders:
    """The headers that every response of one instance has."""

    def __init__(self, limits: Limits) -> None:
        always = CIMultiDict(
            {
                "Access-Control-Allow-Origin": "*",
                "Access-Control-Expose-Headers": EXPOSED_HEADERS,
                "Server": "south-seas",
            }
        )
        if limits.hsts_max_age_s:
            always["Strict-Transport-Security"] = f"max-age={limits.hsts_max_age_s}; includeSubDomains"
        self._page_headers = always
        self._api_headers = CIMultiDict({**always, **API_HEADERS})

    def add_to(self, headers: CIMultiDict[str], request_id: str | None = None) -> None:
        """Add them to a response's headers, by default with the id of the request that is being answered.

        A page has a policy of its own already.
        """
        headers.extend(self._page_headers if CSP in headers else self._api_headers)
        context = LOG_CONTEXT.get()
        if request_id is None and context is not None:
            request_id = context.request_id
        if request_id is not None:
            headers[REQUEST_ID] = request_id


def new_request_id() -> str:
    """Return a random id for a request without one; it does not reveal the number of requests."""
    return f"{_RANDOM.getrandbits(REQUEST_ID_BITS):024x}"


def is_valid_request_id(request_id: str) -> bool:
    """Return whether a client's request id is safe in log lines and headers.

    >>> is_valid_request_id("5f3a-11"), is_valid_request_id("a b"), is_valid_request_id("x" * 65)
    (True, False, False)
    """
    return _ID.fullmatch(request_id) is not None
