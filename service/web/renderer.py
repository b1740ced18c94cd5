"""The renderer of pictures: worker processes draw them, clients in turn, and a cache keeps the latest.

A drawing job contains all that the worker process needs.
"""

import asyncio
import logging
import traceback
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager, suppress
from functools import lru_cache, partial
from time import monotonic, perf_counter, thread_time
from typing import Literal, NamedTuple

import msgspec
from aiohttp import web
from resvg import render, usvg

from schemas.actions import Action
from schemas.game import GameView
from schemas.tileset import TileSet
from service.drawing.game_picture import board_svg
from service.drawing.scene import BoardOptions, make_scene
from service.drawing.text_board import board_text
from service.engine import Message
from service.fair_queue import FairQueue, QueueFull, Requester
from service.supervision import ProcessEnded, ProcessPool, spawn
from service.telemetry.metrics import PICTURE_CACHE_BYTES, PICTURE_DURATION, PICTURES, PICTURES_WAITING
from service.web.app import App
from service.web.charge import Charge
from service.web.problems import RenderingFailed, TooManyWaiting

IDENTITY = (1, 0, 0, 0, 1, 0)
"""The identity transformation: two rows of three."""

ImageFormat = Literal["svg", "png", "txt"]


class DrawingJob(NamedTuple):
    """A picture to draw: a partial call of a function that returns an SVG or a text, as it is sent to a process."""

    draw: "partial[str]"
    image_format: ImageFormat


def board_job(
    tileset: bytes, game: GameView, moves: list[Action | None], options: BoardOptions, image_format: ImageFormat
) -> DrawingJob:
    """Return the job of a game's board. `tileset` is the encoded one; the decoded one is cached by these bytes.

    `moves` are the legal moves to number, in the order of their list; None gets no number.
    """
    return DrawingJob(partial(_draw_board, tileset, game, moves, options, image_format), image_format)


def _draw_board(
    tileset: bytes, game: GameView, moves: list[Action | None], options: BoardOptions, image_format: ImageFormat
) -> str:
    scene = make_scene(game, _decode_tileset(tileset), moves)
    return board_text(scene, options) if image_format == "txt" else board_svg(scene, options)


def draw_job(job: DrawingJob) -> bytes:
    """Draw a job in its image format."""
    drawn = job.draw()
    return rasterize(drawn) if job.image_format == "png" else drawn.encode()


def draw_in_worker(job: DrawingJob) -> tuple[bytes, float]:
    """Draw a job in another process; return also the seconds of its processor that this took.

    Raises RenderingFailed with the stack of any error.
    """
    started_at = thread_time()
    try:
        return draw_job(job), thread_time() - started_at
    except Exception as error:  # whatever it is, the service logs the stack
        raise RenderingFailed(traceback.format_exc()) from error


def rasterize(svg: str) -> bytes:
    """Render an SVG as PNG; no fonts are needed because texts are outlines."""
    return render(usvg.Tree.from_str(svg, usvg.Options.default()), IDENTITY)


@lru_cache(maxsize=64)
def _decode_tileset(encoded: bytes) -> TileSet:
    return msgspec.json.decode(encoded, type=TileSet)


logger = logging.getLogger(__name__)

MAX_CACHE_BYTES = 32 * 1024 * 1024
MAX_WAITING = 32
"""Pictures that may wait for a worker; beyond it, the client with the most loses its latest one."""
RENDER_TIMEOUT_S = 20.0
"""A worker that takes more processor time for one picture is ended."""
RESTART_S = 0.5
"""What a picture takes that ended its worker in less time: new ones."""
FAILURE_TTL_S = 60.0
"""How long a failed picture is not retried: it would fail again and delay other pictures."""
WORKER_SHARE = 0.25
"""A second of a process beside the event loop, which everybody needs, counts as so many."""

MAX_FAILURES = 1_000
"""Failures that are recorded at the same time."""


class Worker:
    """A process that draws one picture at a time, because the rasterizer holds the GIL, for each client in turn."""

    def __init__(self, max_waiting: int = MAX_WAITING) -> None:
        self.queue = FairQueue(1, max_waiting=max_waiting)
        self.processes = ProcessPool()

    async def draw(self, job: DrawingJob, requester: Requester, report: Callable[[float], None]) -> bytes:
        """Draw a picture, and report the seconds of a processor that it took.

        Raises TooManyWaiting, RenderingFailed.
        """
        try:
            async with self.queue.slot(requester):
                try:
                    picture, seconds = await self.processes.run(draw_in_worker, job, RENDER_TIMEOUT_S)
                except ProcessEnded as ended:
                    report(ended.processor_s or RESTART_S)
                    raise RenderingFailed(f"the worker {ended}") from ended
        except QueueFull as error:
            raise TooManyWaiting(Message("pictures"), MAX_WAITING) from error
        report(seconds)
        return picture


