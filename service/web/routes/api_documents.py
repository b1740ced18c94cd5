"""The documents that describe the service, as they lie in `schemas/`."""

from functools import cache
from hashlib import sha256
from importlib import resources
from typing import NamedTuple

from aiohttp import web

from service.web.responses import json_response, not_modified_response
from service.web.routing import ResponseSpec, Route

NOT_MODIFIED = ResponseSpec(304, "Nothing has changed.", headers=("ETag",))


class Document(NamedTuple):
    """A document with its entity tag."""

    body: bytes
    etag: str


@cache
def load_document(name: str) -> Document:
    """A document of `schemas/`."""
    body = resources.files("schemas").joinpath(name).read_bytes()
    return Document(body, f'"{sha256(body).hexdigest()[:32]}"')


@Route(
    "GET",
    "/openapi.json",
    operation_id="readOpenApi",
    summary="This document",
    tag="service",
    headers=("If-None-Match",),
    responses=(ResponseSpec(200, "The OpenAPI 3.1 document.", dict, ("ETag",)), NOT_MODIFIED),
)
async def read_openapi(request: web.Request) -> web.Response:
    """What the service answers over HTTP, as an OpenAPI 3.1 document."""
    return _document_response(request, "openapi.json")


@Route(
    "GET",
    "/asyncapi.json",
    operation_id="readAsyncApi",
    summary="What goes over the WebSocket",
    tag="service",
    headers=("If-None-Match",),
    responses=(ResponseSpec(200, "The AsyncAPI 3.0 document.", dict, ("ETag",)), NOT_MODIFIED),
)
async def read_asyncapi(request: web.Request) -> web.Response:
    """What the service says and understands on its WebSocket, as an AsyncAPI 3.0 document."""
    return _document_response(request, "asyncapi.json")


def _document_response(request: web.Request, name: str) -> web.Response:
    document = load_document(name)
    return not_modified_response(request, document.etag) or json_response(document.body, etag=document.etag)


ROUTES = (read_openapi, read_asyncapi)
