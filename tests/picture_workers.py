"""Worker processes of pictures that serve one test after the other: each takes a third of a second to start."""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import ClassVar

from aiohttp import web

from service.supervision import ProcessPool
from service.web.images import TILESET_PICTURES
from service.web.renderer import IMAGE_RENDERER


class SharedProcess(ProcessPool):
    """A process that another test left, and that the next one gets."""

    _idle: ClassVar[list[ProcessPoolExecutor]] = []

    async def aclose(self) -> None:
        """Leave the process to others, after the job that it runs."""
        executor, self._executor = self._executor, None
        if executor is not None:
            try:
                await asyncio.wrap_future(executor.submit(int))
            except BrokenProcessPool:
                executor.shutdown(wait=False)
            else:
                self._idle.append(executor)

    def _get_executor(self) -> ProcessPoolExecutor:
        if self._executor is None and self._idle:
            self._executor = self._idle.pop()
        return super()._get_executor()


async def share_workers(app: web.Application) -> None:
    """Let an application draw its pictures in such processes."""
    for worker in (*app[IMAGE_RENDERER]._workers.values(), app[TILESET_PICTURES].worker):
        worker.processes = SharedProcess()
