"""How much may be asked of Redis and not be answered yet; what is more is refused at once.

A server that has stopped answering would else have this process collect commands, and the requests that wait for them,
until its memory ends. What counts is a command from its acceptance until nothing holds it any more: while it waits for
a connection, on its way, and while it is asked again. This module knows nothing of how commands are sent.
"""

from collections.abc import Collection, Hashable
from typing import NamedTuple

from service.games.port import StoreBusy
from service.telemetry.metrics import REDIS_ERRORS

__all__ = ["InFlight", "InFlightLimits"]

PRIMARY_SHARE = 0.5
"""What one primary of several may have of the limits, so that those that answer are still asked."""

_REFUSED = REDIS_ERRORS.labels("busy")


class InFlightLimits(NamedTuple):
    """How many commands, and bytes of them, may be in flight."""

    commands: int = 4096
    bytes: int = 33_554_432


class InFlight:
    """What is in flight, to all primaries or (`of`) to one of several."""

    __slots__ = ("_of", "_total", "bytes", "commands", "limits")

    def __init__(self, limits: InFlightLimits, total: "InFlight | None" = None) -> None:
        self.limits = limits
        self.commands = 0
        self.bytes = 0
        self._total = total
        self._of: dict[Hashable, InFlight] = {}

    def of(self, primary: Hashable) -> "InFlight":
        """The share of one primary of several; what it admits counts here too."""
        found = self._of.get(primary)
        if found is None:
            limits = InFlightLimits(*(max(1, int(limit * PRIMARY_SHARE)) for limit in self.limits))
            found = self._of[primary] = InFlight(limits, self)
        return found

    def keep(self, primaries: Collection[Hashable]) -> None:
        """Forget the shares of all other primaries, as soon as nothing of theirs is in flight."""
        self._of = {key: share for key, share in self._of.items() if key in primaries or share.commands}

    def admit(self, size: int) -> bool:
        """Count a command of so many bytes until its `release`; False, and nothing is counted, where it is full.

        A command may be larger than the limit where nothing else is in flight.
        """
        commands, size_of_all = self.commands, self.bytes + size
        if commands >= self.limits.commands or (commands and size_of_all > self.limits.bytes):
            _REFUSED.inc()
            return False
        if self._total is not None and not self._total.admit(size):
            return False
        self.commands, self.bytes = commands + 1, size_of_all
        return True

    def busy(self) -> StoreBusy:
        """What to raise for a command that was not admitted."""
        full = self._total or self
        return StoreBusy(f"{full.commands} commands of {full.bytes} bytes wait for Redis already")

    def release(self, size: int) -> None:
        """Count such a command no more."""
        self.commands -= 1
        self.bytes -= size
        if self._total is not None:
            self._total.release(size)
