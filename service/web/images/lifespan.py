"""The lifespan of the image renderer."""

from collections.abc import AsyncIterator

from aiohttp import web

from service.telemetry.metrics import PICTURE_CACHE_BYTES, PICTURES_WAITING
from service.web.images.renderer import ImageRenderer
from service.web.images.responses import IMAGE_RENDERER

__all__ = ["renderer_lifespan"]


async def renderer_lifespan(app: web.Application) -> AsyncIterator[None]:
    """Start an application's image renderer, and close it with the application."""
    app[IMAGE_RENDERER] = renderer = ImageRenderer()
    PICTURES_WAITING.set_function(lambda: renderer.pending_count)
    PICTURE_CACHE_BYTES.set_function(lambda: renderer.cache_bytes)
    yield
    await renderer.aclose()
