"""`GET /openapi.json` and `GET /asyncapi.json`: the generated API documents of `schemas/`."""

from functools import cache, partial
from hashlib import sha256
from importlib import resources
from typing import NamedTuple

from aiohttp import web

from service.web.responses import json_response, not_modified_response
from service.web.routing import ResponseSpec, Route

NOT_MODIFIED = ResponseSpec(304, "The document has not changed.", headers=("ETag",))


class Document(NamedTuple):
    """An encoded document with its entity tag."""

    body: bytes
    etag: str


@cache
def load_document(name: str) -> Document:
    """Load a document of `schemas/` by its file name."""
    body = resources.files("schemas").joinpath(name).read_bytes()
    return Document(body, f'"{sha256(body).hexdigest()[:32]}"')


document_route = partial(Route, "GET", tag="service", headers=("If-None-Match",))


@document_route(
    "/openapi.json",
    operation_id="readOpenApi",
    summary="Read the OpenAPI document",
    responses=(ResponseSpec(200, "The OpenAPI 3.1 document.", dict, ("ETag",)), NOT_MODIFIED),
)
async def read_openapi(request: web.Request) -> web.Response:
    """Return the OpenAPI 3.1 document of the HTTP API."""
    return _document_response(request, "openapi.json")


@document_route(
    "/asyncapi.json",
    operation_id="readAsyncApi",
    summary="Read the AsyncAPI document",
    responses=(ResponseSpec(200, "The AsyncAPI 3.0 document.", dict, ("ETag",)), NOT_MODIFIED),
)
async def read_asyncapi(request: web.Request) -> web.Response:
    """Return the AsyncAPI 3.0 document of the WebSocket messages."""
    return _document_response(request, "asyncapi.json")


def _document_response(request: web.Request, name: str) -> web.Response:
    document = load_document(name)
    return not_modified_response(request, document.etag) or json_response(document.body, etag=document.etag)


ROUTES = (read_openapi, read_asyncapi)
