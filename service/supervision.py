"""The event loop, background tasks and processes.

A task that fails is logged, counted, and restarted after a growing delay.

All tasks of the service are started here, and none by `asyncio.create_task`. `Supervisor.start` runs endless work,
`spawn` runs work that ends by itself. While a required task keeps failing, `/readyz` answers 503, so that clients use
other instances.

Processes do work that would block the event loop; one that ends is replaced.
"""

import asyncio
import logging
import os
import random
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from contextvars import Context
from functools import partial
from math import inf
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import uvloop

from service.telemetry.metrics import TASK_FAILING, TASK_FAILURES

logger = logging.getLogger(__name__)

T = TypeVar("T")

MAX_LATENESS_S = 0.25


class EventLoop(uvloop.Loop):
    """An event loop that reads what has arrived before a timer runs that is late.

    A process that was stopped, or busy, would find all timeouts over and the answers unread: a check that comes late
    does not count. `asyncio.timeout`, `asyncio.sleep` and libraries set their timers by `call_later` too.
    """

    def call_later(  # type: ignore[override]  # asyncio and uvloop declare different types
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Call back after `delay` seconds; if that is late by more than MAX_LATENESS_S, that or less once more.

        So what polls at short intervals polls again before its timeout.
        """
        call_later, latest = super().call_later, monotonic() + delay + MAX_LATENESS_S

        def run() -> None:
            nonlocal latest
            if monotonic() > latest:
                latest = inf
                call_later(min(delay, MAX_LATENESS_S), run)
            elif not timer.cancelled():
                callback(*args)

        timer = call_later(delay, run, context=context)
        return timer


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run what a process does: the service, or a command."""
    return uvloop.run(work, loop_factory=EventLoop)


CANCEL_INTERVAL_S = 1.0
"""A task still running so long after its cancellation is cancelled again: a library may swallow the first one."""


class Backoff(NamedTuple):
    """Exponential backoff: each delay is twice the one before, up to a limit, less a random part."""

    initial_s: float
    max_s: float
    jitter: float = 0.5
    """The largest part by which a delay is shortened, so that concurrent failures do not retry together."""

    def delay_s(self, failures: int) -> float:
        """Return the delay after so many consecutive failures.

        >>> [Backoff(1, 30, jitter=0).delay_s(failures) for failures in (1, 2, 3, 6, 2000)]
        [1.0, 2.0, 4.0, 30, 30]
        """
        pause_s = min(self.max_s, self.initial_s * 2.0 ** min(failures - 1, 64))
        return pause_s * (1 - self.jitter * random.random()) if self.jitter else pause_s  # noqa: S311  no secret


class RestartPolicy(NamedTuple):
    """When a failed task is restarted, and when it counts as failing."""

    backoff: Backoff = Backoff(0.5, 30.0)
    max_failures: int = 5
    """Consecutive failures after which a task counts as failing; it is restarted all the same."""
    recovery_s: float = 5.0
    """A task that has run so long has recovered: its next failure counts as the first."""


class SupervisedTask:
    """Endless work, restarted whenever it fails or ends. Made by `Supervisor.start`."""

    def __init__(
        self, name: str, work: Callable[[], Awaitable[None]], policy: RestartPolicy, *, required: bool
    ) -> None:
        self.name = name
        self.required = required
        self.failures = 0
        """Consecutive failures."""
        self._work = work
        self._policy = policy
        self._loop = asyncio.get_running_loop()
        self._started_at: float | None = None
        """When the work was last started; None during a delay."""
        self._stopping = False
        TASK_FAILURES.labels(name)  # creates the series, so that the first failure is counted
        self._task = self._loop.create_task(self._run(), name=name)

    @property
    def is_failing(self) -> bool:
        """Return whether it has failed too often and has not recovered, or was cancelled from outside."""
        if self._task.done():
            return not self._stopping
        return self.failures >= self._policy.max_failures and not self._has_recovered()

    async def stop(self) -> None:
        """Cancel it, and wait until it has ended."""
        self._stopping = True
        self._task.cancel()
        while (await asyncio.wait([self._task], timeout=CANCEL_INTERVAL_S))[1]:
            self._task.cancel()

    async def _run(self) -> None:
        while not self._stopping:
            self._started_at = self._loop.time()
            error: BaseException | None = None
            try:
                await self._work()
            except asyncio.CancelledError as cancelled:
                if self._task.cancelling():
                    raise
                error = cancelled  # of something that it awaited, not of this task
            except Exception as failure:  # noqa: BLE001  whatever it is, it is logged and counted below
                error = failure
            if not self._stopping:
                await self._pause(error)

    async def _pause(self, error: BaseException | None) -> None:
        """Record a failure, and wait until the work is to be restarted."""
        self.failures = 1 if self._has_recovered() else self.failures + 1
        self._started_at = None
        TASK_FAILURES.labels(self.name).inc()
        pause_s = self._policy.backoff.delay_s(self.failures)
        outcome = "ended" if error is None else "failed"
        text = "the background task %s has %s, %d times in a row: it is restarted in %.1f s"
        logger.error(text, self.name, outcome, self.failures, pause_s, exc_info=error)
        await asyncio.sleep(pause_s)

    def _has_recovered(self) -> bool:
        return self._started_at is not None and self._loop.time() - self._started_at >= self._policy.recovery_s


class Supervisor:
    """The permanent background tasks of one instance."""

    def __init__(self, policy: RestartPolicy = RestartPolicy()) -> None:  # noqa: B008  (a NamedTuple)
        self._policy = policy
        self._tasks: dict[SupervisedTask, None] = {}

    def __iter__(self) -> Iterator[SupervisedTask]:
        """Iterate over the running tasks."""
        return iter([*self._tasks])

    def start(self, name: str, work: Callable[[], Awaitable[None]], *, required: bool = True) -> SupervisedTask:
        """Run `work` until `stop`, and restart it whenever it fails or ends.

        `name` is a label of metrics, so it names a kind of work and not a game. While a `required` task keeps failing,
        the instance is not ready. Any other only raises an alert: other instances do its work, or nobody waits for it.
        """
        task = SupervisedTask(name, work, self._policy, required=required)
        self._tasks[task] = None
        TASK_FAILING.labels(name).set_function(lambda: any(task.is_failing for task in self if task.name == name))
        return task

    async def stop(self, task: SupervisedTask) -> None:
        """Stop a task, and wait until it has ended."""
        try:
            await task.stop()
        finally:
            self._tasks.pop(task, None)

    @asynccontextmanager
    async def running(
        self, name: str, work: Callable[[], Awaitable[None]], *, required: bool = True
    ) -> AsyncIterator[SupervisedTask]:
        """Run `work` while the block runs."""
        task = self.start(name, work, required=required)
        try:
            yield task
        finally:
            await self.stop(task)

    def failing_task(self) -> str | None:
        """Return the name of a required task that keeps failing; None if there is none."""
        for task in self._tasks:
            if task.required and task.is_failing:
                return task.name
        return None


_spawned_names: set[str] = set()
"""The names of all tasks spawned so far."""

_spawned: set[asyncio.Task[Any]] = set()
"""Running tasks; the event loop keeps only weak references."""


def spawn(name: str, work: Coroutine[Any, Any, T], *, expected: tuple[type[Exception], ...] = ()) -> "asyncio.Task[T]":
    """Run `work`, which ends by itself, as a task.

    A failure is logged and counted, except for `expected` exceptions, which whoever awaits the task handles.
    """
    if name not in _spawned_names:
        _spawned_names.add(name)
        TASK_FAILURES.labels(name)  # creates the series, so that the first failure is counted
    task = asyncio.get_running_loop().create_task(work, name=name)
    _spawned.add(task)
    task.add_done_callback(partial(_on_done, expected))
    return task


def _on_done(expected: tuple[type[Exception], ...], task: "asyncio.Task[Any]") -> None:
    _spawned.discard(task)
    if task.cancelled() or (error := task.exception()) is None or isinstance(error, expected):
        return
    TASK_FAILURES.labels(task.get_name()).inc()
    logger.error("the background task %s has failed", task.get_name(), exc_info=error)


Job = TypeVar("Job")
Result = TypeVar("Result")

MAX_ATTEMPTS = 2
"""A process may end for a reason other than the job."""

MAX_SLOWDOWN = 4
"""How many times its limit a job may take by the clock, since it waits for a machine that is busy.

It is counted in limits, of which a pause of the machine is one, however long: signals that are pending are one signal.
"""

OVER_LIMIT = (-signal.SIGPROF, 124)
"""The exit codes of a process that reached its limit: of processor time, and by the clock, as `timeout` has it."""


class ProcessEnded(Exception):
    """A job's process could not be started, ended, or was ended because the job took too long."""

    def __init__(self, reason: str, processor_s: float = 0.0) -> None:
        super().__init__(reason)
        self.processor_s = processor_s
        """What the job took of a processor, if it reached the limit of that."""


class ProcessPool:
    """Up to `processes` processes, started with the first job. Run at most so many jobs at once: others would wait."""

    def __init__(self, processes: int = 1) -> None:
        self._processes = processes
        self._executor: ProcessPoolExecutor | None = None
        self._discarding = asyncio.Lock()

    @property
    def running_processes(self) -> int:
        """Return the number of processes that are started."""
        return 0 if self._executor is None else self._processes

    async def run(self, work: Callable[[Job], Result], job: Job, time_limit_s: float) -> Result:
        """Return the result of `work`, a module's function; its process ends at the limit of processor time.

        Raises ProcessEnded, and what `work` raises; that may not be an OSError.
        """
        for _ in range(MAX_ATTEMPTS):
            processes, started_at = list[BaseProcess](), monotonic()
            try:
                executor = self._get_executor()
                future, processes = executor.submit(_run_within, time_limit_s, work, job), active_children()
                return await asyncio.wrap_future(future)
            except BrokenProcessPool:
                broken = executor  # type: ignore[possibly-undefined]  # it raises this
                if self._executor is broken:
                    self._executor = None
                async with self._discarding:
                    await asyncio.to_thread(broken.shutdown)  # then exit codes are known
                codes = {one.exitcode for one in processes}
                if monotonic() - started_at >= time_limit_s and codes.intersection(OVER_LIMIT):
                    used_s = time_limit_s if OVER_LIMIT[0] in codes else 0.0
                    raise ProcessEnded(f"took more than {time_limit_s:g} s", used_s) from None
            except OSError as error:
                self._executor = None
                raise ProcessEnded(f"cannot be started: {error}") from error
        raise ProcessEnded("ended its process")

    async def aclose(self) -> None:
        """End all processes, after the jobs that they run; waiting callers are cancelled."""
        executor, self._executor = self._executor, None
        if executor is not None:
            await asyncio.to_thread(executor.shutdown, cancel_futures=True)

    def _get_executor(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(self._processes, get_context("spawn"), _initialize_process)
        return self._executor


def _initialize_process() -> None:
    """Set up a new process: ignore Ctrl-C, and exit when the service does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _run_within(seconds: float, work: Callable[[Job], Result], job: Job) -> Result:
    """Run a job. If it takes too long the process ends: by SIGPROF, even in a library's code, or by the clock."""
    limits = iter(range(1, MAX_SLOWDOWN))
    signal.signal(signal.SIGALRM, lambda *_: next(limits, None) or os._exit(OVER_LIMIT[1]))
    for timer, interval_s in ((signal.ITIMER_PROF, 0), (signal.ITIMER_REAL, seconds)):
        signal.setitimer(timer, seconds, interval_s)
    try:
        return work(job)
    finally:
        for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
            signal.setitimer(timer, 0)
