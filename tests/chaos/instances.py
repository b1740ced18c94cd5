"""Instances of the service as processes: killed, paused, stopped, their clocks put wrong, started again in place."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from service.store.connection import errors
from tests.tools import LIBFAKETIME, require

__all__ = ["Instance", "start_instances"]

START_TIMEOUT_S = 40.0
STOP_TIMEOUT_S = 60.0

LISTENS = re.compile(rb"listens on http://127\.0\.0\.1:(\d+);")
UNEXPECTED = re.compile(
    rf"^\S+ \S+ (?:\d+ )?(?:ERROR|CRITICAL) (?!{re.escape(errors.__name__)}:).*|^Traceback .*", re.MULTILINE
)
"""Errors in a log. That Redis refuses its user is one for an operator, and what some faults are made of."""


class Instance:
    """One of them. It keeps its port, so that the proxy finds it again."""

    def __init__(self, name: str, directory: Path, redis_url: str, flags: Sequence[str], *, faked: bool) -> None:
        """`faked`: its clock can be put wrong."""
        self.name = name
        self.port = 0
        self.paused = False
        self._log = directory / f"{name}.log"
        self._clock = directory / f"{name}.clock"
        self._redis_url = redis_url
        self._flags = flags
        self._faked = faked
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[bytes] | None = None
        self.set_clock(0)

    @property
    def pid(self) -> int:
        """The process that was started last."""
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it does."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start it, and return when it listens."""
        where = ("--port", str(self.port), "--redis-url", self._redis_url)
        command = (sys.executable, "-m", "service.main", "serve", *where, *self._flags)
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=self._clocked(),
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(START_TIMEOUT_S):
            while (line := await self._process.stdout.readline()) and not LISTENS.search(line):
                pass
        result = LISTENS.search(line)
        if result is None:
            await self._process.wait()
            raise RuntimeError(f"instance {self.name} ended: {self._log.read_text()[-2000:]}")
        self.port = int(result[1])
        self._reader = asyncio.create_task(self._process.stdout.read())

    def kill(self) -> None:
        """SIGKILL."""
        self.signal(signal.SIGKILL)

    def terminate(self) -> None:
        """SIGTERM: it stops as in an update."""
        self.signal(signal.SIGTERM)

    async def wait_until_ended(self) -> int:
        """Wait for its end; gives the exit code."""
        assert self._process is not None
        async with asyncio.timeout(STOP_TIMEOUT_S):
            code = await self._process.wait()
        self.paused = False
        if self._reader is not None:
            await self._reader
        return code

    def pause(self) -> None:
        """SIGSTOP: connections stay open, and nothing is answered."""
        self.paused = True
        self.signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Go on after `pause`."""
        self.paused = False
        self.signal(signal.SIGCONT)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, where it runs."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    def set_clock(self, offset_s: float) -> None:
        """Let its clock be so many seconds ahead, from now on; what measures how long things take stays right."""
        changed = self._clock.with_suffix(".new")
        changed.write_text(f"{offset_s:+g}\n")
        changed.replace(self._clock)

    def errors(self) -> list[str]:
        """Lines of its log that nothing that happens to it should bring about."""
        return UNEXPECTED.findall(self._log.read_text()) if self._log.exists() else []

    def _clocked(self) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SOUTH_SEAS_")}
        if self._faked:
            environment |= {
                "LD_PRELOAD": str(require(LIBFAKETIME)),
                "FAKETIME_TIMESTAMP_FILE": str(self._clock),
                "FAKETIME_CACHE_DURATION": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }
        return environment


@asynccontextmanager
async def start_instances(
    directory: Path, redis_urls: Sequence[str], flags: Sequence[str] = (), *, faked: bool = False
) -> AsyncIterator[list[Instance]]:
    """Start one instance per URL, and stop all when the context ends."""
    instances = [Instance(f"i{number}", directory, url, flags, faked=faked) for number, url in enumerate(redis_urls, 1)]
    try:
        for instance in instances:
            await instance.start()
        yield instances
    finally:
        for instance in instances:
            instance.resume()
            instance.kill()
        await asyncio.gather(*(instance.wait_until_ended() for instance in instances if instance.is_running))
