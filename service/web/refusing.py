"""Around the application: what it refuses becomes a problem, and OPTIONS is answered for every path.

This is no middleware, because a middleware and a signal cost every answer some 10 us more.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from service.web.answers import finish_headers
from service.web.errors import RateLimited
from service.web.limiting.accounts import Asking
from service.web.limiting.connections import client_of, warn_of_proxy
from service.web.limiting.guard import GUARD, Admitted
from service.web.problems import REFUSALS, allow_header, http_problem, refusal_response

ALLOWED_HEADERS = (
    "Accept, Authorization, Content-Type, Creator-Key, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, "
    "Prefer, traceparent, tracestate, X-Request-Id"
)
PREFLIGHT_MAX_AGE_S = 7200


Handle = Callable[[Any], Awaitable[web.StreamResponse]]
"""Answers a `web.Request`; aiohttp types it as something wider."""


_NOBODY: Admitted = None


def refusing(app: web.Application, handle: Handle) -> Handle:
    """Answer what `handle` raises as a problem, and give every answer the headers that all have."""
    guard = app[GUARD]

    async def answer(request: web.Request) -> web.StreamResponse:
        address, admitted = "", _NOBODY
        try:
            if guard.on:
                address = client_of(request)
                try:
                    admitted = guard.admit(request, address)
                except Asking as asking:
                    admitted = await guard.admit_after(asking, request, address)
            response = await handle(request)
        except REFUSALS as error:
            response = refusal_response(error)
            if isinstance(error, RateLimited):
                warn_of_proxy(request)
        except web.HTTPMethodNotAllowed as error:
            response = _options(error) if request.method == "OPTIONS" else http_problem(error)
        except web.HTTPException as error:
            response = http_problem(error)
        if guard.on:
            guard.answered(request, address, admitted, response)
        if not response.prepared:
            finish_headers(app, response)
        return response

    return answer


async def expecting(request: web.Request) -> None:
    """Tell a client that waits for it to send its body; any other Expect is ignored (RFC 9110, 10.1.1)."""
    if request.headers["Expect"].lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # the answer itself has not begun


def _options(error: web.HTTPMethodNotAllowed) -> web.Response:
    """What a path answers, also for a browser that asks before a request to another origin (a preflight)."""
    allow = allow_header(error.allowed_methods)
    return web.Response(
        status=204,
        headers={
            "Allow": allow,
            "Access-Control-Allow-Methods": allow,
            "Access-Control-Allow-Headers": ALLOWED_HEADERS,
            "Access-Control-Max-Age": str(PREFLIGHT_MAX_AGE_S),
        },
    )
