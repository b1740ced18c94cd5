"""Responses with pictures: entity tags, caching, and the pictures of whole tile sets.

Every page needs the pictures of a tile set, so each is drawn once, charged to nobody, and kept. Those of the sets that
are part of the package are drawn when it is built (`tools.site`).
"""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cache, partial
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Annotated, NamedTuple

from aiohttp import web
from msgspec import Meta

from service.drawing.palette import THEMES, Theme
from service.drawing.scene import DEFAULT_WIDTH
from service.drawing.tile import draw_rotations, tiles_svg
from service.fair_queue import Requester
from service.files import read_file, write_atomically
from service.games.tilesets import LoadedTileSet
from service.i18n import Language
from service.supervision import spawn
from service.telemetry.clock import DAY_S
from service.telemetry.metrics import PICTURES
from service.web import renderer
from service.web.app import App, HttpRequest
from service.web.connection import get_connection
from service.web.headers import add_vary, set_content_language
from service.web.problems import RenderingFailed
from service.web.response_heads import WholeResponse
from service.web.responses import (
    CACHE_IMMUTABLE,
    CACHE_PRIVATE,
    CACHE_PUBLIC,
    Asset,
    CompressibleResponse,
    make_asset,
    match_if_none_match,
)

MAX_WIDTH_PX = 4096
MAX_INT32 = 2**31 - 1

Width = Annotated[int, Meta(ge=16, le=MAX_INT32, description=f"The width in pixels; at most {MAX_WIDTH_PX} is used.")]
ThemeParameter = Annotated[Theme, Meta(description="The colours, for a light or a dark page.")]

MEDIA_TYPES: dict[renderer.ImageFormat, str] = {"svg": "image/svg+xml", "png": "image/png", "txt": "text/plain"}
CACHE_PRIVATE_IMMUTABLE = "private, max-age=31536000, immutable"
CACHE_ONE_DAY = {"Cache-Control": f"public, max-age={DAY_S}"}

MAX_PICTURES_PER_ADDRESS = 8
"""Pictures that one address may wait for."""

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
    image_format: renderer.ImageFormat
    width: int
    cache_headers: Mapping[str, str]
    """The caching headers of the response."""
    make_job: Callable[[], Awaitable[renderer.DrawingJob]]
    """Called only if the picture is not cached."""
    language: Language | None = None
    """The language of its words; None if it has none."""


async def image_response(request: HttpRequest, image: ImageRequest) -> web.Response:
    """Return the picture, or 304 if the client's copy is current."""
    response = await _draw_or_revalidate(request, image)
    if image.language is not None:
        set_content_language(response, image.language)
    return response if image.image_format == "png" else add_vary(response, "Accept-Encoding")


async def _draw_or_revalidate(request: HttpRequest, image: ImageRequest) -> web.Response:
    subject, image_format, width, cache_headers, make_job, _ = image
    key = sha256(f"{drawing_code_digest()} {subject} {image_format}".encode()).hexdigest()[:32]
    etag = f'"{subject.partition(" ")[0]}-{key}"'
    if (current := match_if_none_match(request, etag)) is not None:
        return WholeResponse(status=304, headers={**cache_headers, "ETag": current})
    body = await request.app[renderer.IMAGE_RENDERER].get_cached(key)
    if body is None:
        charge = get_connection(request).charge
        with charge.account.occupy("pictures", MAX_PICTURES_PER_ADDRESS):
            job = await make_job()
            pixels = width * width if image_format == "png" else 0  # boards are about square
            is_large = pixels > MAX_SMALL_PIXELS
            body = await request.app[renderer.IMAGE_RENDERER].render(key, job, charge, is_large=is_large)
    headers = {**cache_headers, "ETag": etag}
    if image_format == "png":
        return WholeResponse(body=body, content_type=MEDIA_TYPES[image_format], headers=headers)
    return CompressibleResponse(body=body, content_type=MEDIA_TYPES[image_format], charset="utf-8", headers=headers)


@cache
def drawing_code_digest(*, has_words: bool = True) -> str:
    """Return the digest of the drawing code and its words, so that entity tags change when these do."""
    drawing, texts = resources.files("service.drawing"), resources.files("service.i18n")
    files = sorted(
        (entry.name, entry.read_bytes())
        for folder in (drawing, texts, texts / "catalogues")[: None if has_words else 1]
        for entry in folder.iterdir()
        if entry.name.endswith((".py", ".json", ".svg", ".mo"))
    )
    return sha256(b"".join(name.encode() + body for name, body in files)).hexdigest()


logger = logging.getLogger(__name__)

