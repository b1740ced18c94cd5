"""JSON responses and static files, with entity tags, caching and compression."""

import asyncio
import gzip
import zlib
from collections.abc import Mapping
from functools import cache, lru_cache, partial
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from mimetypes import MimeTypes
from typing import Any, NamedTuple

from aiohttp import hdrs, web
from aiohttp.abc import AbstractStreamWriter
from multidict import CIMultiDict, istr

from schemas.base import encode_json
from schemas.commands import LegalMoves
from service.games.ports import Revision
from service.web.app import HttpRequest
from service.web.headers import match_entity_tag, negotiate_coding, service_url
from service.web.parsing import JSON
from service.web.problems import NoSuchPath
from service.web.response_heads import IDEMPOTENT_REPLAYED, PAGE_HEADERS, WholeResponse

CACHE_IMMUTABLE = "public, max-age=31536000, immutable"
CACHE_PUBLIC = "no-cache"
CACHE_PRIVATE = "private, no-cache"
NO_STORE = "no-store"

MIN_COMPRESSED_BYTES = 1024
"""A smaller body fits into one packet as it is."""

MAX_SYNC_BYTES = 16_384
"""Larger bodies of a CompressibleResponse are compressed in a thread: this one takes some 0.3 ms."""

ETAG = istr("ETag")
"""As RFC 9110 writes it, which aiohttp does not."""

_CACHE_HEADERS: dict[bool, dict[str, str]] = {
    False: {hdrs.CACHE_CONTROL: CACHE_PUBLIC, hdrs.VARY: "Accept-Encoding"},
    True: {hdrs.CACHE_CONTROL: CACHE_PRIVATE, hdrs.VARY: "Authorization, Accept-Encoding"},
}
"""By whether a response is private."""

_JSON_HEADERS = {
    private: CIMultiDict({hdrs.CONTENT_TYPE: JSON, **headers}) for private, headers in _CACHE_HEADERS.items()
}

_SECRET_HEADERS = {
    False: CIMultiDict({hdrs.CONTENT_TYPE: JSON, hdrs.CACHE_CONTROL: NO_STORE}),
    True: CIMultiDict({hdrs.CONTENT_TYPE: JSON, hdrs.CACHE_CONTROL: NO_STORE, hdrs.VARY: "Authorization"}),
}
"""The same for a response with secrets, which is never compressed."""


_WINDOW_BITS = {web.ContentCoding.gzip: 16 + zlib.MAX_WBITS, web.ContentCoding.deflate: zlib.MAX_WBITS}


class CompressibleResponse(WholeResponse):
    """A response that is compressed if the client accepts a coding; each coding has its own entity tag.

    It must contain no secrets: its length would reveal them to whoever can choose another part of it (BREACH).
    """

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        """Choose the coding, and write the response."""
        coding = negotiate_coding(",".join(request.headers.getall(hdrs.ACCEPT_ENCODING, ())))
        if coding is not None:
            headers, body, compress = self.headers, self.body, partial(zlib.compress, wbits=_WINDOW_BITS[coding])
            assert isinstance(body, bytes)  # noqa: S101  no response here has any other
            self.body = compress(body) if len(body) <= MAX_SYNC_BYTES else await asyncio.to_thread(compress, body)
            headers[hdrs.CONTENT_ENCODING] = coding.value
            if (etag := headers.get("ETag")) is not None:
                headers["ETag"] = f'{etag[:-1]}-{coding.value}"'
        return await super().prepare(request)


def revision_etag(revision: Revision) -> str:
    """Return the entity tag of a stored game."""
    return game_etag(revision.version, revision.digest.hex())


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
    body = value if type(value) is bytes else encode_json(value)
    kind = WholeResponse if secret or len(body) <= MIN_COMPRESSED_BYTES else CompressibleResponse
    response = kind(status=status, body=body, headers=(_SECRET_HEADERS if secret else _JSON_HEADERS)[private])
    headers = response.headers
    if etag is not None:
        headers[ETAG] = etag
    if location is not None:
        headers[hdrs.LOCATION] = location
    if moves is not None:
        headers[hdrs.CONTENT_LANGUAGE] = moves.language
        headers[hdrs.VARY] = f"{headers[hdrs.VARY]}, Accept-Language" if hdrs.VARY in headers else "Accept-Language"
    return response


def content_etag(body: bytes) -> str:
    """Return the entity tag of a response that has no version."""
    return f'"{sha256(body).hexdigest()[:32]}"'


def cacheable_response(request: HttpRequest, value: Any, *, private: bool = False) -> web.Response:
    """Return a JSON response with the digest of its body as entity tag, or 304 if the client's copy is current."""
    body = encode_json(value)
    etag = content_etag(body)
    return not_modified_response(request, etag, private=private) or json_response(body, etag=etag, private=private)


