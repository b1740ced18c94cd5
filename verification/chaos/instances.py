"""Instances of the service as processes, which faults kill, pause, stop and restart, and whose clocks they shift."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from service.store.embedded import terminate_with_parent
from tests.tools import LIBFAKETIME, ROOT, require

START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 60.0

LISTENS = re.compile(rb"listens on http://127\.0\.0\.1:(\d+);")
UNEXPECTED = re.compile(r"^\S+ \S+ (?:\d+ )?(?:ERROR|CRITICAL) .*|^Traceback .*", re.MULTILINE)
"""Errors in a log. Outages are warnings."""


class Instance:
    """An instance of the service. A restart reuses its port, which the proxy's configuration names."""

    def __init__(self, name: str, directory: Path, redis_url: str, flags: Sequence[str], *, fake_clock: bool) -> None:
        """With `fake_clock`, `set_clock` can shift its clock. Without a URL it has an embedded server."""
        self.name = name
        self.release = ROOT
        """The sources that the next start runs."""
        self.port = 0
        self.log = directory / f"{name}.log"
        self._clock = directory / f"{name}.clock"
        self.redis_url = redis_url
        """Of the next start."""
        self._flags = flags
        self._fake_clock = fake_clock
        self.wrapper: tuple[str, ...] = ()
        """A command that runs the service's command line, which follows it."""
        self.environment: dict[str, str] = {}
        """Variables of the next start."""
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[bytes] | None = None
        self.set_clock(0)

    @property
    def is_running(self) -> bool:
        """Whether the process has not exited."""
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int:
        """The id of the process that was started last."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start the process, and return when it listens. Raise RuntimeError if it exits."""
        redis = ("--redis-url", self.redis_url) if self.redis_url else ("--data-dir", str(self.log.parent / "data"))
        options = ("--port", str(self.port), *redis, *self._flags)
        command = (*self.wrapper, sys.executable, "-m", "service.main", "serve", *options)
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                cwd=self.release,
                env=self._environment(),
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                preexec_fn=terminate_with_parent(os.getpid()),
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(START_TIMEOUT_S):
            while (line := await self._process.stdout.readline()) and not LISTENS.search(line):
                pass
        result = LISTENS.search(line)
        if result is None:
            await self._process.wait()
            raise RuntimeError(f"instance {self.name} exited: {self.log.read_text()[-2000:]}")
        self.port = int(result[1])
        self._reader = asyncio.create_task(self._process.stdout.read())

    def kill(self) -> None:
        """Send SIGKILL."""
        self.signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Send SIGTERM, upon which the instance shuts down gracefully."""
        self.signal(signal.SIGTERM)

    async def wait_until_ended(self) -> int:
        """Wait until the process exits, and return its code."""
        assert self._process is not None
        async with asyncio.timeout(STOP_TIMEOUT_S):
            code = await self._process.wait()
        if self._reader is not None:
            await self._reader
        return code

    def pause(self) -> None:
        """Send SIGSTOP: connections stay open, without responses."""
        self.signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Continue after `pause`."""
        self.signal(signal.SIGCONT)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal if the process runs."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    def set_clock(self, offset_s: float) -> None:
        """Shift the clock by this offset from the real time. The monotonic clock stays correct."""
        changed = self._clock.with_suffix(".new")
        changed.write_text(f"{offset_s:+g}\n")
        changed.replace(self._clock)

    def errors(self) -> list[str]:
        """Return the lines of its log that no fault explains."""
        return UNEXPECTED.findall(self.log.read_text()) if self.log.exists() else []

    def count_lines(self, pattern: str) -> int:
        """Return how many lines of its log a regular expression finds."""
        return sum(re.search(pattern, line) is not None for line in self.log.read_text().splitlines())

    def _environment(self) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SOUTH_SEAS_")}
        if self._fake_clock:
            environment |= {
                "LD_PRELOAD": str(require(LIBFAKETIME)),
                "FAKETIME_TIMESTAMP_FILE": str(self._clock),
                "FAKETIME_CACHE_DURATION": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }
        return environment | self.environment


@asynccontextmanager
async def start_instances(
    directory: Path,
    redis_urls: Sequence[str],
    flags: Sequence[str] = (),
    *,
    fake_clock: bool = False,
    release: Path = ROOT,
) -> AsyncIterator[list[Instance]]:
    """Start one instance per URL, of a release's sources, and stop all when the context ends."""
    instances = [
        Instance(f"i{number}", directory, url, flags, fake_clock=fake_clock) for number, url in enumerate(redis_urls, 1)
    ]
    for instance in instances:
        instance.release = release
    async with run_instances(instances):
        yield instances


@asynccontextmanager
async def run_instances(instances: Sequence[Instance]) -> AsyncIterator[None]:
    """Start instances, and stop them when the context ends."""
    try:
        await asyncio.gather(*(instance.start() for instance in instances))
        yield
    finally:
        for instance in instances:
            instance.resume()
            instance.kill()
        await asyncio.gather(*(instance.wait_until_ended() for instance in instances if instance.is_running))
