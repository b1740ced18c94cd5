"""The routes of pictures, and the process that draws for them."""

from collections.abc import AsyncIterator

from aiohttp import web

from service.telemetry.metrics import PICTURE_CACHE, PICTURES_WAITING
from service.web.gallery import boards, pieces
from service.web.gallery.sending import STUDIO
from service.web.gallery.studio import Studio

__all__ = ["ROUTES", "set_up"]

ROUTES = (*boards.ROUTES, *pieces.ROUTES)


def set_up(app: web.Application) -> None:
    """Give an application what its pictures are drawn with."""
    app.cleanup_ctx.append(_studio)


async def _studio(app: web.Application) -> AsyncIterator[None]:
    app[STUDIO] = studio = Studio()
    PICTURES_WAITING.set_function(lambda: studio.waiting)
    PICTURE_CACHE.set_function(lambda: studio.kept_bytes)
    yield
    await studio.aclose()
