"""JSON responses with entity tags, caching and compression, and the headers that every response has."""

from hashlib import sha256
from typing import Any

from aiohttp import hdrs, web
from multidict import istr

from schemas.base import encode_json
from schemas.commands import LegalMoves
from service.telemetry.logs import LOG_CONTEXT
from service.web.app_keys import DRAINING
from service.web.common_headers import COMMON_HEADERS, IDEMPOTENT_REPLAYED
from service.web.headers.fields import match_entity_tag
from service.web.headers.negotiation import MAX_SYNC_BYTES, MIN_COMPRESSED_BYTES, CompressibleResponse
from service.web.parsing import JSON

CACHE_IMMUTABLE = "public, max-age=31536000, immutable"
CACHE_PUBLIC = "no-cache"
CACHE_PRIVATE = "private, no-cache"
NO_STORE = "no-store"

ETAG = istr("ETag")
"""As RFC 9110 writes it, which aiohttp does not."""

_CACHE_HEADERS: dict[bool, dict[str, str]] = {
    False: {hdrs.CACHE_CONTROL: CACHE_PUBLIC, hdrs.VARY: "Accept-Encoding"},
    True: {hdrs.CACHE_CONTROL: CACHE_PRIVATE, hdrs.VARY: "Authorization, Accept-Encoding"},
}
"""By whether a response is private."""

_SECRET_HEADERS: dict[bool, dict[str, str]] = {
    False: {hdrs.CACHE_CONTROL: NO_STORE},
    True: {hdrs.CACHE_CONTROL: NO_STORE, hdrs.VARY: "Authorization"},
}
"""The same for a response with secrets, which is never compressed."""


def game_etag(version: int, digest: str) -> str:
    """Return the entity tag of a game's version."""
    return f'"{version}-{digest}"'


def json_response(  # noqa: PLR0913  each says something else of the response
    value: Any,
    *,
    status: int = 200,
    etag: str | None = None,
    private: bool = False,
    secret: bool = False,
    location: str | None = None,
    moves: LegalMoves | None = None,
) -> web.Response:
    """Return a JSON response with a value, or with bytes that are encoded already.

    A `private` response depends on the token. A `secret` response contains tokens or other secrets, and no cache may
    store it. If it contains legal `moves`, it is in their language.
    """
    headers: dict[str, str] = {hdrs.CONTENT_TYPE: JSON, **(_SECRET_HEADERS if secret else _CACHE_HEADERS)[private]}
    if etag is not None:
        headers[ETAG] = etag
    if location is not None:
        headers[hdrs.LOCATION] = location
    if moves is not None:
        headers[hdrs.CONTENT_LANGUAGE] = moves.language
        headers[hdrs.VARY] = f"{headers[hdrs.VARY]}, Accept-Language" if hdrs.VARY in headers else "Accept-Language"
    body = value if type(value) is bytes else encode_json(value)
    if secret or len(body) <= MIN_COMPRESSED_BYTES:
        return web.Response(status=status, body=body, headers=headers)
    return CompressibleResponse(status=status, body=body, headers=headers, zlib_executor_size=MAX_SYNC_BYTES)


def content_etag(body: bytes) -> str:
    """Return the entity tag of a response that has no version."""
    return f'"{sha256(body).hexdigest()[:32]}"'


def cacheable_response(request: web.Request, value: Any, *, private: bool = False) -> web.Response:
    """Return a JSON response with the digest of its body as entity tag, or 304 if the client's copy is current."""
    body = encode_json(value)
    etag = content_etag(body)
    return not_modified_response(request, etag, private=private) or json_response(body, etag=etag, private=private)


def link_next_page(
    request: web.Request, response: web.Response, parameter: str, value: str | int | None
) -> web.Response:
    """Add the link to the next page of a list (RFC 8288): the query with this parameter; None if there is no next."""
    if value is not None:
        next_page = request.rel_url.update_query({parameter: value})
        response.headers["Link"] = f'<{next_page.raw_path_qs}>; rel="next"'
    return response


def mark_replayed(response: web.Response, *, replayed: bool) -> web.Response:
    """Add `Idempotent-Replayed` if the response repeats that of an earlier request with the same key."""
    if replayed:
        response.headers[IDEMPOTENT_REPLAYED] = "true"
    return response


def match_if_none_match(request: web.Request, etag: str) -> str | None:
    """Return the entity tag of the client's copy if that is current, else None. Raises Malformed."""
    lines = request.headers.getall(hdrs.IF_NONE_MATCH, None)
    return None if lines is None else match_entity_tag(lines, etag)


def not_modified_response(request: web.Request, etag: str, *, private: bool = False) -> web.Response | None:
    """Return a 304 response with the entity tag of the client's copy if that is current, else None."""
    current = match_if_none_match(request, etag)
    return None if current is None else web.Response(status=304, headers={"ETag": current, **_CACHE_HEADERS[private]})


def add_common_headers(app: web.Application, response: web.StreamResponse) -> None:
    """Add the CORS, request id and security headers; close the connection if the instance is shutting down."""
    context = LOG_CONTEXT.get()
    app[COMMON_HEADERS].add_to(response.headers, None if context is None else context.request_id)
    if app[DRAINING].is_set():
        response.headers["Connection"] = "close"
        response.force_close()
