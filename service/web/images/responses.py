"""Responses with pictures: entity tags and caching."""

from collections.abc import Awaitable, Callable, Mapping
from functools import cache, partial
from hashlib import sha256
from importlib import resources
from typing import NamedTuple, cast

from aiohttp import web

from service.drawing.scene import DEFAULT_WIDTH
from service.games.i18n import Language
from service.games.timestamps import DAY_S
from service.web.client_ip import get_site_network
from service.web.connections.limiter import get_client_address
from service.web.headers.negotiation import CompressibleResponse, add_vary, set_content_language
from service.web.images.jobs import DrawingJob, ImageFormat
from service.web.images.renderer import IMAGE_RENDERER, PictureOrder
from service.web.parsing import match_if_none_match
from service.web.ratelimit.client_charge import charge_worker_time
from service.web.ratelimit.concurrency import PICTURE_SLOTS
from service.web.responses import CACHE_IMMUTABLE, CACHE_PRIVATE, CACHE_PUBLIC
from service.web.routing import ResponseSpec

MEDIA_TYPES: dict[ImageFormat, str] = {"svg": "image/svg+xml", "png": "image/png", "txt": "text/plain"}
CACHE_PRIVATE_IMMUTABLE = "private, max-age=31536000, immutable"
CACHE_ONE_DAY = {"Cache-Control": f"public, max-age={DAY_S}"}

MAX_SMALL_PIXELS = DEFAULT_WIDTH**2
"""Larger pictures have a worker of their own."""

IMAGE_NOT_MODIFIED = ResponseSpec(304, "The picture has not changed.", headers=("ETag",))


def image_responses(image_format: ImageFormat, *, has_words: bool) -> tuple[ResponseSpec, ...]:
    """Return the documented responses of a route for pictures of this format, with or without words."""
    content = str if image_format == "txt" else bytes
    headers = ("ETag", "Content-Language") if has_words else ("ETag",)
    return (
        ResponseSpec(200, "The picture.", content, headers, media_type=MEDIA_TYPES[image_format]),
        IMAGE_NOT_MODIFIED,
    )


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


def parse_image_format(request: web.Request) -> ImageFormat:
    """Return the format that the path ends with; each route has one."""
    return cast("ImageFormat", request.path.rpartition(".")[2])


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
        client = get_client_address(request)
        with request.app[PICTURE_SLOTS].acquire(client):
            pixels = width * width if image_format == "png" else 0  # boards are about square
            order = PictureOrder(
                get_site_network(client), pixels > MAX_SMALL_PIXELS, partial(charge_worker_time, request)
            )
            body = await request.app[IMAGE_RENDERER].render(key, await make_job(), order)
    headers = {**cache_headers, "ETag": etag}
    if image_format == "png":
        return web.Response(body=body, content_type=MEDIA_TYPES[image_format], headers=headers)
    return CompressibleResponse(body=body, content_type=MEDIA_TYPES[image_format], charset="utf-8", headers=headers)


@cache
def drawing_code_digest() -> str:
    """Return the digest of the drawing code and its words, so that entity tags change when these do."""
    drawing, texts = resources.files("service.drawing"), resources.files("service.games.i18n")
    files = sorted(
        (entry.name, entry.read_bytes())
        for folder in (drawing, drawing / "layout", texts, texts / "catalogues")
        for entry in folder.iterdir()
        if entry.name.endswith((".py", ".json", ".mo"))
    )
    return sha256(b"".join(name.encode() + body for name, body in files)).hexdigest()
