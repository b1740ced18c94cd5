"""The renderer of pictures: a worker process draws them one at a time, and a cache keeps the latest."""

import asyncio
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import OrderedDict
from collections.abc import AsyncIterator, Hashable
from contextlib import suppress
from time import monotonic, perf_counter

import msgspec
from aiohttp import web

from service.supervision import spawn
from service.telemetry.metrics import PICTURE_CACHE_BYTES, PICTURE_DURATION, PICTURES, PICTURES_WAITING
from service.web.errors import QueueFull, RenderingFailed
from service.web.images.jobs import DrawingJob
from service.web.images.worker import JOB_LENGTH, RESULT_HEADER

logger = logging.getLogger(__name__)

MAX_CACHE_BYTES = 32 * 1024 * 1024
MAX_PENDING = 32
"""Pictures that may wait to be drawn; more are rejected, which bounds the waiting time."""
RENDER_TIMEOUT_S = 20.0
"""A worker that takes longer for one picture is stopped."""
MAX_ATTEMPTS = 2
"""A second attempt, because the worker may have ended for another reason than the job."""
FAILURE_TTL_S = 60.0
"""How long a failed picture is not retried: it would fail again and delay other pictures."""
MAX_FAILURES = 1_000
"""Failures that are recorded at the same time."""


class ImageRenderer:
    """Draws pictures in a worker process."""

    def __init__(self) -> None:
        self._cache: OrderedDict[Hashable, bytes] = OrderedDict()
        self._cache_bytes = 0
        self._pending: dict[Hashable, asyncio.Task[bytes]] = {}
        self._failures: OrderedDict[Hashable, float] = OrderedDict()
        """The time of each recorded failure, by the picture's key."""
        self._lock = asyncio.Lock()
        self._worker: Process | None = None

    @property
    def pending_count(self) -> int:
        """Return the number of pictures that are drawn or wait."""
        return len(self._pending)

    @property
    def cache_bytes(self) -> int:
        """Return the size of the cached pictures."""
        return self._cache_bytes

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
        task = self._pending.get(key)
        return None if task is None else await asyncio.shield(task)

    async def render(self, key: Hashable, job: DrawingJob) -> bytes:
        """Return the picture with this key, from the cache or by drawing the job. Raises QueueFull, RenderingFailed."""
        if (cached := await self.get_cached(key)) is not None:
            return cached
        task = self._pending.get(key)
        if task is None:
            if len(self._pending) >= MAX_PENDING:
                PICTURES.labels("refused").inc()
                raise QueueFull
            work = self._render_and_cache(key, msgspec.msgpack.encode(job))
            task = self._pending[key] = spawn("picture", work, expected=(RenderingFailed,))
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """Cancel the pending pictures and stop the worker."""
        for task in [*self._pending.values()]:
            task.cancel()
        await asyncio.gather(*self._pending.values(), return_exceptions=True)
        await self._stop_worker()

    async def _render_and_cache(self, key: Hashable, job: bytes) -> bytes:
        started, result = perf_counter(), "failed"
        try:
            async with self._lock:
                picture = await self._render_with_retries(job)
            result = "drawn"
        except RenderingFailed as failed:
            logger.error("a picture could not be drawn: %s", failed)  # noqa: TRY400  the message has the worker's stack
            self._record_failure(key)
            raise
        finally:
            del self._pending[key]
            PICTURES.labels(result).inc()
            PICTURE_DURATION.observe(perf_counter() - started)
        self._add_to_cache(key, picture)
        return picture

    def _add_to_cache(self, key: Hashable, picture: bytes) -> None:
        self._cache[key] = picture
        self._cache_bytes += len(picture)
        while self._cache_bytes > MAX_CACHE_BYTES:
            _, dropped = self._cache.popitem(last=False)
            self._cache_bytes -= len(dropped)

    def _record_failure(self, key: Hashable) -> None:
        self._failures[key] = monotonic()
        self._failures.move_to_end(key)
        if len(self._failures) > MAX_FAILURES:
            self._failures.popitem(last=False)

    async def _render_with_retries(self, job: bytes) -> bytes:
        """Draw one picture; a worker that ends meanwhile, or has ended before, is replaced."""
        try:
            for _ in range(MAX_ATTEMPTS):
                with suppress(asyncio.IncompleteReadError, ConnectionError):
                    return await self._render_once(job)
        except OSError as error:
            raise RenderingFailed(f"the worker cannot be started: {error}") from error
        raise RenderingFailed("the worker ended")

    async def _render_once(self, job: bytes) -> bytes:
        """Draw one picture; the worker is stopped unless it replies. Raises RenderingFailed."""
        worker = self._worker
        if worker is None or worker.returncode is not None:
            worker = await self._start_worker()
        has_replied = False
        try:
            async with asyncio.timeout(RENDER_TIMEOUT_S):
                succeeded, result = await _send_job(worker, job)
            has_replied = True
        except TimeoutError as error:
            raise RenderingFailed(f"it took more than {RENDER_TIMEOUT_S:g} s") from error
        finally:
            if not has_replied:
                await self._stop_worker()
        if not succeeded:
            raise RenderingFailed(result.decode(errors="replace"))
        return result

    async def _start_worker(self) -> Process:
        path = os.pathsep.join(sys.path)
        self._worker = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "service.web.images.worker",
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        return self._worker

    async def _stop_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is None:
            return
        if worker.returncode is None:
            worker.kill()
        await worker.wait()


async def _send_job(worker: Process, job: bytes) -> tuple[bool, bytes]:
    """Return whether the worker drew the job, and the picture or the stack of an error."""
    if worker.stdin is None or worker.stdout is None:
        raise RenderingFailed("the worker has no pipes")
    worker.stdin.write(JOB_LENGTH.pack(len(job)) + job)
    await worker.stdin.drain()
    succeeded, size = RESULT_HEADER.unpack(await worker.stdout.readexactly(RESULT_HEADER.size))
    return succeeded, await worker.stdout.readexactly(size)


IMAGE_RENDERER = web.AppKey("image_renderer", ImageRenderer)


async def renderer_lifespan(app: web.Application) -> AsyncIterator[None]:
    """Start an application's image renderer, and close it with the application."""
    app[IMAGE_RENDERER] = renderer = ImageRenderer()
    PICTURES_WAITING.set_function(lambda: renderer.pending_count)
    PICTURE_CACHE_BYTES.set_function(lambda: renderer.cache_bytes)
    yield
    await renderer.aclose()