def link_next_page(
    request: HttpRequest, response: web.Response, parameter: str, value: str | int | None
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


def match_if_none_match(request: HttpRequest, etag: str) -> str | None:
    """Return the entity tag of the client's copy if that is current, else None. Raises Malformed."""
    lines = request.headers.getall(hdrs.IF_NONE_MATCH, None)
    return None if lines is None else match_entity_tag(lines, etag)


def not_modified_response(request: HttpRequest, etag: str, *, private: bool = False) -> web.Response | None:
    """Return a 304 response with the entity tag of the client's copy if that is current, else None."""
    current = match_if_none_match(request, etag)
    return None if current is None else WholeResponse(status=304, headers={"ETag": current, **_CACHE_HEADERS[private]})


_MEDIA_TYPES = MimeTypes()
"""Python's own table, whatever the system has; of scripts it knows an obsolete name (RFC 9239)."""
_MEDIA_TYPES.add_type("text/javascript", ".js")
_MEDIA_TYPES.add_type("application/zip", ".whl")
_MEDIA_TYPES.add_type("application/gzip", ".tgz")
del _MEDIA_TYPES.suffix_map[".tgz"]
PNG = "image/png"
COMPRESSED_MEDIA_TYPES = frozenset({PNG, "application/zip", "application/gzip"})
MEDIA_TYPES_WITHOUT_CHARSET = COMPRESSED_MEDIA_TYPES | {JSON}


class Asset(NamedTuple):
    """A static file: its bytes, the same compressed with gzip, and their digest; some are compressed already."""

    media_type: str
    body: bytes
    gzipped: bytes
    digest: str


def make_asset(media_type: str, body: bytes) -> Asset:
    """Return an asset with these bytes."""
    charset = "" if media_type in MEDIA_TYPES_WITHOUT_CHARSET else "; charset=utf-8"
    gzipped = b"" if media_type in COMPRESSED_MEDIA_TYPES else gzip.compress(body, mtime=0)
    return Asset(f"{media_type}{charset}", body, gzipped, sha256(body).hexdigest()[:32])


@cache
def list_files(folder: str) -> Mapping[str, Traversable]:
    """Return the files that were built into a folder, by their paths below it; none if it was not built."""
    built = resources.files("service.web").joinpath("static", folder)
    return dict(_walk(built, "")) if built.is_dir() else {}


def load_file(folder: str, path: str) -> Asset:
    """Load a built file. Raises NoSuchPath."""
    if path not in list_files(folder):
        raise NoSuchPath
    return _load(folder, path)


@cache
def _load(folder: str, path: str) -> Asset:
    media_type = _MEDIA_TYPES.guess_type(path)[0] or "text/plain"  # as licences have no suffix
    return make_asset(media_type, list_files(folder)[path].read_bytes())


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, Traversable]]:
    files: list[tuple[str, Traversable]] = []
    for entry in folder.iterdir():
        files += _walk(entry, f"{prefix}{entry.name}/") if entry.is_dir() else [(f"{prefix}{entry.name}", entry)]
    return files


def static_response(
    request: HttpRequest, asset: Asset, caching: str, security_headers: Mapping[str, str] = PAGE_HEADERS
) -> web.Response:
    """Return the response to a GET; the gzip variant has its own entity tag, as its bytes differ."""
    etag = f'"{asset.digest}"'
    headers = {**security_headers, "Cache-Control": caching, "Vary": "Accept-Encoding"}
    if (current := match_if_none_match(request, etag)) is not None:
        return WholeResponse(status=304, headers={**headers, "ETag": current})
    headers["Content-Type"] = asset.media_type
    accepted = ",".join(request.headers.getall(hdrs.ACCEPT_ENCODING, ()))
    if asset.gzipped and negotiate_coding(accepted) is web.ContentCoding.gzip:
        headers |= {"ETag": f'{etag[:-1]}-gzip"', "Content-Encoding": "gzip"}
        return WholeResponse(body=asset.gzipped, headers=headers)
    return WholeResponse(body=asset.body, headers={**headers, "ETag": etag})


EXAMPLE_URL = b"http://127.0.0.1:8080"
"""The URL of the service in the sources of the documentation."""
_EXAMPLE_HOST, _EXAMPLE_PROTOCOL = b'"127.0.0.1:8080"', b'"protocol": "ws"'
"""Parts of that of its sockets, in the AsyncAPI document."""


def localized_response(request: HttpRequest, asset: Asset, security_headers: Mapping[str, str]) -> web.Response:
    """Return the response to a GET of a text, with the URL that the client uses in place of the example's."""
    if EXAMPLE_URL not in asset.body:
        return static_response(request, asset, CACHE_PUBLIC, security_headers)
    url = service_url(request)
    return static_response(request, _localize(asset, url) if url else asset, CACHE_PRIVATE, security_headers)


@lru_cache(maxsize=32)  # as many as there are
def _localize(asset: Asset, url: str) -> Asset:
    host = f'"{url.split("/")[2]}"'
    body = asset.body.replace(EXAMPLE_URL, url.encode()).replace(_EXAMPLE_HOST, host.encode())
    if url.startswith("https:"):
        body = body.replace(_EXAMPLE_PROTOCOL, _EXAMPLE_PROTOCOL[:-1] + b's"')
    return make_asset(asset.media_type.partition(";")[0], body)
