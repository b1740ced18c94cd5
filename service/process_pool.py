"""Processes for work that would block the event loop; one that ends is replaced."""

import asyncio
import faulthandler
import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from time import monotonic
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")

MAX_ATTEMPTS = 2
"""A process may end for a reason other than the job."""


class ProcessEnded(Exception):
    """A job's process could not be started, ended, or was ended because the job took too long."""


class ProcessPool:
    """Up to `processes` processes, started with the first job. Run at most so many jobs at once: others would wait."""

    def __init__(self, processes: int = 1) -> None:
        self._processes = processes
        self._executor: ProcessPoolExecutor | None = None

    @property
    def running_processes(self) -> int:
        """Return the number of processes that are started."""
        return 0 if self._executor is None else self._processes

    async def run(self, work: Callable[[Job], Result], job: Job, time_limit_s: float) -> Result:
        """Return the result of `work`, a module's function; its process is ended at the time limit.

        Raises ProcessEnded, and what `work` raises; that may not be an OSError.
        """
        for _ in range(MAX_ATTEMPTS):
            executor, started_at = self._get_executor(), monotonic()
            try:
                return await asyncio.wrap_future(executor.submit(_run_within, time_limit_s, work, job))
            except BrokenProcessPool:
                self._discard(executor)
                if monotonic() - started_at >= time_limit_s:
                    raise ProcessEnded(f"took more than {time_limit_s:g} s") from None
            except OSError as error:
                self._discard(executor)
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

    def _discard(self, executor: ProcessPoolExecutor) -> None:
        """Shut a broken executor down, unless another caller has replaced it."""
        if self._executor is executor:
            self._executor = None
            executor.shutdown(wait=False)


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
    """Run a job. If it takes too long the process ends, even while a library holds the GIL."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        return work(job)
    finally:
        faulthandler.cancel_dump_traceback_later()
