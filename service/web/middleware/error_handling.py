"""The wrapper around the application: it turns errors into problems and responds to OPTIONS on every path.

It is not a middleware because a middleware and a signal would add about 10 us to each response.
"""

import re

from aiohttp import hdrs, web
from multidict import istr

from service.web.app_keys import LIMITS
from service.web.connections.limiter import get_client_address, warn_of_untrusted_proxy
from service.web.connections.protocol import get_connection
from service.web.errors import BodyTooLarge, EncodedBody, RateLimited
from service.web.headers.lists import check_lists, join_lines
from service.web.middleware.request_metrics import Handler
from service.web.problems import PROBLEM_ERRORS, error_response, format_allow_header, http_exception_response
from service.web.ratelimit.charges import Charge
from service.web.ratelimit.leases import AdmissionPending
from service.web.ratelimit.limiter import RATE_LIMITER, RateLimiter
from service.web.responses import add_common_headers

REQUESTED_HEADERS = istr("Access-Control-Request-Headers")
PREFLIGHT_MAX_AGE_S = 7200

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_IDENTITY = re.compile(r"[, \t]*(?:identity[, \t]*)?", re.IGNORECASE)
"""A list of no codings, or of the one that is none (RFC 9110, 8.4)."""


def handle_errors(app: web.Application, handle: Handler) -> Handler:
    """Return a handler that turns the errors of `handle` into problems and adds the common headers."""
    rate_limiter = app[RATE_LIMITER]

    async def respond(request: web.Request) -> web.StreamResponse:
        address, charge = get_client_address(request), None
        connection = get_connection(request)
        connection.start_request(address)
        await connection.yield_turn()
        try:
            if rate_limiter.is_enabled:
                charge = await _admit(rate_limiter, request, address)
            check_lists(request.headers)
            _check_encoding(request)
            response = await handle(request)
        except PROBLEM_ERRORS as error:
            response = error_response(error, request)
            if isinstance(error, RateLimited):
                warn_of_untrusted_proxy(request)
        except web.HTTPMethodNotAllowed as error:
            is_options = request.method == "OPTIONS"
            response = options_response(request, error) if is_options else http_exception_response(error)
        except web.HTTPException as error:
            response = http_exception_response(error)
        if charge is not None:
            rate_limiter.settle(request, address, charge, response)
        elif rate_limiter.is_enabled:  # nothing that is free can be repeated on one connection
            connection.close_after(response)
        if not response.prepared:
            add_common_headers(app, response)
        connection.finish_request(request, response)
        return response

    return respond


async def _admit(rate_limiter: RateLimiter, request: web.Request, address: str) -> Charge | None:
    """Charge a request, at once where no lease has to be renewed. Raises what `retry_admission` does."""
    try:
        return rate_limiter.admit(request, address)
    except (AdmissionPending, RateLimited) as refusal:
        return await rate_limiter.retry_admission(refusal, request, address)


def _check_encoding(request: web.Request) -> None:
    """Raise EncodedBody if the request has a body in a coding, whether or not its handler reads the body."""
    codings = request.headers.getall(hdrs.CONTENT_ENCODING, None)
    if codings is not None and request.body_exists and _IDENTITY.fullmatch(",".join(codings)) is None:
        raise EncodedBody


async def handle_expect(request: web.Request) -> None:
    """Send 100 Continue to a client that expects it; any other Expect is ignored (RFC 9110, 10.1.1).

    Raises BodyTooLarge if the body would be rejected anyway.
    """
    limit = request.app[LIMITS].max_body_bytes
    if (request.content_length or 0) > limit:
        raise BodyTooLarge(limit)
    if request.headers["Expect"].lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # so that aiohttp counts only the final response


def options_response(request: web.Request, error: web.HTTPMethodNotAllowed) -> web.Response:
    """Return the response to OPTIONS, also for the preflight of a browser's request to another origin.

    Pages may send any header: their tracing, for example, adds `baggage` to each request. `*` would not allow
    Authorization (Fetch, 4.8), so the preflight lists those that it was asked for.
    """
    allow = format_allow_header(error.allowed_methods)
    headers = {
        "Allow": allow,
        "Access-Control-Allow-Methods": allow,
        "Access-Control-Max-Age": str(PREFLIGHT_MAX_AGE_S),
    }
    if requested := _HEADER_NAME.findall(join_lines(request.headers.getall(REQUESTED_HEADERS, ()))):
        headers["Access-Control-Allow-Headers"] = ", ".join(requested)
    return web.Response(status=204, headers=headers)
