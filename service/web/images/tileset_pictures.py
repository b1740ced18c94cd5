"""The pictures of whole tile sets. Every page needs one, so each is drawn once, charged to nobody, and kept."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator

from aiohttp import web

from service.drawing.palette import THEMES, Theme
from service.drawing.tile import tiles_svg
from service.fair_queue import Requester
from service.games.tilesets import LoadedTileSet
from service.supervision import spawn
from service.telemetry.metrics import PICTURES
from service.web.errors import RenderingFailed
from service.web.images.jobs import RotationsJob
from service.web.images.renderer import FAILURE_TTL_S, Worker
from service.web.images.responses import MEDIA_TYPES
from service.web.static_assets import Asset, make_asset

logger = logging.getLogger(__name__)


class TileSetPictures:
    """Draws each set tile by tile, so that sets take turns, in a process of its own, which no other picture waits for.

    The process ends with the last picture. There are as many as the operator installs sets, in each theme.
    """

    def __init__(self) -> None:
        self.worker = Worker(max_waiting=sys.maxsize)
        self._pictures: dict[tuple[str, Theme], asyncio.Task[Asset]] = {}
        self._unfinished = 0

    async def get(self, loaded: LoadedTileSet, theme: Theme) -> Asset:
        """Return the picture of a set, which is drawn if it is the first time. Raises RenderingFailed."""
        key = loaded.hash, theme
        picture = self._pictures.get(key)
        if picture is None:
            work = self._draw(loaded, theme)
            picture = self._pictures[key] = spawn("tile set picture", work, expected=(RenderingFailed,))
        elif picture.done():
            PICTURES.labels("cached").inc()
        return await asyncio.shield(picture)

    async def aclose(self) -> None:
        """Cancel what is being drawn; its process ends with the tile that it draws."""
        for picture in self._pictures.values():
            picture.cancel()
        await asyncio.gather(*self._pictures.values(), return_exceptions=True)

    async def _draw(self, loaded: LoadedTileSet, theme: Theme) -> Asset:
        requester = Requester(f"{loaded.hash} {theme}".encode())
        self._unfinished += 1
        try:
            drawn = [
                (await self.worker.draw(RotationsJob(tile, theme), requester, lambda _: None)).decode()
                for tile in loaded.tileset.tiles
            ]
        except RenderingFailed as failed:
            logger.error("the tile set %s could not be drawn: %s", loaded.tileset.id, failed)  # noqa: TRY400  the message has the worker's stack
            PICTURES.labels("failed").inc()
            asyncio.get_running_loop().call_later(FAILURE_TTL_S, self._pictures.pop, (loaded.hash, theme), None)
            raise
        finally:
            self._unfinished -= 1
            if not self._unfinished:
                await self.worker.processes.aclose()
        PICTURES.labels("drawn").inc()
        return await asyncio.to_thread(make_asset, MEDIA_TYPES["svg"], tiles_svg(drawn, THEMES[theme]).encode())


TILESET_PICTURES = web.AppKey("tileset_pictures", TileSetPictures)


async def tileset_pictures_lifespan(app: web.Application) -> AsyncIterator[None]:
    """Give an application its pictures of tile sets, and close them with the application."""
    app[TILESET_PICTURES] = pictures = TileSetPictures()
    yield
    await pictures.aclose()
