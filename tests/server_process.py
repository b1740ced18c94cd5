"""The service in its own process, as a user starts it.

The settings of `south-seas serve`, as it makes them of its flags and the environment.

Worker processes of pictures that serve one test after the other: each takes a third of a second to start.
"""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, NamedTuple
from unittest.mock import patch

import click

from service.settings import Settings, with_settings
from service.supervision import ProcessPool
from service.web.app import App
from service.web.images import TILESET_PICTURES
from service.web.renderer import IMAGE_RENDERER
from tests.polling import TIMEOUT_S

AMPLE_TIME = "3600000/10"
"""Of the event loop: no client uses it up."""


class ServerProcess(NamedTuple):
    """A running instance."""

    process: asyncio.subprocess.Process
    url: str
    printed: str
    """What it has printed by then."""

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, wait until the process exits, and return its code."""
        self.process.send_signal(number)
        async with asyncio.timeout(TIMEOUT_S):
            return await self.process.wait()


@asynccontextmanager
async def start_server(data_dir: Path, redis_url: str | None = None, *flags: str) -> AsyncIterator[ServerProcess]:
    """Run `south-seas serve` on a free port, and yield it once it listens. Kill it at the end.

    Requests' time is limited, and sockets are pinged soon, only if a flag says so: tests must not depend on the
    machine's speed.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SOUTH_SEAS_")}
    store_flags = ("--redis-url", redis_url) if redis_url else ("--data-dir", str(data_dir))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "service.main", "serve", "--host", "127.0.0.1", "--port", "0"),
        *("--rate-time", AMPLE_TIME, "--ping-interval-s", "3600"),
        *(*store_flags, *flags),
        stdout=asyncio.subprocess.PIPE,
        env=environment,
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            started = await _read_url(process)
        yield ServerProcess(process, *started)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()  # until its children, which share its output, have exited too


async def _read_url(process: asyncio.subprocess.Process) -> tuple[str, str]:
    """Return the URL, and all that was printed."""
    assert process.stdout is not None
    printed = ""
    async for line in process.stdout:
        printed += line.decode()
        if result := re.search(r"listens on (http://[^;]+);", printed):
            return result[1], printed
    raise RuntimeError("the service exited before it listened")


@click.command
@with_settings()
def SERVE(settings: Settings) -> Settings:  # noqa: N802  the decorators make a command of it
    """Return the settings."""
    return settings


def parse_settings(*flags: str, environment: Mapping[str, str] = MappingProxyType({})) -> Settings:
    """Return the settings for flags and further environment variables. Raise click's errors."""
    with patch.dict(os.environ, environment):
        settings: Settings = SERVE.main(args=[*flags], standalone_mode=False)
    return settings


def variables() -> set[str]:
    """Return the variables of all settings."""
    return {str(option.envvar) for option in SERVE.params}


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


@asynccontextmanager
async def sharing_workers(app: App) -> AsyncIterator[None]:
    """Let an application draw its pictures in such processes."""
    for worker in (*app[IMAGE_RENDERER].workers.values(), app[TILESET_PICTURES].worker):
        worker.processes = SharedProcess()
    yield
