"""A Redis server that runs as a child of this process.

It listens on a unix socket that only this user may open. Its append-only file survives restarts and kill -9. A lock on
its directory prevents a second server. This process and the server share the lock, so after a kill the next instance
waits until the server has ended too.
"""

import asyncio
import logging
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from service.store.embedded.directory import EmbeddedServerError, create_private_directory, lock_directory, socket_path
from service.store.embedded.process import LOG_NAME, start_process, stop
from service.store.embedded.program import select_program
from service.supervision import Supervisor

__all__ = ["EmbeddedServer", "embedded_server"]

logger = logging.getLogger(__name__)

START_TIMEOUT_S = 10.0
PROGRESS_INTERVAL_S = 1.0
RESTART_INTERVAL_S = 0.5


class EmbeddedServer(NamedTuple):
    """A running server. `directory` has its data files and its log."""

    url: str
    pid: int
    directory: Path


@asynccontextmanager
async def embedded_server(
    data_dir: Path,
    *,
    program: Path | None = None,
    lock_timeout_s: float = 5.0,
    on_stopped: Callable[[], None] | None = None,
    supervisor: Supervisor | None = None,
) -> AsyncIterator[EmbeddedServer]:
    """Run a server with its files in `data_dir`/redis until the context or this process ends.

    `program` None selects the preferred one on this machine. `lock_timeout_s` is how long to wait for the server of an
    instance that has just died. With `on_stopped` a server that ends is restarted on the same files; if it was shut
    down (exit code 0), `on_stopped` is called as well. Enter the context in the main thread: the server ends with the
    thread that started it. Raise EmbeddedServerError.
    """
    directory = create_private_directory(data_dir / "redis")
    async with lock_directory(directory, lock_timeout_s) as lock, AsyncExitStack() as stack:
        if program is None:
            program = await asyncio.to_thread(select_program)
        socket = stack.enter_context(socket_path(directory))
        start = partial(start_process, program, directory, socket, lock)
        processes = [start()]
        stack.push_async_callback(lambda: stop(processes[-1]))
        server = EmbeddedServer(f"unix://{quote(str(socket))}", processes[0].pid, directory)
        await _wait_until_ready(server, program, processes[0])
        if on_stopped is not None:
            restart = partial(_restart_when_ended, processes, start, on_stopped)
            await stack.enter_async_context((supervisor or Supervisor()).running("redis-restart", restart))
        yield server


async def _restart_when_ended(
    processes: list[subprocess.Popen[bytes]],
    start: Callable[[], subprocess.Popen[bytes]],
    on_stopped: Callable[[], None],
) -> None:
    """Restart the server whenever it has ended, even while the service shuts down."""
    while True:
        await asyncio.sleep(RESTART_INTERVAL_S)
        if (code := processes[-1].poll()) is not None:
            logger.error("the Redis server ended with exit code %s: restarting it", code)
            processes[:] = [start()]
            if code == 0:
                logger.info("the Redis server was shut down: stopping the service too")
                on_stopped()


async def _wait_until_ready(server: EmbeddedServer, program: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until the server has loaded its files and replies. Raise EmbeddedServerError."""
    loop = asyncio.get_running_loop()
    reported = loop.time()
    deadline = reported + START_TIMEOUT_S
    async with aclosing(Redis.from_url(server.url, socket_timeout=2, retry=Retry(NoBackoff(), 0))) as redis:
        while process.poll() is None and loop.time() < deadline:
            try:
                state = await redis.info("persistence")
            except (RedisError, OSError):
                await asyncio.sleep(0.005)
                continue
            if not state["loading"]:
                await redis.ping()
                return
            deadline = loop.time() + START_TIMEOUT_S
            if loop.time() >= reported + PROGRESS_INTERVAL_S:
                reported = loop.time()
                logger.info("Redis is loading the games: %s %%", state["loading_loaded_perc"])
            await asyncio.sleep(0.05)
    log = server.directory / LOG_NAME
    lines = log.read_text(errors="replace").splitlines()
    raise EmbeddedServerError(f"{program} did not start; the last line of {log} is: {lines[-1] if lines else 'none'}")
