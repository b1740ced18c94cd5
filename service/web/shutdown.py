"""How an instance is told to stop, and to hurry."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

SHUTDOWN_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class ShutdownSignal:
    """What an instance waits for."""

    def __init__(self) -> None:
        self.requested = asyncio.Event()
        self.forced = asyncio.Event()

    def request(self) -> None:
        """To stop; whoever tells it twice does not want to wait."""
        (self.forced if self.requested.is_set() else self.requested).set()


@contextmanager
def handle_signals(stop: ShutdownSignal) -> Iterator[None]:
    """Stop on SIGTERM and SIGINT, and hurry on the second, in the running event loop."""
    loop = asyncio.get_running_loop()
    for number in SHUTDOWN_SIGNALS:
        loop.add_signal_handler(number, stop.request)
    try:
        yield
    finally:
        for number in SHUTDOWN_SIGNALS:
            loop.remove_signal_handler(number)
