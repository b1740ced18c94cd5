"""The access log: a line for each request, two for each socket and event stream, where that is turned on.

A line names the route and never the path or the query, so that nothing that a client writes is in it, tokens least.
"""

import logging
from time import perf_counter
from typing import Literal

from aiohttp import web

from service.web.connections.protocol import get_connection

__all__ = [
    "ACCESS_LOGGER",
    "UNMATCHED_ROUTE",
    "log_request",
    "log_stream_closed",
    "log_stream_opened",
    "route_template",
]

ACCESS_LOGGER = logging.getLogger("service.web.access")

UNMATCHED_ROUTE = "unmatched"
"""The route of all paths that there are not."""

Kind = Literal["socket", "stream"]


def route_template(request: web.Request) -> str:
    """The template of the path that was found; one name for all paths that there are not."""
    resource = request.match_info.route.resource
    return UNMATCHED_ROUTE if resource is None else resource.canonical


def log_request(request: web.BaseRequest, route: str, status: int, seconds: float) -> None:
    """Log a request that was answered; status 0 stands for a client that had gone by then."""
    if ACCESS_LOGGER.isEnabledFor(logging.INFO):
        about = {"method": request.method, "route": route, "status": status, "milliseconds": round(seconds * 1e3, 3)}
        ACCESS_LOGGER.info("%s %s %d", request.method, route, status, extra={**about, "address": _address(request)})


def log_stream_opened(request: web.Request, kind: Kind) -> float:
    """Log that a socket or an event stream begins; gives when, for `log_closed`."""
    if ACCESS_LOGGER.isEnabledFor(logging.INFO):
        route = route_template(request)
        ACCESS_LOGGER.info(
            "%s opened %s", kind, route, extra={"kind": kind, "route": route, "address": _address(request)}
        )
    return perf_counter()


def log_stream_closed(request: web.Request, kind: Kind, opened: float, code: int | None = None) -> None:
    """Log that it ended, a socket with the code that the client was told, or 1006."""
    if ACCESS_LOGGER.isEnabledFor(logging.INFO):
        about = {"kind": kind, "route": route_template(request), "seconds": round(perf_counter() - opened, 3)}
        if code is not None:
            about["code"] = code
        ACCESS_LOGGER.info("%s closed %s", kind, about["route"], extra={**about, "address": _address(request)})


def _address(request: web.BaseRequest) -> str:
    """The client, as its limits know it: behind a trusted proxy who that says it is."""
    return get_connection(request).address
