"""How an instance is told to stop, and to hurry."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stop:
    """What an instance waits for."""

    def __init__(self) -> None:
        self.told = asyncio.Event()
        self.hurry = asyncio.Event()

    def tell(self) -> None:
        """To stop; whoever tells it twice does not want to wait."""
        (self.hurry if self.told.is_set() else self.told).set()


@contextmanager
def stopping_on_signals(stop: Stop) -> Iterator[None]:
    """Stop on SIGTERM and SIGINT, and hurry on the second, in the running event loop."""
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, stop.tell)
    try:
        yield
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
