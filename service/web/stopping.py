"""How an instance is told to stop, and to hurry."""

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

Heeded = Mapping[signal.Signals, Callable[[], None]]
"""What is done when a signal comes."""


class Stop:
    """What an instance waits for."""

    def __init__(self) -> None:
        self.told = asyncio.Event()
        self.hurry = asyncio.Event()

    def tell(self) -> None:
        """To stop; whoever tells it twice does not want to wait."""
        (self.hurry if self.told.is_set() else self.told).set()

    def at_once(self) -> None:
        """To stop without waiting for anybody."""
        self.hurry.set()
        self.told.set()

    def by_hand(self) -> Heeded:
        """The signals of whoever started this process."""
        return {signal.SIGTERM: self.tell, signal.SIGINT: self.tell}

    def by_manager(self) -> Heeded:
        """The signals of a process manager.

        SIGTERM may come twice, from the manager and from who ends all processes of a service; SIGINT, from the
        terminal, the manager gets too, and decides.
        """
        return {signal.SIGTERM: self.told.set, signal.SIGQUIT: self.at_once, signal.SIGINT: _nothing}


def _nothing() -> None:
    """Leave it to the manager."""


@contextmanager
def heeding(signals: Heeded) -> Iterator[None]:
    """In the running loop, do what belongs to each signal."""
    loop = asyncio.get_running_loop()
    for number, do in signals.items():
        loop.add_signal_handler(number, do)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