BUILT_PICTURES = Path(__file__).with_name("static") / "tiles"
"""The pictures of the sets that are part of the package."""

KEPT_PICTURES = web.AppKey("kept_pictures", Path)
"""Where pictures of other sets are kept, if this instance has a data directory."""


def picture_name(loaded: LoadedTileSet, theme: Theme) -> str:
    """Return the file name of a set's picture, which changes with the set and the code that draws it."""
    digest = sha256(f"{drawing_code_digest(has_words=False)} {loaded.hash}".encode()).hexdigest()[:32]
    return f"{loaded.tileset.id}-{theme}-{digest}.svg"


class TileSetPictures:
    """Draws each set tile by tile, so that sets take turns, in a process of its own, which no other picture waits for.

    The process ends with the last picture. There are as many as the operator installs sets, in each theme. One that a
    folder has is not drawn; one that is drawn is kept in `kept`.
    """

    def __init__(self, built: Path | None = None, kept: Path | None = None) -> None:
        self.folders = [folder for folder in (built, kept) if folder is not None]
        """Where pictures are that were drawn earlier."""
        self._kept = kept
        self.worker = renderer.Worker(max_waiting=sys.maxsize)
        self._pictures: dict[tuple[str, Theme], asyncio.Task[Asset]] = {}
        self._unfinished = 0

    async def get(self, loaded: LoadedTileSet, theme: Theme) -> Asset:
        """Return the picture of a set, which is drawn if it is the first time. Raises RenderingFailed."""
        key = loaded.hash, theme
        picture = self._pictures.get(key)
        if picture is None:
            work = self._load(loaded, theme)
            picture = self._pictures[key] = spawn("tile set picture", work, expected=(RenderingFailed,))
        elif picture.done():
            PICTURES.labels("cached").inc()
        return await asyncio.shield(picture)

    async def aclose(self) -> None:
        """Cancel what is being drawn; its process ends with the tile that it draws."""
        for picture in self._pictures.values():
            picture.cancel()
        await asyncio.gather(*self._pictures.values(), return_exceptions=True)

    async def _load(self, loaded: LoadedTileSet, theme: Theme) -> Asset:
        svg = await asyncio.to_thread(self._read, picture_name(loaded, theme))
        if svg is None:
            svg = await self._draw(loaded, theme)
            if self._kept is not None:
                await asyncio.to_thread(self._keep, self._kept / picture_name(loaded, theme), svg)
        return await asyncio.to_thread(make_asset, MEDIA_TYPES["svg"], svg)

    def _read(self, name: str) -> bytes | None:
        for folder in self.folders:
            with suppress(OSError):
                return read_file(folder / name)
        return None

    @staticmethod
    def _keep(path: Path, svg: bytes) -> None:
        """Write a picture in place of that of an earlier release."""
        try:
            write_atomically(path, svg)
            for earlier in {*path.parent.glob(f"{path.name.rpartition('-')[0]}-*")} - {path}:
                earlier.unlink(missing_ok=True)
        except OSError as error:
            logger.warning("the picture %s is not kept: %s", path, error)

    async def _draw(self, loaded: LoadedTileSet, theme: Theme) -> bytes:
        requester = Requester(f"{loaded.hash} {theme}".encode())
        self._unfinished += 1
        try:
            tiles, colors = loaded.tileset.tiles, THEMES[theme]
            jobs = [renderer.DrawingJob(partial(draw_rotations, tile, colors), "svg") for tile in tiles]
            drawn = [(await self.worker.draw(job, requester, lambda _: None)).decode() for job in jobs]
        except RenderingFailed as failed:
            logger.error("the tile set %s could not be drawn: %s", loaded.tileset.id, failed)  # noqa: TRY400  the message has the worker's stack
            PICTURES.labels("failed").inc()
            asyncio.get_running_loop().call_later(
                renderer.FAILURE_TTL_S, self._pictures.pop, (loaded.hash, theme), None
            )
            raise
        finally:
            self._unfinished -= 1
            if not self._unfinished:
                await self.worker.processes.aclose()
        PICTURES.labels("drawn").inc()
        return tiles_svg(drawn, THEMES[theme]).encode()


TILESET_PICTURES = web.AppKey("tileset_pictures", TileSetPictures)


@asynccontextmanager
async def tileset_pictures_lifespan(app: App) -> AsyncIterator[None]:
    """Give an application its pictures of tile sets, and close them with the application."""
    app[TILESET_PICTURES] = pictures = TileSetPictures(BUILT_PICTURES, app.get(KEPT_PICTURES))
    yield
    await pictures.aclose()
