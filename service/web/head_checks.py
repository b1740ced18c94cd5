"""What is rejected by a request's head alone, before any handler could take it."""

import re

from aiohttp import HttpVersion10, HttpVersion11, hdrs, web
from multidict import CIMultiDictProxy, istr

from service.games.errors import Malformed
from service.web.errors import EncodedBody, UnknownTransferCoding
from service.web.headers.negotiation import MAX_LIST_ELEMENTS, MAX_LIST_LENGTH

__all__ = ["LIST_HEADERS", "check_head"]

SUPPORTED_VERSIONS = (HttpVersion11, HttpVersion10)
"""aiohttp's parser also knows 0.9 and 2.0."""

LIST_HEADERS = (
    hdrs.ACCEPT,
    hdrs.ACCEPT_ENCODING,
    hdrs.ACCEPT_LANGUAGE,
    hdrs.IF_MATCH,
    hdrs.IF_NONE_MATCH,
    istr("Prefer"),
    hdrs.SEC_WEBSOCKET_EXTENSIONS,
    hdrs.SEC_WEBSOCKET_PROTOCOL,
)
"""The lists that are parsed here or by aiohttp, but for Authorization, whose parsers have limits of their own."""

MAX_PATH_PARTS = 16
"""More than any route has: aiohttp looks a path up again for each of its parts."""

_IDENTITY = re.compile(r"[, \t]*(?:identity[, \t]*)?", re.IGNORECASE)
"""A list of no codings, or of the one that is none (RFC 9110, 8.4)."""


def check_head(request: web.Request) -> None:
    """Raise HTTPNotFound, Malformed, EncodedBody or UnknownTransferCoding for what no handler could take."""
    headers = request.headers
    _check_lists(headers)
    if request.rel_url.path_safe.count("/") > MAX_PATH_PARTS:
        raise web.HTTPNotFound
    if "token" in request.query_string and "token" in request.query:
        raise Malformed("URLs are stored and logged: send a token as Authorization: Bearer TOKEN", "token")
    if request.version not in SUPPORTED_VERSIONS:
        raise Malformed("send HTTP/1.1")
    codings = headers.getall(hdrs.CONTENT_ENCODING, None)
    if codings is not None and request.body_exists and _IDENTITY.fullmatch(",".join(codings)) is None:
        raise EncodedBody
    # Several lines never come here: aiohttp answers 400. As a list they may be legal (RFC 9110, 5.3), but they serve to
    # smuggle requests past a proxy (RFC 9112, 11.2), and the service knows no list of codings anyway.
    if hdrs.TRANSFER_ENCODING in headers and headers[hdrs.TRANSFER_ENCODING].lower() != "chunked":
        raise UnknownTransferCoding


def _check_lists(headers: CIMultiDictProxy[str]) -> None:
    """Raise Malformed if a list is longer than it may be."""
    for name in LIST_HEADERS:
        if name in headers and (
            len(text := ",".join(headers.getall(name))) > MAX_LIST_LENGTH or text.count(",") >= MAX_LIST_ELEMENTS
        ):
            raise Malformed(
                f"the header may have {MAX_LIST_LENGTH} characters and {MAX_LIST_ELEMENTS} elements, in all its lines",
                str(name),
            )
