"""The routes of pictures, and the process that draws for them."""

from collections.abc import AsyncIterator

from aiohttp import web

from service.telemetry.metrics import PICTURE_CACHE, PICTURES_WAITING
from service.web.images import board_routes, piece_routes
from service.web.images.renderer import Studio
from service.web.images.responses import STUDIO

__all__ = ["ROUTES", "set_up"]

ROUTES = (*board_routes.ROUTES, *piece_routes.ROUTES)


def set_up(app: web.Application) -> None:
    """Give an application what its pictures are drawn with."""
    app.cleanup_ctx.append(_studio)


async def _studio(app: web.Application) -> AsyncIterator[None]:
    app[STUDIO] = studio = Studio()
    PICTURES_WAITING.set_function(lambda: studio.waiting)
    PICTURE_CACHE.set_function(lambda: studio.kept_bytes)
    yield
    await studio.aclose()
