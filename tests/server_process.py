"""The service in its own process, as a user starts it."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

AMPLE_TIME = "3600000/10"
"""Of the event loop: no client uses it up."""

START_TIMEOUT_S = 40
STOP_TIMEOUT_S = 40


class ServerProcess(NamedTuple):
    """A running instance."""

    process: asyncio.subprocess.Process
    url: str
    printed: str
    """What it has printed by then."""

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, wait until the process exits, and return its code."""
        self.process.send_signal(number)
        async with asyncio.timeout(STOP_TIMEOUT_S):
            return await self.process.wait()


@asynccontextmanager
async def start_server(data_dir: Path, redis_url: str | None = None, *flags: str) -> AsyncIterator[ServerProcess]:
    """Run `south-seas serve` on a free port, and yield it once it listens. Kill it at the end.

    Requests' time is limited only if a flag limits it: tests must not depend on the machine's speed.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SOUTH_SEAS_")}
    store_flags = ("--redis-url", redis_url) if redis_url else ("--data-dir", str(data_dir))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "service.main", "serve", "--host", "127.0.0.1", "--port", "0"),
        *("--rate-time", AMPLE_TIME),
        *(*store_flags, *flags),
        stdout=asyncio.subprocess.PIPE,
        env=environment,
    )
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
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
