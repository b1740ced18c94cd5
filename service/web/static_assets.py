"""Static files: entity tags, gzip variants and security headers."""

import gzip
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from aiohttp import web

from service.web.common_headers import PAGE_HEADERS
from service.web.headers.negotiation import negotiate_coding
from service.web.parsing import JSON
from service.web.responses import match_if_none_match

__all__ = ["Asset", "make_asset", "static_response"]

MEDIA_TYPES_WITHOUT_CHARSET = frozenset({"image/png", JSON})


class Asset(NamedTuple):
    """A static file: its bytes, the same compressed with gzip, and their digest."""

    media_type: str
    body: bytes
    gzipped: bytes
    digest: str


def make_asset(media_type: str, body: bytes) -> Asset:
    """Return an asset with these bytes."""
    charset = "" if media_type in MEDIA_TYPES_WITHOUT_CHARSET else "; charset=utf-8"
    return Asset(f"{media_type}{charset}", body, gzip.compress(body, mtime=0), sha256(body).hexdigest()[:32])


def static_response(
    request: web.Request, asset: Asset, caching: str, security_headers: Mapping[str, str] = PAGE_HEADERS
) -> web.Response:
    """Return the response to a GET; the gzip variant has its own entity tag, as its bytes differ."""
    etag = f'"{asset.digest}"'
    headers = {**security_headers, "Cache-Control": caching, "Vary": "Accept-Encoding"}
    if (current := match_if_none_match(request, etag)) is not None:
        return web.Response(status=304, headers={**headers, "ETag": current})
    headers["Content-Type"] = asset.media_type
    if negotiate_coding(request) is web.ContentCoding.gzip:
        headers |= {"ETag": f'{etag[:-1]}-gzip"', "Content-Encoding": "gzip"}
        return web.Response(body=asset.gzipped, headers=headers)
    return web.Response(body=asset.body, headers={**headers, "ETag": etag})
