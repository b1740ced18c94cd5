"""Where pictures are made: one at a time in a process of its own, each once, the latest kept."""

import asyncio
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from time import monotonic, perf_counter

import msgspec

from service.supervision import spawn
from service.telemetry.metrics import PICTURE_DURATION, PICTURES
from service.web.errors import QueueFull, RenderingFailed
from service.web.images.jobs import Job
from service.web.images.worker import HEAD, LENGTH

logger = logging.getLogger(__name__)

KEPT_BYTES = 32 * 1024 * 1024
MOST_WAITING = 32
"""Pictures that may wait to be drawn; more are refused, so that nobody waits for long."""
PATIENCE_S = 20.0
"""A process that takes longer for one picture is ended."""
TRIES = 2
"""A process may have ended for another reason than the picture that is asked for."""
FAILED_S = 60.0
"""A picture that failed is not tried again for so long: it would fail again, and others wait for their turn."""
MAX_FAILED = 1_000
"""Failures that are remembered."""


class Studio:
    """Draws pictures off the event loop."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._bytes = 0
        self._drawing: dict[Hashable, asyncio.Task[bytes]] = {}
        self._failed: OrderedDict[Hashable, float] = OrderedDict()
        """When each picture failed that is not tried again for a while."""
        self._turn = asyncio.Lock()
        self._process: Process | None = None

    @property
    def waiting(self) -> int:
        """How many are being drawn, or wait for it."""
        return len(self._drawing)

    @property
    def kept_bytes(self) -> int:
        """The size of those kept."""
        return self._bytes

    async def kept(self, key: Hashable) -> bytes | None:
        """The picture that is kept under a key, or is being drawn: nothing has to be made for it. None where it is new.

        Raises DrawingFailed.
        """
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            PICTURES.labels("cached").inc()
            return kept
        if monotonic() - self._failed.get(key, -FAILED_S) < FAILED_S:
            raise RenderingFailed("it failed a moment ago")
        task = self._drawing.get(key)
        return None if task is None else await asyncio.shield(task)

    async def picture(self, key: Hashable, job: Callable[[], Job]) -> bytes:
        """The picture of a job, which is only made where it is needed; equal keys mean equal pictures.

        Raises Busy, DrawingFailed.
        """
        if (kept := await self.kept(key)) is not None:
            return kept
        task = self._drawing.get(key)
        if task is None:
            if len(self._drawing) >= MOST_WAITING:
                PICTURES.labels("refused").inc()
                raise QueueFull
            work = self._make(key, msgspec.msgpack.encode(job()))
            task = self._drawing[key] = spawn("picture", work, expected=(RenderingFailed,))
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """End the process; what waits is given up."""
        for task in [*self._drawing.values()]:
            task.cancel()
        await asyncio.gather(*self._drawing.values(), return_exceptions=True)
        await self._end()

    async def _make(self, key: Hashable, job: bytes) -> bytes:
        began, result = perf_counter(), "failed"
        try:
            async with self._turn:
                picture = await self._draw(job)
            result = "drawn"
        except RenderingFailed as failed:
            logger.error("a picture failed: %s", failed)  # noqa: TRY400  the reason has the stack, if there is one
            self._remember(key)
            raise
        finally:
            del self._drawing[key]
            PICTURES.labels(result).inc()
            PICTURE_DURATION.observe(perf_counter() - began)
        self._keep(key, picture)
        return picture

    def _keep(self, key: Hashable, picture: bytes) -> None:
        self._kept[key] = picture
        self._bytes += len(picture)
        while self._bytes > KEPT_BYTES:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= len(dropped)

    def _remember(self, key: Hashable) -> None:
        self._failed[key] = monotonic()
        self._failed.move_to_end(key)
        if len(self._failed) > MAX_FAILED:
            self._failed.popitem(last=False)

    async def _draw(self, job: bytes) -> bytes:
        """One picture, from the process; one that ends meanwhile, or has ended unnoticed, is replaced."""
        try:
            for _ in range(TRIES):
                with suppress(asyncio.IncompleteReadError, ConnectionError):
                    return await self._attempt(job)
        except OSError as error:
            raise RenderingFailed(f"no process can be started: {error}") from error
        raise RenderingFailed("the process that draws ended")

    async def _attempt(self, job: bytes) -> bytes:
        """One picture; a process that fails or is left in the middle is ended."""
        process = self._process
        if process is None or process.returncode is not None:
            process = await self._start()
        done = False
        try:
            async with asyncio.timeout(PATIENCE_S):
                picture = await _exchange(process, job)
            done = True
        except Undrawable as error:
            done = True
            raise RenderingFailed(str(error)) from None
        except TimeoutError as error:
            raise RenderingFailed(f"it took more than {PATIENCE_S:g} s") from error
        finally:
            if not done:
                await self._end()
        return picture

    async def _start(self) -> Process:
        path = os.pathsep.join(sys.path)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "service.web.images.worker",
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _exchange(process: Process, job: bytes) -> bytes:
    if process.stdin is None or process.stdout is None:
        raise RenderingFailed("the process that draws has no pipes")
    process.stdin.write(LENGTH.pack(len(job)) + job)
    await process.stdin.drain()
    drawn, size = HEAD.unpack(await process.stdout.readexactly(HEAD.size))
    answer = await process.stdout.readexactly(size)
    if not drawn:
        raise Undrawable(answer.decode(errors="replace"))
    return answer


class Undrawable(Exception):
    """The job raised an error in the process, which goes on."""
