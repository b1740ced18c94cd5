"""Commands on their way to one primary: those of one tick of the event loop are one pipeline of redis-py.

While as many pipelines are under way as there may be, commands gather for the next. What a lost connection has not
answered is sent again, which every command of the store bears: see `Batches`.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from redis.exceptions import NoScriptError

from service.store.command import Command
from service.store.errors import LOST_WRITING, is_refusal, told
from service.store.topology import Topology
from service.supervision import Backoff, spawn
from service.telemetry.metrics import REDIS_RETRIES

__all__ = ["Lane", "Router", "Wait"]

PIPELINE_TIMEOUT_S = 2.0
"""A connection is given up that has not answered all of a pipeline after so long, and that is asked again."""

LOOK_INTERVAL_S = 0.25
"""How often the age of what is under way is looked at, and at most how late it is given up."""

_BACKOFF = Backoff(0.05, 0.5, jitter=0)
"""Between attempts at a connection."""

CLOSED = "the connection to Redis is closed"


class Wait(NamedTuple):
    """How many replicas must have a commit before it is acknowledged, and how long to wait for them."""

    replicas: int
    timeout_ms: int = 1000


class Router(Protocol):
    """Who knows which lane a command takes."""

    def put(self, command: Command) -> None:
        """Send it to whoever is its primary now."""

    def redirect(self, command: Command, error: BaseException) -> bool:
        """Whether a command that was refused so is sent again, later or elsewhere."""


class Lane:
    """What is asked of one primary, over at most `connections` connections; with `wait`, WAIT ends each pipeline."""

    def __init__(
        self,
        router: Router,
        topology: Topology,
        primary: str,
        *,
        connections: int,
        grace_s: float,
        wait: Wait | None,
    ) -> None:
        self._router = router
        self._topology = topology
        self._primary = primary
        self._connections = connections
        self._grace_s = grace_s
        self._wait = wait
        self._timeout_s = PIPELINE_TIMEOUT_S + (wait.timeout_ms / 1000 if wait else 0)
        self._waiting: list[Command] = []
        self._running: dict[asyncio.Task[None], Sequence[Command]] = {}
        self._loop = asyncio.get_running_loop()
        self._flushing = self._closed = False
        self._pause: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._failures = 0
        self._out_since: float | None = None
        """Since when no pipeline came through."""

    @property
    def up(self) -> bool:
        """Whether the last pipeline came through, or none was needed yet."""
        return self._out_since is None

    @property
    def idle(self) -> bool:
        """Whether nothing is asked."""
        return not self._waiting and not self._running

    def put(self, command: Command) -> None:
        """Send it with all else that is asked in this tick."""
        if self._closed:
            command.fail(CLOSED)
            return
        self._waiting.append(command)
        if not self._flushing and self._pause is None and len(self._running) < self._connections:
            self._flushing = True
            self._loop.call_soon(self._flush)

    async def aclose(self) -> None:
        """Give up all that is under way or waits."""
        self._closed = True
        for timer in (self._pause, self._looking):
            if timer is not None:
                timer.cancel()
        running = [*self._running]
        for command in (*self._waiting, *(one for batch in self._running.values() for one in batch)):
            command.fail(CLOSED)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _flush(self) -> None:
        self._flushing = False
        if self._closed or self._pause is not None or len(self._running) >= self._connections:
            return
        batch, self._waiting = _wanted(self._waiting), []
        if not batch:
            return
        task = spawn("redis-pipeline", self._run(batch))
        self._running[task] = batch
        task.add_done_callback(self._ended)
        if self._looking is None:
            self._looking = self._loop.call_later(LOOK_INTERVAL_S, self._look)

    def _ended(self, task: asyncio.Task[None]) -> None:
        batch = self._running.pop(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            for command in batch:
                command.fail(f"sending it to Redis has failed: {error}")
        self._flush()

    async def _run(self, batch: Sequence[Command]) -> None:
        """Send commands, and give each its reply."""
        pipeline = self._topology.client(self._primary).pipeline(transaction=False)
        for command in batch:
            if command.asking:
                pipeline.execute_command("ASKING")
            pipeline.execute_command(*command.words)
        if self._wait is not None:
            pipeline.execute_command("WAIT", *self._wait)
        try:
            async with asyncio.timeout(self._timeout_s):
                replies = await pipeline.execute(raise_on_error=False)
        except LOST_WRITING as error:
            self._lost(batch, error)
        else:
            self._failures, self._out_since = 0, None
            self._answer(batch, replies)

    def _answer(self, batch: Sequence[Command], replies: Sequence[Any]) -> None:
        replicas: Any = replies[-1] if self._wait is not None else None
        following = iter(replies)
        for command in batch:
            if command.asking:
                command.asking = False
                next(following)  # what came after it is refused, too, where this was
            reply = next(following)
            if isinstance(reply, Exception):
                self._refuse(command, reply)
            elif self._wait is None:
                command.done(reply)
            elif isinstance(replicas, Exception):
                self._refuse(command, replicas)
            elif replicas >= self._wait.replicas:
                command.done(reply)
            else:
                command.fail(f"Redis has done it, but {replicas} of {self._wait.replicas} replicas have it so far")

    def _refuse(self, command: Command, error: Exception) -> None:
        """Ask again where that may help."""
        if command.future.done():
            command.leave()
        elif isinstance(error, NoScriptError):
            command.leave()
            command.future.set_exception(error)
        elif self._router.redirect(command, error):
            command.reason = str(told(error))
            REDIS_RETRIES.inc()
        else:
            command.refused(error)

    def _lost(self, batch: Sequence[Command], error: BaseException) -> None:
        """The connection broke, or none could be made: ask again after a pause, or tell that it is hopeless."""
        now = self._loop.time()
        self._out_since = now if self._out_since is None else self._out_since
        reason = str(told(error)) if str(error) else f"Redis has not answered within {self._timeout_s} s"
        waiting = _wanted((*batch, *self._waiting))
        self._waiting = []
        if self._closed or is_refusal(error) or now - self._out_since >= self._grace_s:
            for command in waiting:
                command.fail(reason)
        else:
            for command in waiting:
                command.reason = reason
            REDIS_RETRIES.inc(len(waiting))
            self._waiting = sorted(waiting, key=_until)
        self._failures += 1
        if self._pause is None and not self._closed:
            self._pause = self._loop.call_later(_BACKOFF.pause_s(self._failures), self._resume)
        self._topology.suspect()

    def _resume(self) -> None:
        """Send what waits, to whoever is its primary by now."""
        self._pause = None
        waiting, self._waiting = _wanted(self._waiting), []
        for command in waiting:
            self._router.put(command)

    def _look(self) -> None:
        """Give up what is too old."""
        self._looking = None
        now = self._loop.time()
        for batch in self._running.values():
            for command in batch:
                command.late(now)
        for command in self._waiting:
            command.late(now)
        self._waiting = _wanted(self._waiting)
        if not self.idle:
            self._looking = self._loop.call_later(LOOK_INTERVAL_S, self._look)


def _wanted(commands: Iterable[Command]) -> list[Command]:
    """Those that somebody waits for; the rest is not in flight any more."""
    wanted = []
    for command in commands:
        if command.future.done():
            command.leave()
        else:
            wanted.append(command)
    return wanted


def _until(command: Command) -> float:
    return command.until
