"""Heads of responses: written at once with the body; the headers that all have: CORS, the request id, restrictions."""

import random
import re
import time
from collections.abc import Mapping
from email.utils import formatdate
from functools import lru_cache
from itertools import starmap
from typing import cast

from aiohttp import HttpVersion, HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter
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


class WholeResponse(web.Response):
    """A response whose head and body are written at once: aiohttp's takes several steps, at three times the cost."""

    common_lines = b"\r\n\r\n"
    """What ends the head: the lines of the headers that every response has."""
    _stays_open: bool | None = None

    @property
    def keep_alive(self) -> bool | None:
        """Return whether the connection stays open; None while the request decides."""
        return self._stays_open

    def force_close(self) -> None:
        """Let the connection end with this response."""
        self._stays_open = False

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        """Write the response."""
        if self._stays_open is None:
            self._stays_open = request.keep_alive
        writer = request.writer
        data = self.encode(request.version)
        await writer.write(data[: data.index(b"\r\n\r\n") + 4] if request.method == "HEAD" else data)
        return writer

    async def write_eof(self, data: bytes = b"") -> None:
        """Do nothing: all is written."""

    def encode(self, version: HttpVersion = HttpVersion11) -> bytes:
        """Return the whole response. Raises ValueError for a header that is none."""
        headers, body, status = self.headers, cast("bytes", self.body or b""), self.status
        lines = [name + ": " + value for name, value in headers.items()]
        if status not in WITHOUT_CONTENT:
            lines.append(f"Content-Length: {len(body)}")
        if not self._stays_open:
            lines.append("Connection: close")
        elif version < HttpVersion11:
            lines.append("Connection: keep-alive")
        head = "\r\n".join(lines)
        if head.count("\n") + head.count("\r") != 2 * len(lines) - 2:
            raise ValueError("a header has a line feed")
        first = f"HTTP/1.{int(version >= HttpVersion11)} {status} {self.reason}\r\n{_date_line(int(time.time()))}"
        return b"".join(((first + head).encode(), self.common_lines, body))


WITHOUT_CONTENT = frozenset({204, 304})
"""Statuses of responses that have no content (RFC 9110, 8.6)."""


@lru_cache(maxsize=1)
def _date_line(second: int) -> str:
    return f"Date: {formatdate(second, usegmt=True)}\r\n"


def _encode_last_lines(headers: Mapping[str, str]) -> bytes:
    return "".join(["\r\n", *starmap("{}: {}\r\n".format, headers.items()), "\r\n"]).encode()


class CommonHeaders:
    """The headers that every response of one instance has."""

    def __init__(self, limits: Limits, *, for_pages: bool = True) -> None:
        """`for_pages` says whether web pages of all origins may read the responses."""
        shared = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": EXPOSED_HEADERS}
        always = CIMultiDict({**(shared if for_pages else {}), "Server": "south-seas"})
        if limits.hsts_max_age_s:
            always["Strict-Transport-Security"] = f"max-age={limits.hsts_max_age_s}; includeSubDomains"
        self._page_headers = always
        self._api_headers = CIMultiDict({**always, **API_HEADERS})
        self._page_lines = _encode_last_lines(self._page_headers)
        self._api_lines = _encode_last_lines(self._api_headers)

    def add_to(self, response: web.StreamResponse, request_id: str | None = None) -> None:
        """Add them to a response, by default with the id of the request that is being answered.

        A page has a policy of its own already.
        """
        headers = response.headers
        if isinstance(response, WholeResponse):
            response.common_lines = self._page_lines if CSP in headers else self._api_lines
        else:
            headers.extend(self._page_headers if CSP in headers else self._api_headers)
        context = LOG_CONTEXT.get()
        if request_id is None and context is not None:
            request_id = context.request_id
        if request_id is not None:
            headers[REQUEST_ID] = request_id


def add_base_path(response: web.StreamResponse, base_path: str) -> None:
    """Put a path before those in a response's headers."""
    for name, mark in (("Location", "/"), ("Link", "</")) if base_path else ():
        value = response.headers.get(name, "")
        if value.startswith(mark):
            response.headers[name] = f"{mark[:-1]}{base_path}{value[len(mark) - 1 :]}"


def new_request_id() -> str:
    """Return a random id for a request without one; it does not reveal the number of requests."""
    return f"{_RANDOM.getrandbits(REQUEST_ID_BITS):024x}"


def is_valid_request_id(request_id: str) -> bool:
    """Return whether a client's request id is safe in log lines and headers.

    >>> is_valid_request_id("5f3a-11"), is_valid_request_id("a b"), is_valid_request_id("x" * 65)
    (True, False, False)
    """
    return _ID.fullmatch(request_id) is not None
