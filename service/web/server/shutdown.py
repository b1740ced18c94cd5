"""The shutdown signal of an instance."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

SHUTDOWN_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class ShutdownSignal:
    """A request to stop, and a second one to stop at once."""

    def __init__(self) -> None:
        self.requested = asyncio.Event()
        self.forced = asyncio.Event()

    def request(self) -> None:
        """Request the stop; force it on the second call."""
        (self.forced if self.requested.is_set() else self.requested).set()


@contextmanager
def handle_signals(stop: ShutdownSignal) -> Iterator[None]:
    """Request the stop on SIGTERM and SIGINT while the block runs."""
    loop = asyncio.get_running_loop()
    for number in SHUTDOWN_SIGNALS:
        loop.add_signal_handler(number, stop.request)
    try:
        yield
    finally:
        for number in SHUTDOWN_SIGNALS:
            loop.remove_signal_handler(number)
