"""The wrapper around the application: it turns errors into problems and responds to OPTIONS on every path.

It is not a middleware because a middleware and a signal would add about 10 us to each response.
"""

from aiohttp import HttpVersion10, HttpVersion11, hdrs, web

from service.games.errors import Malformed
from service.web.connections.limiter import get_client_address, warn_of_untrusted_proxy
from service.web.connections.protocol import get_connection
from service.web.errors import EncodedBody, RateLimited, UnknownTransferCoding
from service.web.headers.lists import check_lists
from service.web.middleware.request_metrics import Handler
from service.web.problems import PROBLEM_ERRORS, error_response, format_allow_header, http_exception_response
from service.web.ratelimit.charges import Charge
from service.web.ratelimit.leases import AdmissionPending
from service.web.ratelimit.limiter import RATE_LIMITER, RateLimiter
from service.web.responses import add_common_headers

ALLOWED_HEADERS = (
    "Accept, Api-Key, Authorization, Content-Type, Creator-Key, Idempotency-Key, If-Match, If-None-Match, "
    "Last-Event-ID, Prefer, traceparent, tracestate, X-Request-Id"
)
SUPPORTED_VERSIONS = (HttpVersion11, HttpVersion10)
"""aiohttp's parser also knows 0.9 and 2.0."""

PREFLIGHT_MAX_AGE_S = 7200


def handle_errors(app: web.Application, handle: Handler) -> Handler:
    """Return a handler that turns the errors of `handle` into problems and adds the common headers.

    An application without a rate limiter has no limits.
    """
    rate_limiter = app.get(RATE_LIMITER)

    async def respond(request: web.Request) -> web.StreamResponse:
        address, charge = get_client_address(request), None
        connection = get_connection(request)
        connection.start_request(address)
        await connection.yield_turn()
        try:
            if rate_limiter is not None and rate_limiter.is_enabled:
                charge = await _admit(rate_limiter, request, address)
            check_lists(request.headers)
            _check_protocol(request)
            response = await handle(request)
        except PROBLEM_ERRORS as error:
            response = error_response(error)
            if isinstance(error, RateLimited):
                warn_of_untrusted_proxy(request)
        except web.HTTPMethodNotAllowed as error:
            response = options_response(error) if request.method == "OPTIONS" else http_exception_response(error)
        except web.HTTPException as error:
            response = http_exception_response(error)
        if rate_limiter is not None and charge is not None:
            rate_limiter.settle(request, address, charge, response)
        elif (
            rate_limiter is not None and rate_limiter.is_enabled
        ):  # nothing that is free can be repeated on one connection
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


def _check_protocol(request: web.Request) -> None:
    """Raise Malformed, EncodedBody or UnknownTransferCoding for what no handler could read."""
    headers = request.headers
    if request.version not in SUPPORTED_VERSIONS:
        raise Malformed("send HTTP/1.1")
    if hdrs.CONTENT_ENCODING in headers and request.body_exists:
        raise EncodedBody
    if hdrs.TRANSFER_ENCODING in headers and headers[hdrs.TRANSFER_ENCODING].lower() != "chunked":
        raise UnknownTransferCoding


def options_response(error: web.HTTPMethodNotAllowed) -> web.Response:
    """Return the response to OPTIONS, also for the preflight of a browser's request to another origin."""
    allow = format_allow_header(error.allowed_methods)
    return web.Response(
        status=204,
        headers={
            "Allow": allow,
            "Access-Control-Allow-Methods": allow,
            "Access-Control-Allow-Headers": ALLOWED_HEADERS,
            "Access-Control-Max-Age": str(PREFLIGHT_MAX_AGE_S),
        },
    )
