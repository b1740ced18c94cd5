"""Around the application: each request has an id, is timed, and may be traced and logged."""

from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aiohttp import hdrs, web
from multidict import istr
from prometheus_client import Histogram

from service.telemetry import tracing
from service.telemetry.log_context import DOING, new_id, well_formed
from service.telemetry.metrics import HTTP_DURATION
from service.web.access_log import UNMATCHED, log_request, route_of

if TYPE_CHECKING:
    from opentelemetry.trace import Span

__all__ = ["EVENT_STREAM", "IN_FLIGHT", "REQUEST_ID", "Asking", "measured", "routed"]

REQUEST_ID = istr("X-Request-Id")
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

    __slots__ = ("request", "request_id")

    def __init__(self, request_id: str) -> None:
        self.request_id: str | None = request_id
        self.request: web.Request | None = None
        """Itself, once the application has it: that finds its route first."""

    @property
    def route(self) -> str:
        """The template of its path."""
        return UNMATCHED if self.request is None else route_of(self.request)

    @property
    def game(self) -> str | None:
        """The game that its path names, once a route is found."""
        if self.request is None or "/games/{id}" not in self.route:
            return None
        return self.request.match_info.get("id")


def routed(handle: Handle) -> Handle:
    """Note that a request was handed to the application, whose `handle` this is; what was refused before has no route.

    A middleware would do it too, for some 4 us: aiohttp adds one of its own then.
    """

    def answer(request: web.Request) -> Awaitable[web.StreamResponse]:
        asking = DOING.get()
        if type(asking) is Asking:
            asking.request = request
        return handle(request)

    return answer


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
            asking.request = None  # cancelled timers keep the context of who started them, and so this

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


def _describe(span: "Span", request: web.Request, asking: Asking, status: int) -> None:
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
