"""One worker of the manager: a whole instance, on sockets that it shares with the others."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from socket import socket
from typing import Any

import uvloop
from gunicorn.workers.base import Worker

from service.supervision import Supervisor
from service.web.stopping import Stop

BEAT_S = 1.0
"""How often the manager is shown a sign of life."""


class InstanceWorker(Worker):
    """Runs an instance of what the application's `load` gives, a `Managed`."""

    def init_signals(self) -> None:
        """Until it serves, a worker is ended by signals, not stopped; SIGINT at the terminal is for the manager."""
        for number in self.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGQUIT, self.handle_quit)

    def run(self) -> None:
        """Serve until told to stop. Where that cannot begin, the arbiter ends all instead of trying for ever."""
        self.booted = False
        uvloop.run(self._serve(self.wsgi))
        sys.exit(0)

    async def _serve(self, managed: Any) -> None:
        stop = Stop()
        with _telling_the_end_of(self.ppid, stop.at_once):
            async with Supervisor().running("heartbeat", self._beat):
                sockets = [socket(fileno=listening.detach()) for listening in self.sockets]
                await managed.instance(sockets, stop, partial(self._ready, managed))

    def _ready(self, managed: Any) -> None:
        self.booted = True
        if self.age == 1:
            managed.ready()

    async def _beat(self) -> None:
        while True:
            self.notify()
            await asyncio.sleep(BEAT_S)


@contextmanager
def _telling_the_end_of(parent: int, then: Callable[[], None]) -> Iterator[None]:
    """In the running loop, do `then` once the parent has ended, which may have been before this began. Linux only."""
    loop = asyncio.get_running_loop()
    parent_ends = os.pidfd_open(os.getppid())

    def ended() -> None:
        loop.remove_reader(parent_ends)
        then()

    loop.add_reader(parent_ends, ended)
    if os.getppid() != parent:
        ended()
    try:
        yield
    finally:
        loop.remove_reader(parent_ends)
        os.close(parent_ends)
