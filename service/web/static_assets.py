"""Static files: entity tags, gzip variants and security headers."""

import gzip
from hashlib import sha256
from typing import NamedTuple

from aiohttp import web

from service.web.middleware.security_headers import PAGE_HEADERS
from service.web.parsing import matches_if_none_match

__all__ = ["Asset", "make_asset", "static_response"]

BINARY_MEDIA_TYPES = frozenset({"image/png"})


class Asset(NamedTuple):
    """A static file: its bytes, the same compressed with gzip, and their digest."""

    media_type: str
    body: bytes
    gzipped: bytes
    digest: str


def make_asset(media_type: str, body: bytes) -> Asset:
    """Return an asset with these bytes."""
    charset = "" if media_type in BINARY_MEDIA_TYPES else "; charset=utf-8"
    return Asset(f"{media_type}{charset}", body, gzip.compress(body, mtime=0), sha256(body).hexdigest()[:32])


def static_response(request: web.Request, asset: Asset, caching: str, vary: str = "Accept-Encoding") -> web.Response:
    """Return the response to a GET; the gzip variant has its own entity tag, as its bytes differ."""
    accepts_gzip = "gzip" in request.headers.get("Accept-Encoding", "")
    etag = f'"{asset.digest}-gzip"' if accepts_gzip else f'"{asset.digest}"'
    headers = {**PAGE_HEADERS, "ETag": etag, "Cache-Control": caching, "Vary": vary}
    if matches_if_none_match(request, etag):
        return web.Response(status=304, headers=headers)
    headers["Content-Type"] = asset.media_type
    if accepts_gzip:
        headers["Content-Encoding"] = "gzip"
    return web.Response(body=asset.gzipped if accepts_gzip else asset.body, headers=headers)
