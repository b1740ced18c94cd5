"""Answers: JSON with its entity tag and its caching, and what every answer to a browser carries."""

from typing import Any

from aiohttp import web
from multidict import istr

from schemas.base import encode
from service.telemetry.doing import DOING
from service.web.asked import JSON, unchanged
from service.web.keys import DRAINING
from service.web.metrics_requests import REQUEST_ID
from service.web.security import SECURITY

EXPOSED = "ETag, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id"
REPLAYED = istr("Idempotent-Replayed")
IMMUTABLE = "public, max-age=31536000, immutable"
PUBLIC = "no-cache"
PRIVATE = "private, no-cache"
NEVER = "no-store"


def etag(version: int, digest: str) -> str:
    """The entity tag of everything that is told of a game at a version."""
    return f'"{version}-{digest}"'


def answer(
    value: Any, *, status: int = 200, tag: str | None = None, private: bool = False, location: str | None = None
) -> web.Response:
    """An answer in JSON. `private` is whether only a token opens what it tells."""
    return json_answer(encode(value), status=status, tag=tag, private=private, location=location)


def secret_answer(
    value: Any, *, status: int = 200, tag: str | None = None, private: bool = False, location: str | None = None
) -> web.Response:
    """An answer that hands out tokens or other secrets: no cache may keep it, the browser's own least."""
    response = answer(value, status=status, tag=tag, private=private, location=location)
    response.headers["Cache-Control"] = NEVER
    return response


def mark_replayed(response: web.Response, *, replayed: bool) -> web.Response:
    """Say so where the answer is to a key that was answered before."""
    if replayed:
        response.headers[REPLAYED] = "true"
    return response


def json_answer(
    body: bytes, *, status: int = 200, tag: str | None = None, private: bool = False, location: str | None = None
) -> web.Response:
    """The same of something encoded."""
    headers = {"Content-Type": JSON, "Cache-Control": PUBLIC}
    if tag is not None:
        headers["ETag"] = tag
    if private:
        headers["Cache-Control"] = PRIVATE
        headers["Vary"] = "Authorization"
    if location is not None:
        headers["Location"] = location
    return web.Response(status=status, body=body, headers=headers)


def not_modified(request: web.Request, tag: str, *, private: bool = False) -> web.Response | None:
    """304 where the client has this already."""
    if not unchanged(request, tag):
        return None
    headers = {"ETag": tag, "Cache-Control": PRIVATE if private else PUBLIC}
    if private:
        headers["Vary"] = "Authorization"
    return web.Response(status=304, headers=headers)


def finish_headers(app: web.Application, response: web.StreamResponse) -> None:
    """Let every origin read the answer and no browser do more; close the connection where this instance is stopping."""
    headers = response.headers
    headers["Access-Control-Allow-Origin"] = "*"
    headers["Access-Control-Expose-Headers"] = EXPOSED
    if (doing := DOING.get()) is not None and doing.request_id is not None:
        headers[REQUEST_ID] = doing.request_id
    app[SECURITY].add_to(headers)
    if app[DRAINING].is_set():
        response.headers["Connection"] = "close"
        response.force_close()
