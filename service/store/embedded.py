"""A real Redis server of the service's own, for whoever has none running.

It is a child of this process, heard on a unix socket that nobody else may open. Its append-only file survives restarts
and kill -9. A lock on its directory keeps a second server out; this process and the server hold it together, so that
whoever starts next waits until the server of a killed instance has ended, too.
"""

import asyncio
import logging
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from service.store.embedded_directory import locked, private, socket_in
from service.store.embedded_errors import ServerFailed
from service.store.embedded_process import log_of, spawn, stop
from service.store.embedded_program import OLDEST, find_program

__all__ = ["Server", "embedded"]

logger = logging.getLogger(__name__)

_ANSWER_WITHIN_S = 10.0
_TELL_EVERY_S = 1.0
_LOOK_EVERY_S = 0.5


class Server(NamedTuple):
    """A running server; `directory` has its files and its log."""

    url: str
    pid: int
    directory: Path


@asynccontextmanager
async def embedded(
    data_dir: Path, *, program: Path | None = None, wait_s: float = 5.0, revive: bool = False
) -> AsyncIterator[Server]:
    """A server that keeps its files in `data_dir`/redis and ends with this context, or with this process.

    `program` None takes the best on this machine; `wait_s` is how long the server of an instance that has just died may
    take to end. With `revive` a server that ends by itself is started again on the same files. Raises an EmbeddedError.
    To be entered in the main thread: the server would end with any other.
    """
    directory = private(data_dir / "redis")
    async with locked(directory, wait_s) as lock:
        chosen = program or find_program(_wanted(directory))
        with socket_in(directory) as socket:
            processes = [spawn(chosen, directory, socket, lock)]
            reviving: asyncio.Task[None] | None = None
            try:
                server = Server(f"unix://{quote(str(socket))}", processes[0].pid, directory)
                await _ready(server, chosen, processes[0])
                if revive:
                    reviving = asyncio.create_task(_revive(processes, partial(spawn, chosen, directory, socket, lock)))
                yield server
            finally:
                if reviving is not None:
                    reviving.cancel()
                await stop(processes[-1])


async def _revive(processes: list[subprocess.Popen[bytes]], start: Callable[[], subprocess.Popen[bytes]]) -> None:
    """Whenever the last of the processes has ended, start another."""
    while True:
        await asyncio.sleep(_LOOK_EVERY_S)
        if (code := processes[-1].poll()) is not None:
            logger.error("the Redis server has ended with %s: it is started again", code)
            processes[:] = [start()]


def _wanted(directory: Path) -> tuple[int, int]:
    """The oldest version that can read the directory: 6 does not see the folder in which 7 keeps its commands."""
    return (7, 0) if (directory / "appendonlydir").exists() else OLDEST


async def _ready(server: Server, program: Path, process: subprocess.Popen[bytes]) -> None:
    """Return when the server has loaded what it has and answers; raises ServerFailed."""
    loop = asyncio.get_running_loop()
    told = loop.time()
    until = told + _ANSWER_WITHIN_S
    async with aclosing(Redis.from_url(server.url, socket_timeout=2, retry=Retry(NoBackoff(), 0))) as redis:
        while process.poll() is None and loop.time() < until:
            try:
                state = await redis.info("persistence")
            except (RedisError, OSError):
                await asyncio.sleep(0.005)
                continue
            if not state["loading"]:
                await redis.ping()
                return
            until = loop.time() + _ANSWER_WITHIN_S
            if loop.time() >= told + _TELL_EVERY_S:
                told = loop.time()
                logger.info("Redis is loading the games: %s %%", state["loading_loaded_perc"])
            await asyncio.sleep(0.05)
    raise ServerFailed(program, log_of(server.directory))
