"""Answers that are pictures: their entity tag, their caching."""

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import NamedTuple

import msgspec
from aiohttp import web

from service.games.timestamps import DAY_S
from service.web.connections.limiter import client_address
from service.web.images.jobs import DrawingJob, ImageFormat
from service.web.images.renderer import ImageRenderer
from service.web.parsing import matches_if_none_match
from service.web.ratelimit import costs
from service.web.ratelimit.concurrency import PICTURE_SLOTS
from service.web.ratelimit.request_charges import charge_request
from service.web.responses import CACHE_IMMUTABLE, CACHE_PRIVATE, CACHE_PUBLIC
from service.web.routing import ResponseSpec
from service.web.security_headers import API_HEADERS

IMAGE_RENDERER = web.AppKey("studio", ImageRenderer)

MEDIA_TYPES: dict[ImageFormat, str] = {"svg": "image/svg+xml", "png": "image/png", "txt": "text/plain"}
CACHE_PRIVATE_IMMUTABLE = "private, max-age=31536000, immutable"
CACHE_ONE_DAY = {"Cache-Control": f"public, max-age={DAY_S}"}

IMAGE_NOT_MODIFIED = ResponseSpec(304, "You have this picture.", headers=("ETag",))


def image_responses(image_format: ImageFormat) -> tuple[ResponseSpec, ...]:
    """What a route that answers pictures of this form answers."""
    content = msgspec.Raw if image_format == "png" else str
    return (
        ResponseSpec(200, "The picture.", content, ("ETag",), media_type=MEDIA_TYPES[image_format]),
        IMAGE_NOT_MODIFIED,
    )


def board_cache_headers(*, private: bool, immutable: bool) -> Mapping[str, str]:
    """How long a game's board may be kept, and by whom: for ever where the request names the version."""
    if private:
        return {"Cache-Control": CACHE_PRIVATE_IMMUTABLE if immutable else CACHE_PRIVATE, "Vary": "Authorization"}
    return {"Cache-Control": CACHE_IMMUTABLE if immutable else CACHE_PUBLIC}


class ImageRequest(NamedTuple):
    """What is asked for."""

    subject: str
    """Names what is drawn in full."""
    image_format: ImageFormat
    width: int
    cache_headers: Mapping[str, str]
    """Headers that say how long it may be kept, and by whom."""


async def image_response(
    request: web.Request, image_request: ImageRequest, make_job: Callable[[], Awaitable[DrawingJob]]
) -> web.Response:
    """The picture, unless the client has it; its job is only made where it is not kept either."""
    subject, image_format, width, cache_headers = image_request
    key = sha256(f"{drawing_code_digest()} {subject} {image_format}".encode()).hexdigest()[:32]
    etag = f'"{subject.partition(" ")[0]}-{key}"'
    headers = {"ETag": etag, **cache_headers}
    if matches_if_none_match(request, etag):
        return web.Response(status=304, headers=headers)
    body = await request.app[IMAGE_RENDERER].get_cached(key)
    if body is None:
        with request.app[PICTURE_SLOTS].slot(client_address(request)):
            pixels = width * width if image_format == "png" else 0  # boards are about as high as they are wide
            await charge_request(request, costs.RENDERED_PICTURE + pixels // costs.PIXELS_PER_TOKEN)
            job = await make_job()
            body = await request.app[IMAGE_RENDERER].render(key, lambda: job)
    # What a player is called cannot become a program on this origin, also where the picture is opened by itself.
    headers |= API_HEADERS
    charset = None if image_format == "png" else "utf-8"
    return web.Response(body=body, content_type=MEDIA_TYPES[image_format], charset=charset, headers=headers)


@cache
def drawing_code_digest() -> str:
    """The digest of the drawing programs: pictures are new ones when these are."""
    package = resources.files("service.web.drawing")
    files = sorted(
        (entry.name, entry.read_bytes())
        for folder in (package, package / "layout")
        for entry in folder.iterdir()
        if entry.name.endswith((".py", ".json"))
    )
    return sha256(b"".join(name.encode() + body for name, body in files)).hexdigest()
