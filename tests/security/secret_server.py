"""A service whose secrets the test knows, with all that it logs."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from tests.polling import wait_until
from tests.redis_servers import Deployment, create_access, standalone

PASSWORD = "hunter2-of-redis-p@ss/word"
ENCODED = quote(PASSWORD, safe="")


class LoggedService(NamedTuple):
    """A running service that logs as much as it can."""

    url: str
    log: Path
    process: asyncio.subprocess.Process

    def text(self) -> str:
        """Return everything logged so far, on both streams."""
        return self.log.read_text()


def password_redis(directory: Path) -> AbstractAsyncContextManager[Deployment]:
    """Start a Redis server whose user for the service has PASSWORD."""
    return standalone(directory, access=create_access(directory)._replace(password=PASSWORD))


@asynccontextmanager
async def start_service(directory: Path, redis_url: str) -> AsyncIterator[LoggedService]:
    """Start an instance on that server, at level debug and with an access log."""
    log = directory / "service.log"
    command = ("-m", "service.main", "serve", "--port", "0", "--log-level", "debug", "--access-log")
    redis = ("--redis-url", redis_url, "--redis-timeout-s", "1")
    quick = ("--drain-time-s", "0", "--close-window-s", "0", "--webhooks-allow-private")
    with log.open("wb") as to:
        process = await asyncio.create_subprocess_exec(sys.executable, *command, *redis, *quick, stdout=to, stderr=to)
    try:
        await wait_until(lambda: "listens on " in log.read_text())
        url = log.read_text().partition("listens on ")[2].partition(";")[0]
        yield LoggedService(url, log, process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