class ImageRenderer:
    """Draws pictures: large ones in a worker of their own, so that no small one waits for them.

    In each worker those of a client whose pictures have taken long lately come last.
    """

    def __init__(self) -> None:
        self._cache: OrderedDict[Hashable, bytes] = OrderedDict()
        self.cache_bytes = 0
        """The size of the cached pictures."""
        self.pending: dict[Hashable, asyncio.Task[bytes]] = {}
        self._failures: OrderedDict[Hashable, float] = OrderedDict()
        """The time of each recorded failure, by the picture's key."""
        self.workers = {False: Worker(), True: Worker()}
        """The workers for small and for large pictures."""

    async def get_cached(self, key: Hashable) -> bytes | None:
        """Return the picture with this key if it is cached or pending, else None.

        Raises RenderingFailed.
        """
        picture = self._cache.get(key)
        if picture is not None:
            self._cache.move_to_end(key)
            PICTURES.labels("cached").inc()
            return picture
        if monotonic() - self._failures.get(key, -FAILURE_TTL_S) < FAILURE_TTL_S:
            raise RenderingFailed("the last attempt failed less than a minute ago")
        if (task := self.pending.get(key)) is not None:
            with suppress(TooManyWaiting):  # of the client that requested it first
                return await asyncio.shield(task)
        return None

    async def render(self, key: Hashable, job: DrawingJob, charge: Charge, *, is_large: bool) -> bytes:
        """Return the picture with this key, from the cache or by drawing the job; `charge` pays for the worker's time.

        Raises TooManyWaiting, RenderingFailed.
        """
        if (cached := await self.get_cached(key)) is not None:
            return cached
        task = self.pending.get(key)
        if task is None:
            work = self._render_and_cache(key, job, charge, is_large=is_large)
            task = self.pending[key] = spawn("picture", work, expected=(RenderingFailed, TooManyWaiting))
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """Cancel the pending pictures and stop the workers."""
        for task in [*self.pending.values()]:
            task.cancel()
        await asyncio.gather(*self.pending.values(), return_exceptions=True)
        await asyncio.gather(*(worker.processes.aclose() for worker in self.workers.values()))

    async def _render_and_cache(self, key: Hashable, job: DrawingJob, charge: Charge, *, is_large: bool) -> bytes:
        started, result = perf_counter(), "failed"
        site = charge.account.site

        def report(seconds: float) -> None:
            site.drawing.take(1000 * seconds, monotonic())
            charge.charge_time(seconds * WORKER_SHARE)

        requester = Requester(site.client.encode(), site.drawing.count_remaining(monotonic()) >= 0)
        try:
            picture = await self.workers[is_large].draw(job, requester, report)
            result = "drawn"
        except TooManyWaiting:
            result = "refused"
            raise
        except RenderingFailed as failed:
            logger.error("a picture could not be drawn: %s", failed)  # noqa: TRY400  the message has the worker's stack
            self._record_failure(key)
            raise
        finally:
            del self.pending[key]
            PICTURES.labels(result).inc()
            if result != "refused":
                PICTURE_DURATION.observe(perf_counter() - started)
        self._add_to_cache(key, picture)
        return picture

    def _add_to_cache(self, key: Hashable, picture: bytes) -> None:
        self._cache[key] = picture
        self.cache_bytes += len(picture)
        while self.cache_bytes > MAX_CACHE_BYTES:
            _, dropped = self._cache.popitem(last=False)
            self.cache_bytes -= len(dropped)

    def _record_failure(self, key: Hashable) -> None:
        self._failures[key] = monotonic()
        self._failures.move_to_end(key)
        if len(self._failures) > MAX_FAILURES:
            self._failures.popitem(last=False)


IMAGE_RENDERER = web.AppKey("image_renderer", ImageRenderer)


@asynccontextmanager
async def renderer_lifespan(app: App) -> AsyncIterator[None]:
    """Start an application's image renderer, and close it with the application."""
    app[IMAGE_RENDERER] = renderer = ImageRenderer()
    PICTURES_WAITING.set_function(lambda: len(renderer.pending))
    PICTURE_CACHE_BYTES.set_function(lambda: renderer.cache_bytes)
    yield
    await renderer.aclose()
