"""What log lines say of a request: its context, and the access log.

The access log has a line per request, and two per WebSocket and event stream. A line contains the route and never the
path or the query, so that nothing that a client wrote is logged, tokens least.
"""

import logging
from typing import Any, Literal

from aiohttp import web

from service.web.common_headers import is_valid_request_id, new_request_id
from service.web.connections.protocol import get_connection

__all__ = [
    "ACCESS_LOGGER",
    "UNMATCHED_ROUTE",
    "RequestContext",
    "StreamKind",
    "get_route",
    "log_request",
    "log_stream",
]

ACCESS_LOGGER = logging.getLogger("service.web.access")

UNMATCHED_ROUTE = "unmatched"
"""The route of all unknown paths."""

StreamKind = Literal["socket", "stream"]


class RequestContext:
    """The log context of a request."""

    __slots__ = ("request", "request_id")

    def __init__(self, client_request_id: str | None = None) -> None:
        self.request_id: str | None = (
            client_request_id
            if client_request_id is not None and is_valid_request_id(client_request_id)
            else new_request_id()
        )
        """The client's, if it is safe in log lines and headers."""
        self.request: web.Request | None = None
        """The request, once the application has it and its route is known."""

    @property
    def game(self) -> str | None:
        """Return the game that its path names, once its route is known."""
        if self.request is None or "/games/{id}" not in get_route(self.request):
            return None
        return self.request.match_info.get("id")


def log_request(request: web.BaseRequest, route: str, status: int, seconds: float) -> None:
    """Log an answered request; status 0 stands for a client that has disconnected."""
    if not ACCESS_LOGGER.isEnabledFor(logging.INFO):
        return
    charge = get_connection(request).charge
    _log(
        request,
        f"{request.method} {route} {status}",
        method=request.method,
        route=route,
        status=status,
        milliseconds=round(seconds * 1e3, 3),
        **({} if charge is None or charge.api_key is None else {"api_key": charge.api_key.name}),
    )


def log_stream(request: web.Request, kind: StreamKind, event: Literal["opened", "closed"], **fields: Any) -> None:
    """Log the opening or the end of a WebSocket or event stream."""
    if ACCESS_LOGGER.isEnabledFor(logging.INFO):
        route = get_route(request)
        _log(request, f"{kind} {event} {route}", kind=kind, route=route, **fields)


def _log(request: web.BaseRequest, message: str, **fields: Any) -> None:
    """Log a line with these fields and the client's address, as the limits count it."""
    ACCESS_LOGGER.info("%s", message, extra={**fields, "address": get_connection(request).address})


def get_route(request: web.Request | None) -> str:
    """Return the template of the matched path."""
    resource = None if request is None else request.match_info.route.resource
    return UNMATCHED_ROUTE if resource is None else resource.canonical
