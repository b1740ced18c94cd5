"""Several instances on the same sockets, as workers of gunicorn's arbiter, which is the process manager.

It starts them, starts another where one ends or does not answer for `SILENT_S`, and ends them all:

- SIGTERM or SIGINT: each worker stops as a single instance does; a second one: at once.
- SIGHUP: workers are replaced one for one; SIGTTIN and SIGTTOU: one more, one less.
"""

import os
import signal
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from socket import socket
from types import FrameType
from typing import Any, NamedTuple, Never

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.errors import HaltServer
from gunicorn.glogging import Logger

from service.processes.worker import InstanceWorker
from service.web.stopping import Stop

SILENT_S = 30
"""A worker whose event loop has stood still for so long is ended."""

MEMORY = Path("/dev/shm")  # noqa: S108  where workers leave nameless files, whose times are their signs of life

STOPS = (signal.SIGTERM, signal.SIGINT)

Instance = Callable[[Sequence[socket], Stop, Callable[[], None]], Awaitable[None]]
"""Serves on the sockets and calls back when it does, until it is told to stop."""


class Managed(NamedTuple):
    """What is to be run."""

    workers: int
    sockets: Sequence[socket]
    """Listening; nobody else uses them any more."""
    instance: Instance
    ready: Callable[[], None]
    """Called once, in the first worker, when that one serves."""
    lost: Callable[[], bool]
    """Whether all are to be ended, because what they need has gone and will not come back."""
    stop_s: float
    """How long a worker may take to stop."""


def manage(managed: Managed) -> Never:
    """Run the workers until this process is told to stop; ends it, and each worker, by SystemExit."""
    _Manager(_Application(managed)).run()
    raise SystemExit


class _Log(Logger):
    """Gunicorn's messages, in the service's log."""

    def setup(self, cfg: Any) -> None:
        """Leave everything to the root logger."""
        self.cfg = cfg
        self.error_log.propagate = True


class _Application(BaseApplication):
    """The settings of the arbiter, and what its workers run."""

    def __init__(self, managed: Managed) -> None:
        self.managed = managed
        self._bound = [f"fd://{each.detach()}" for each in managed.sockets]
        super().__init__(prog="south-seas")

    def load_config(self) -> None:
        """Set what is not as gunicorn has it by itself; its own variables and files are not read."""
        for name, value in {
            "bind": self._bound,
            "control_socket_disable": True,
            "graceful_timeout": round(self.managed.stop_s),
            "logger_class": _Log,
            "timeout": SILENT_S,
            "worker_class": InstanceWorker,
            "worker_tmp_dir": str(MEMORY) if os.access(MEMORY, os.W_OK) else tempfile.gettempdir(),
            "workers": self.managed.workers,
        }.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """What a worker needs."""
        return self.managed


class _Manager(Arbiter):
    """The arbiter, with the signals of a single instance."""

    app: _Application
    _told = False

    def signal(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal to stop as SIGTERM, which is gentle, and a second one as SIGINT, which is not."""
        if sig in STOPS:
            sig = signal.SIGINT if self._told else signal.SIGTERM
            self._told = True
        if sig != signal.SIGUSR2:  # it would start a second manager, which could not have what this one has
            super().signal(sig, frame)

    def manage_workers(self) -> None:
        """Start what is missing, or end everything. Raises HaltServer."""
        if self.app.managed.lost():
            raise HaltServer("the process that kept Redis has ended", 1)
        super().manage_workers()

    def halt(self, reason: str | None = None, exit_status: int = 0) -> None:
        """End everything, with 1 for every failure."""
        super().halt(reason, 1 if exit_status else 0)
