"""Static files: what was built below `static/`, entity tags, gzip variants and security headers."""

import gzip
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from mimetypes import MimeTypes
from typing import NamedTuple

from aiohttp import hdrs, web

from service.web.common_headers import PAGE_HEADERS
from service.web.headers.negotiation import negotiate_coding
from service.web.parsing import JSON
from service.web.responses import match_if_none_match

__all__ = ["Asset", "list_files", "load_file", "make_asset", "static_response"]

_MEDIA_TYPES = MimeTypes()
"""Python's own table, whatever the system has; of scripts it knows an obsolete name (RFC 9239)."""
_MEDIA_TYPES.add_type("text/javascript", ".js")
PNG = "image/png"
MEDIA_TYPES_WITHOUT_CHARSET = frozenset({PNG, JSON})


class Asset(NamedTuple):
    """A static file: its bytes, the same compressed with gzip, and their digest; a PNG is compressed already."""

    media_type: str
    body: bytes
    gzipped: bytes
    digest: str


def make_asset(media_type: str, body: bytes) -> Asset:
    """Return an asset with these bytes."""
    charset = "" if media_type in MEDIA_TYPES_WITHOUT_CHARSET else "; charset=utf-8"
    gzipped = b"" if media_type == PNG else gzip.compress(body, mtime=0)
    return Asset(f"{media_type}{charset}", body, gzipped, sha256(body).hexdigest()[:32])


@cache
def list_files(folder: str) -> Mapping[str, Traversable]:
    """Return the files that were built into a folder, by their paths below it; none if it was not built."""
    built = resources.files("service.web").joinpath("static", folder)
    return dict(_walk(built, "")) if built.is_dir() else {}


def load_file(folder: str, path: str) -> Asset | None:
    """Load a built file; None if there is no such file."""
    return _load(folder, path) if path in list_files(folder) else None


@cache
def _load(folder: str, path: str) -> Asset:
    media_type = _MEDIA_TYPES.guess_type(path)[0] or "application/octet-stream"
    return make_asset(media_type, list_files(folder)[path].read_bytes())


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, Traversable]]:
    files: list[tuple[str, Traversable]] = []
    for entry in folder.iterdir():
        files += _walk(entry, f"{prefix}{entry.name}/") if entry.is_dir() else [(f"{prefix}{entry.name}", entry)]
    return files


def static_response(
    request: web.Request, asset: Asset, caching: str, security_headers: Mapping[str, str] = PAGE_HEADERS
) -> web.Response:
    """Return the response to a GET; the gzip variant has its own entity tag, as its bytes differ."""
    etag = f'"{asset.digest}"'
    headers = {**security_headers, "Cache-Control": caching, "Vary": "Accept-Encoding"}
    if (current := match_if_none_match(request, etag)) is not None:
        return web.Response(status=304, headers={**headers, "ETag": current})
    headers["Content-Type"] = asset.media_type
    accepted = ",".join(request.headers.getall(hdrs.ACCEPT_ENCODING, ()))
    if asset.gzipped and negotiate_coding(accepted) is web.ContentCoding.gzip:
        headers |= {"ETag": f'{etag[:-1]}-gzip"', "Content-Encoding": "gzip"}
        return web.Response(body=asset.gzipped, headers=headers)
    return web.Response(body=asset.body, headers={**headers, "ETag": etag})
