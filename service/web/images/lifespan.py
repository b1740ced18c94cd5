"""The process that draws pictures, for as long as the application runs."""

from collections.abc import AsyncIterator

from aiohttp import web

from service.telemetry.metrics import PICTURE_CACHE_BYTES, PICTURES_WAITING
from service.web.images.renderer import Studio
from service.web.images.responses import STUDIO

__all__ = ["renderer_lifespan"]


async def renderer_lifespan(app: web.Application) -> AsyncIterator[None]:
    """Give an application the renderer of its pictures, and end it with the application."""
    app[STUDIO] = studio = Studio()
    PICTURES_WAITING.set_function(lambda: studio.waiting)
    PICTURE_CACHE_BYTES.set_function(lambda: studio.kept_bytes)
    yield
    await studio.aclose()
