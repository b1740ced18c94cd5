"""Responses with pictures: entity tags and caching."""

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Annotated, NamedTuple

from aiohttp import web
from msgspec import Meta

from service.drawing.palette import Theme
from service.drawing.scene import DEFAULT_WIDTH
from service.i18n import Language
from service.telemetry.clock import DAY_S
from service.web.client_ip import get_site_network
from service.web.connections.protocol import get_connection
from service.web.headers.negotiation import add_vary, set_content_language
from service.web.images.jobs import DrawingJob, ImageFormat
from service.web.images.renderer import IMAGE_RENDERER, PictureOrder
from service.web.ratelimit.concurrency import PICTURE_SLOTS
from service.web.responses import (
    CACHE_IMMUTABLE,
    CACHE_PRIVATE,
    CACHE_PUBLIC,
    MAX_SYNC_BYTES,
    CompressibleResponse,
    match_if_none_match,
)

MAX_WIDTH_PX = 4096
MAX_INT32 = 2**31 - 1

Width = Annotated[int, Meta(ge=16, le=MAX_INT32, description=f"The width in pixels; at most {MAX_WIDTH_PX} is used.")]
ThemeParameter = Annotated[Theme, Meta(description="The colours, for a light or a dark page.")]

MEDIA_TYPES: dict[ImageFormat, str] = {"svg": "image/svg+xml", "png": "image/png", "txt": "text/plain"}
CACHE_PRIVATE_IMMUTABLE = "private, max-age=31536000, immutable"
CACHE_ONE_DAY = {"Cache-Control": f"public, max-age={DAY_S}"}

MAX_SMALL_PIXELS = DEFAULT_WIDTH**2
"""Larger pictures have a worker of their own."""


def board_cache_headers(*, private: bool, immutable: bool) -> Mapping[str, str]:
    """Return the caching headers of a board; its picture is immutable if the request names the version."""
    if private:
        return {"Cache-Control": CACHE_PRIVATE_IMMUTABLE if immutable else CACHE_PRIVATE, "Vary": "Authorization"}
    return {"Cache-Control": CACHE_IMMUTABLE if immutable else CACHE_PUBLIC}


class ImageRequest(NamedTuple):
    """A request for a picture."""

    subject: str
    """Identifies what is drawn, completely."""
    image_format: ImageFormat
    width: int
    cache_headers: Mapping[str, str]
    """The caching headers of the response."""
    make_job: Callable[[], Awaitable[DrawingJob]]
    """Called only if the picture is not cached."""
    language: Language | None = None
    """The language of its words; None if it has none."""


async def image_response(request: web.Request, image: ImageRequest) -> web.Response:
    """Return the picture, or 304 if the client's copy is current."""
    response = await _draw_or_revalidate(request, image)
    if image.language is not None:
        set_content_language(response, image.language)
    return response if image.image_format == "png" else add_vary(response, "Accept-Encoding")


async def _draw_or_revalidate(request: web.Request, image: ImageRequest) -> web.Response:
    subject, image_format, width, cache_headers, make_job, _ = image
    key = sha256(f"{drawing_code_digest()} {subject} {image_format}".encode()).hexdigest()[:32]
    etag = f'"{subject.partition(" ")[0]}-{key}"'
    if (current := match_if_none_match(request, etag)) is not None:
        return web.Response(status=304, headers={**cache_headers, "ETag": current})
    body = await request.app[IMAGE_RENDERER].get_cached(key)
    if body is None:
        connection = get_connection(request)
        client = connection.address
        with request.app[PICTURE_SLOTS].acquire(client):
            job = await make_job()
            pixels = width * width if image_format == "png" else 0  # boards are about square
            order = PictureOrder(get_site_network(client), pixels > MAX_SMALL_PIXELS, connection.charge)
            body = await request.app[IMAGE_RENDERER].render(key, job, order)
    headers = {**cache_headers, "ETag": etag}
    if image_format == "png":
        return web.Response(body=body, content_type=MEDIA_TYPES[image_format], headers=headers)
    return CompressibleResponse(
        body=body,
        content_type=MEDIA_TYPES[image_format],
        charset="utf-8",
        headers=headers,
        zlib_executor_size=MAX_SYNC_BYTES,
    )


@cache
def drawing_code_digest() -> str:
    """Return the digest of the drawing code and its words, so that entity tags change when these do."""
    drawing, texts = resources.files("service.drawing"), resources.files("service.i18n")
    files = sorted(
        (entry.name, entry.read_bytes())
        for folder in (drawing, drawing / "layout", texts, texts / "catalogues")
        for entry in folder.iterdir()
        if entry.name.endswith((".py", ".json", ".svg", ".mo"))
    )
    return sha256(b"".join(name.encode() + body for name, body in files)).hexdigest()
