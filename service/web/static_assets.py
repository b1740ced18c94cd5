"""Bytes that are the same for everybody until the next release: their entity tags, packed forms and protection."""

import gzip
from hashlib import sha256
from typing import NamedTuple

from aiohttp import web

from service.web.parsing import unchanged
from service.web.security_headers import PAGE

__all__ = ["Asset", "asset", "asset_answer"]

BINARY = frozenset({"image/png"})


class Asset(NamedTuple):
    """What is sent, plain and packed, and the digest of it."""

    media_type: str
    body: bytes
    packed: bytes
    digest: str


def asset(media_type: str, body: bytes) -> Asset:
    """Prepare these bytes to be sent."""
    charset = "" if media_type in BINARY else "; charset=utf-8"
    return Asset(f"{media_type}{charset}", body, gzip.compress(body, mtime=0), sha256(body).hexdigest()[:32])


def asset_answer(request: web.Request, found: Asset, caching: str, vary: str = "Accept-Encoding") -> web.Response:
    """Answer a GET; the packed form has a tag of its own, as these are other bytes."""
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    tag = f'"{found.digest}-gzip"' if packed else f'"{found.digest}"'
    headers = {**PAGE, "ETag": tag, "Cache-Control": caching, "Vary": vary}
    if unchanged(request, tag):
        return web.Response(status=304, headers=headers)
    headers["Content-Type"] = found.media_type
    if packed:
        headers["Content-Encoding"] = "gzip"
    return web.Response(body=found.packed if packed else found.body, headers=headers)
