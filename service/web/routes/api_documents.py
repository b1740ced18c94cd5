"""`GET /openapi.json` and `GET /asyncapi.json`: the generated API documents of `schemas/`."""

import asyncio
from functools import cache, partial
from importlib import resources

from aiohttp import web

from service.web.parsing import JSON
from service.web.responses import CACHE_PUBLIC
from service.web.routing import ResponseSpec, Route
from service.web.static_assets import Asset, make_asset, static_response

NOT_MODIFIED = ResponseSpec(304, "The document has not changed.", headers=("ETag",))


@cache
def load_document(name: str) -> Asset:
    """Load a document of `schemas/` by its file name."""
    return make_asset(JSON, resources.files("schemas").joinpath(name).read_bytes())


document_route = partial(Route, "GET", tag="service", headers=("If-None-Match",))


@document_route(
    "/openapi.json",
    operation_id="readOpenApi",
    summary="Read the OpenAPI document",
    responses=(ResponseSpec(200, "The OpenAPI 3.1 document.", dict, ("ETag",)), NOT_MODIFIED),
)
async def read_openapi(request: web.Request) -> web.Response:
    """Return the OpenAPI 3.1 document of the HTTP API."""
    return await _document_response(request, "openapi.json")


@document_route(
    "/asyncapi.json",
    operation_id="readAsyncApi",
    summary="Read the AsyncAPI document",
    responses=(ResponseSpec(200, "The AsyncAPI 3.0 document.", dict, ("ETag",)), NOT_MODIFIED),
)
async def read_asyncapi(request: web.Request) -> web.Response:
    """Return the AsyncAPI 3.0 document of the WebSocket messages."""
    return await _document_response(request, "asyncapi.json")


async def _document_response(request: web.Request, name: str) -> web.Response:
    document = await asyncio.to_thread(load_document, name)
    return static_response(request, document, CACHE_PUBLIC, security_headers={})


ROUTES = (read_openapi, read_asyncapi)
