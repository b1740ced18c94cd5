"""Around the application: each request has an id, is timed, and may be traced and logged."""

from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler
from prometheus_client import Histogram

from service.telemetry import tracing
from service.telemetry.doing import DOING, new_id, well_formed
from service.telemetry.metrics import HTTP_DURATION
from service.telemetry.tracing import Span
from service.web.access_log import UNMATCHED, log_request, route_of

__all__ = ["EVENT_STREAM", "IN_FLIGHT", "REQUEST_ID", "Asking", "matched", "measured"]

REQUEST_ID = "X-Request-Id"
EVENT_STREAM = "text/event-stream"

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

FAILED = 500
GONE = 0
"""Stands for the status where there is nobody to be answered any more."""
LASTED = -1
"""And where it was no request that is answered once."""

Handle = Callable[[Any], Awaitable[web.StreamResponse]]
"""Answers a `web.Request`; aiohttp types it as something wider."""


class InFlight:
    """How many requests have begun and not ended; sockets and event streams last as long as they are open."""

    n = 0


IN_FLIGHT = InFlight()


class Asking:
    """A request is answered."""

    __slots__ = ("matched", "request_id")

    def __init__(self, request_id: str) -> None:
        self.request_id: str | None = request_id
        self.matched: web.UrlMappingMatchInfo | None = None
        """What was found for its path; None as long as nothing was looked for."""

    @property
    def route(self) -> str:
        """The template of its path."""
        return route_of(self.matched)

    @property
    def game(self) -> str | None:
        """The game that its path names, once a route is found."""
        return None if self.matched is None or "/games/{id}" not in self.route else self.matched.get("id")


@web.middleware
def matched(request: web.Request, handler: Handler) -> Awaitable[web.StreamResponse]:
    """Note which route a request has."""
    asking = DOING.get()
    if isinstance(asking, Asking):
        asking.matched = request.match_info
    return handler(request)


def measured(handle: Handle) -> Handle:
    """Time what `handle` does."""

    async def answer(request: web.Request) -> web.StreamResponse:
        given = request.headers.get(REQUEST_ID)
        asking = Asking(given if given is not None and well_formed(given) else new_id())
        DOING.set(asking)
        IN_FLIGHT.n += 1
        began, status = perf_counter(), FAILED
        try:
            if not tracing.on() or lasts(request):
                response = await handle(request)
            else:
                response = await _traced(request, handle, asking)
            status = response.status if type(response) is web.Response or not _lasted(response) else LASTED
        except ConnectionError:
            status = LASTED if lasts(request) else GONE
            raise
        else:
            return response
        finally:
            IN_FLIGHT.n -= 1
            if status != LASTED:
                _told(request, asking.route, status, perf_counter() - began)

    return answer


def lasts(request: web.Request) -> bool:
    """Whether a request may be for a socket or an event stream, which last longer than any trace."""
    return hdrs.UPGRADE in request.headers or EVENT_STREAM in request.headers.get(hdrs.ACCEPT, "")


def _lasted(response: web.StreamResponse) -> bool:
    return isinstance(response, web.WebSocketResponse) or response.content_type == EVENT_STREAM


def _told(request: web.Request, route: str, status: int, seconds: float) -> None:
    """Count a request that is over."""
    which = request.method, route, status // 100
    times = _TIMES.get(which)
    if times is None:
        method = request.method if request.method in METHODS else "other"
        times = HTTP_DURATION.labels(method, route, f"{status // 100}xx" if status else "gone")
        if method == request.method:
            _TIMES[which] = times
    times.observe(seconds)
    log_request(request, route, status, seconds)


_TIMES: dict[tuple[str, str, int], Histogram] = {}


async def _traced(request: web.Request, handle: Handle, asking: Asking) -> web.StreamResponse:
    """Do it in a span, below the client's where it names one."""
    with tracing.span(request.method, "server", request.headers) as span:
        try:
            response = await handle(request)
        except Exception:
            _describe(span, request, asking, FAILED)
            raise
        _describe(span, request, asking, response.status)
        return response


def _describe(span: Span, request: web.Request, asking: Asking, status: int) -> None:
    """Name a span as OpenTelemetry's conventions for HTTP do."""
    if (route := asking.route) != UNMATCHED:
        span.update_name(f"{request.method} {route}")
        span.set_attribute("http.route", route)
    span.set_attribute("http.request.method", request.method if request.method in METHODS else "_OTHER")
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("url.scheme", request.scheme)
    span.set_attribute("url.path", request.path)
    span.set_attribute("south_seas.request_id", asking.request_id or "")
    if (game := asking.game) is not None:
        span.set_attribute("south_seas.game", game)
