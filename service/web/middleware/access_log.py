"""The access log: a line per request, two per WebSocket and event stream, if it is enabled.

A line contains the route and never the path or the query, so that nothing that a client wrote is logged, tokens least.
"""

import logging
from time import perf_counter
from typing import Literal

from aiohttp import web

from service.web.app_keys import API_KEY
from service.web.connections.protocol import get_connection

__all__ = [
    "ACCESS_LOGGER",
    "UNMATCHED_ROUTE",
    "StreamKind",
    "get_route_template",
    "log_request",
    "log_stream_closed",
    "log_stream_opened",
]

ACCESS_LOGGER = logging.getLogger("service.web.access")

UNMATCHED_ROUTE = "unmatched"
"""The route of all unknown paths."""

StreamKind = Literal["socket", "stream"]


def get_route_template(request: web.Request) -> str:
    """Return the template of the matched path, or `UNMATCHED_ROUTE`."""
    resource = request.match_info.route.resource
    return UNMATCHED_ROUTE if resource is None else resource.canonical


def log_request(request: web.BaseRequest, route: str, status: int, seconds: float) -> None:
    """Log an answered request; status 0 stands for a client that has disconnected."""
    if ACCESS_LOGGER.isEnabledFor(logging.INFO):
        fields = {"method": request.method, "route": route, "status": status, "milliseconds": round(seconds * 1e3, 3)}
        if (key := request.get(API_KEY)) is not None:
            fields["api_key"] = key.name
        ACCESS_LOGGER.info(
            "%s %s %d", request.method, route, status, extra={**fields, "address": _get_address(request)}
        )


def log_stream_opened(request: web.Request, kind: StreamKind) -> float:
    """Log the opening of a WebSocket or event stream; return its time, for `log_stream_closed`."""
    if ACCESS_LOGGER.isEnabledFor(logging.INFO):
        route = get_route_template(request)
        ACCESS_LOGGER.info(
            "%s opened %s", kind, route, extra={"kind": kind, "route": route, "address": _get_address(request)}
        )
    return perf_counter()


def log_stream_closed(request: web.Request, kind: StreamKind, opened: float, code: int | None = None) -> None:
    """Log the end of a stream, of a WebSocket with its close code, or 1006."""
    if ACCESS_LOGGER.isEnabledFor(logging.INFO):
        fields = {"kind": kind, "route": get_route_template(request), "seconds": round(perf_counter() - opened, 3)}
        if code is not None:
            fields["code"] = code
        ACCESS_LOGGER.info("%s closed %s", kind, fields["route"], extra={**fields, "address": _get_address(request)})


def _get_address(request: web.BaseRequest) -> str:
    """Return the client's address, as the limits count it."""
    return get_connection(request).address
