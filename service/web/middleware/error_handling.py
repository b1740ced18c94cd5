"""The wrapper around the application: it turns errors into problems and responds to OPTIONS on every path.

It is not a middleware because a middleware and a signal would add about 10 us to each response.
"""

import re

from aiohttp import HttpVersion10, HttpVersion11, hdrs, web
from multidict import istr

from service.games.errors import Malformed, ServiceError
from service.web.client_ip import peer_address
from service.web.connections.limiter import warn_of_untrusted_proxy
from service.web.connections.protocol import get_connection
from service.web.errors import EncodedBody, RateLimited, UnknownTransferCoding
from service.web.headers.negotiation import check_lists, join_lines
from service.web.middleware.requests import Handler
from service.web.problems import error_response, format_allow_header, http_exception_response
from service.web.ratelimit.limiter import RATE_LIMITER
from service.web.responses import add_common_headers

SUPPORTED_VERSIONS = (HttpVersion11, HttpVersion10)
"""aiohttp's parser also knows 0.9 and 2.0."""

REQUESTED_HEADERS = istr("Access-Control-Request-Headers")
REQUESTED_METHOD = istr("Access-Control-Request-Method")
PREFLIGHT_MAX_AGE_S = 7200

MAX_PATH_PARTS = 16
"""More than any route has: aiohttp looks a path up again for each of its parts."""

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header or a method."""
_IDENTITY = re.compile(r"[, \t]*(?:identity[, \t]*)?", re.IGNORECASE)
"""A list of no codings, or of the one that is none (RFC 9110, 8.4)."""


def handle_errors(app: web.Application, handle: Handler) -> Handler:
    """Return a handler that turns the errors of `handle` into problems and adds the common headers.

    An application without a rate limiter has no limits.
    """
    rate_limiter = app.get(RATE_LIMITER)

    async def respond(request: web.Request) -> web.StreamResponse:
        connection = get_connection(request)
        connection.charge = None
        if connection.client is None:  # a trusted proxy
            proxies, proxy = connection.limiter.proxies, peer_address(connection.peername)
            connection.address = proxies.forwarded_client(proxy, request.headers)
        try:
            try:
                check_lists(request.headers)
                _check_protocol(request)
                response = await handle(request)
            finally:  # what has no route is charged too: unknown paths, OPTIONS, files
                if rate_limiter is not None and connection.charge is None:
                    await rate_limiter.admit(request)
        except ServiceError as error:
            response = error_response(error, request)
            if isinstance(error, RateLimited):
                warn_of_untrusted_proxy(request)
        except web.HTTPException as error:
            response = (
                options_response(request, error) if request.method == "OPTIONS" else http_exception_response(error)
            )
        if rate_limiter is not None:
            rate_limiter.settle(request, response)
        if not response.prepared:
            add_common_headers(app, response)
        return response

    return respond


def _check_protocol(request: web.Request) -> None:
    """Raise HTTPNotFound, Malformed, EncodedBody or UnknownTransferCoding for what no handler could take."""
    headers = request.headers
    if request.path.count("/") > MAX_PATH_PARTS:
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
