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
from service.web.images.jobs import Form, Job
from service.web.images.renderer import Studio
from service.web.parsing import matches_if_none_match
from service.web.ratelimit import costs
from service.web.ratelimit.concurrency import PICTURE_SLOTS, charge_request
from service.web.responses import CACHE_IMMUTABLE, CACHE_PRIVATE, CACHE_PUBLIC
from service.web.routing import ResponseSpec
from service.web.security_headers import API_HEADERS

STUDIO = web.AppKey("studio", Studio)

MEDIA_TYPES: dict[Form, str] = {"svg": "image/svg+xml", "png": "image/png", "txt": "text/plain"}
PRIVATE_IMMUTABLE = "private, max-age=31536000, immutable"
A_DAY = {"Cache-Control": f"public, max-age={DAY_S}"}

KEPT = ResponseSpec(304, "You have this picture.", headers=("ETag",))


def replies(form: Form) -> tuple[ResponseSpec, ...]:
    """What a route that answers pictures of this form answers."""
    content = msgspec.Raw if form == "png" else str
    return (ResponseSpec(200, "The picture.", content, ("ETag",), media_type=MEDIA_TYPES[form]), KEPT)


def board_caching(*, private: bool, unchanging: bool) -> Mapping[str, str]:
    """How long a game's board may be kept, and by whom: for ever where the request names the version."""
    if private:
        return {"Cache-Control": PRIVATE_IMMUTABLE if unchanging else CACHE_PRIVATE, "Vary": "Authorization"}
    return {"Cache-Control": CACHE_IMMUTABLE if unchanging else CACHE_PUBLIC}


class Picture(NamedTuple):
    """What is asked for."""

    subject: str
    """Names what is drawn in full."""
    form: Form
    width: int
    caching: Mapping[str, str]
    """Headers that say how long it may be kept, and by whom."""


async def send(request: web.Request, picture: Picture, job: Callable[[], Awaitable[Job]]) -> web.Response:
    """The picture, unless the client has it; its job is only made where it is not kept either."""
    subject, form, width, caching = picture
    key = sha256(f"{style()} {subject} {form}".encode()).hexdigest()[:32]
    tag = f'"{subject.partition(" ")[0]}-{key}"'
    headers = {"ETag": tag, **caching}
    if matches_if_none_match(request, tag):
        return web.Response(status=304, headers=headers)
    body = await request.app[STUDIO].kept(key)
    if body is None:
        with request.app[PICTURE_SLOTS].slot(client_address(request)):
            painted = width * width if form == "png" else 0  # boards are about as high as they are wide
            await charge_request(request, costs.RENDERED_PICTURE + painted // costs.PIXELS_PER_TOKEN)
            drawn = await job()
            body = await request.app[STUDIO].picture(key, lambda: drawn)
    # What a player is called cannot become a program on this origin, also where the picture is opened by itself.
    headers |= API_HEADERS
    charset = None if form == "png" else "utf-8"
    return web.Response(body=body, content_type=MEDIA_TYPES[form], charset=charset, headers=headers)


@cache
def style() -> str:
    """The digest of the drawing programs: pictures are new ones when these are."""
    package = resources.files("service.web.drawing")
    files = sorted(
        (entry.name, entry.read_bytes())
        for folder in (package, package / "layout")
        for entry in folder.iterdir()
        if entry.name.endswith((".py", ".json"))
    )
    return sha256(b"".join(name.encode() + body for name, body in files)).hexdigest()
