"""Bytes that are the same for everybody until the next release: their entity tags, packed forms and caching."""

import gzip
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import NamedTuple

from aiohttp import web

from service.web.answers import IMMUTABLE, PUBLIC
from service.web.asked import unchanged
from service.web.security import PAGE

__all__ = ["Asset", "answer", "asset", "kept", "shipped"]

SHIPPED = {
    "docs.css": "text/css",
    "viewer.css": "text/css",
    "viewer.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "swagger-ui/swagger-ui.css": "text/css",
    "swagger-ui/swagger-ui-bundle.js": "text/javascript",
    "swagger-ui/LICENSE": "text/plain",
    "swagger-ui/NOTICE": "text/plain",
    "swagger-ui/swagger-ui-bundle.js.LICENSE.txt": "text/plain",
    "pictures/board.png": "image/png",
    "pictures/tiles.png": "image/png",
    "pictures/ships.png": "image/png",
}
"""What pages load: files of `static/`, and the pictures beside the sources of the pages."""


class Asset(NamedTuple):
    """What is sent, plain and packed, and the digest of it."""

    media_type: str
    body: bytes
    packed: bytes
    digest: str


def asset(media_type: str, body: bytes) -> Asset:
    """These bytes, ready to be sent."""
    charset = "" if media_type == "image/png" else "; charset=utf-8"
    return Asset(f"{media_type}{charset}", body, gzip.compress(body, mtime=0), sha256(body).hexdigest()[:32])


@cache
def shipped(name: str) -> Asset:
    """What has one of the names of SHIPPED."""
    folder = "sources" if name.startswith("pictures/") else "static"
    body = resources.files(__package__).joinpath(folder, *name.split("/")).read_bytes()
    return asset(SHIPPED[name], body)


def kept(name: str) -> str:
    """The address of a file as of this release: whoever has it need not ask again."""
    return f"/docs/static/{name}?v={shipped(name).digest}"


def answer(request: web.Request, found: Asset) -> web.Response:
    """The answer to a GET; the packed form has a tag of its own, as these are other bytes."""
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    tag = f'"{found.digest}-gzip"' if packed else f'"{found.digest}"'
    headers = {
        **PAGE,
        "ETag": tag,
        "Cache-Control": IMMUTABLE if request.query.get("v") == found.digest else PUBLIC,
        "Vary": "Accept-Encoding",
    }
    if unchanged(request, tag):
        return web.Response(status=304, headers=headers)
    headers["Content-Type"] = found.media_type
    if packed:
        headers["Content-Encoding"] = "gzip"
    return web.Response(body=found.packed if packed else found.body, headers=headers)
