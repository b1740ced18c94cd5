"""A service whose secrets the test knows, with all that it logs."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from redis.asyncio import Redis
from redis.exceptions import RedisError

from service.store.embedded.process import terminate_with_parent
from service.store.embedded.program import select_program
from tests.polling import wait_until

PASSWORD = "hunter2-of-redis-p@ss/word"
ENCODED = "hunter2-of-redis-p%40ss%2Fword"

START_S = 20.0


class LoggedService(NamedTuple):
    """A running service that logs as much as it can."""

    url: str
    redis_port: int
    log: Path
    process: asyncio.subprocess.Process

    def text(self) -> str:
        """Return everything logged so far, on both streams."""
        return self.log.read_text()


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@asynccontextmanager
async def start_password_redis(directory: Path) -> AsyncIterator[int]:
    """Start a Redis server with a password; yields its port."""
    port = free_port()
    options = ("--port", str(port), "--bind", "127.0.0.1", "--requirepass", PASSWORD, "--save", "")
    process = subprocess.Popen(  # noqa: ASYNC220  it is only started
        (str(select_program()), *options, "--dir", str(directory)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=terminate_with_parent(os.getpid()),  # noqa: PLW1509  two system calls, no lock that a thread could hold
    )
    try:
        async with open_redis(port) as redis:
            await wait_until(lambda: is_available(redis), START_S)
        yield port
    finally:
        process.kill()
        await asyncio.to_thread(process.wait)


def open_redis(port: int) -> Redis:
    """Return a client of that server."""
    return Redis(host="127.0.0.1", port=port, password=PASSWORD)


async def is_available(redis: Redis) -> bool:
    """Return whether the server answers."""
    try:
        return bool(await redis.ping())
    except RedisError:
        return False


@asynccontextmanager
async def start_service(directory: Path, redis_port: int, password: str = ENCODED) -> AsyncIterator[LoggedService]:
    """Start an instance on that server, at level debug and with an access log."""
    log = directory / "service.log"
    command = ("-m", "service.main", "serve", "--port", "0", "--log-level", "debug", "--access-log")
    url = ("--redis-url", f"redis://:{password}@127.0.0.1:{redis_port}/0", "--redis-timeout-s", "1")
    quick = ("--drain-time-s", "0", "--close-window-s", "0", "--webhooks-allow-private", "--data-dir", str(directory))
    with log.open("wb") as to:
        process = await asyncio.create_subprocess_exec(sys.executable, *command, *url, *quick, stdout=to, stderr=to)
    try:
        await wait_until(lambda: "listens on " in log.read_text())
        where = log.read_text().partition("listens on ")[2].partition(";")[0]
        yield LoggedService(where, redis_port, log, process)
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                async with asyncio.timeout(START_S):
                    await process.wait()
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
