"""The service itself: `GET /livez` and `GET /readyz`, and the API documents `/openapi.json` and `/asyncapi.json`."""

import asyncio
from functools import cache, partial
from importlib import resources

from aiohttp import web

from schemas.service import Health
from service.web.app_keys import DRAINING, SUPERVISOR
from service.web.errors import BackgroundTaskFailing, ShuttingDown
from service.web.parsing import JSON
from service.web.responses import CACHE_PUBLIC, json_response
from service.web.routing import Request, Route
from service.web.static_assets import Asset, make_asset, static_response

HEALTHY = Health(status="ok")

service_route = partial(Route, "GET", tag="service")


@service_route(
    "/livez", "checkLiveness", "Check liveness", Health, "The instance is alive.", headers=(), is_limited=False
)
async def livez(_request: web.Request, _: Request) -> web.Response:
    """Return 200 as long as the process can respond, even if its store is unavailable."""
    return json_response(HEALTHY)


@service_route(
    "/readyz",
    "checkReadiness",
    "Check readiness",
    Health,
    "The instance is ready for requests.",
    headers=(),
    problems=("draining", "instance_unavailable"),
    is_limited=False,
)
async def readyz(request: web.Request, _: Request) -> web.Response:
    """Return `draining` while the instance shuts down, `instance_unavailable` while a task of its own keeps failing.

    Redis does not count: no other instance could do what it cannot, and whatever does not need it is served.
    """
    if request.app[DRAINING].is_set():
        raise ShuttingDown
    if (task := request.app[SUPERVISOR].failing_task()) is not None:
        raise BackgroundTaskFailing(task)
    return json_response(HEALTHY)


@cache
def load_document(name: str) -> Asset:
    """Load a document of `schemas/` by its file name."""
    return make_asset(JSON, resources.files("schemas").joinpath(name).read_bytes())


@service_route("/openapi.json", "readOpenApi", "Read the OpenAPI document", dict, "The OpenAPI 3.1 document.")
async def read_openapi(request: web.Request, _: Request) -> web.Response:
    """Return the OpenAPI 3.1 document of the HTTP API."""
    return await _document_response(request, "openapi.json")


@service_route("/asyncapi.json", "readAsyncApi", "Read the AsyncAPI document", dict, "The AsyncAPI 3.0 document.")
async def read_asyncapi(request: web.Request, _: Request) -> web.Response:
    """Return the AsyncAPI 3.0 document of the WebSocket messages."""
    return await _document_response(request, "asyncapi.json")


async def _document_response(request: web.Request, name: str) -> web.Response:
    document = await asyncio.to_thread(load_document, name)
    return static_response(request, document, CACHE_PUBLIC, security_headers={})


ROUTES = (livez, readyz, read_openapi, read_asyncapi)
