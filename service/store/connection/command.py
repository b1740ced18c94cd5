"""One command on its way to Redis, from who asks to the reply, and how many of them there may be.

A server that has stopped answering would else have this process collect commands, and the requests that wait for them,
until its memory ends. A command is in flight from its acceptance until nothing holds it any more: while it waits for a
connection, on its way, and while it is asked again. What is too much is refused at once.
"""

import asyncio
from collections.abc import Collection
from time import perf_counter
from typing import Any, NamedTuple

from prometheus_client import Histogram

from service.games.ports import StoreBusy
from service.telemetry.metrics import REDIS_COMMAND, REDIS_ERRORS

__all__ = ["NO_REPLY", "Command", "InFlight", "InFlightLimits", "Value", "count_as"]

Value = bytes | str | int

NO_REPLY = "Redis has not answered in time"

PRIMARY_SHARE = 0.5
"""What one primary of several may have of the limits, so that those that answer are still asked."""

_WORD_BYTES = 12
"""What the protocol adds to each word."""

_TIMES: dict[object, Histogram] = {}
"""How long each kind of command takes, by its name or its script's hash: there are few, and no client chooses one."""


class InFlightLimits(NamedTuple):
    """How many commands, and bytes of them, may be in flight."""

    commands: int = 4096
    bytes: int = 33_554_432


class InFlight:
    """What is in flight, to all primaries or (`of`) to one of several."""

    __slots__ = ("_of", "_total", "bytes", "commands", "limits")

    def __init__(self, limits: InFlightLimits, total: "InFlight | None" = None) -> None:
        self.limits = limits
        self.commands: set[Command] = set()
        self.bytes = 0
        self._total = total
        self._of: dict[str, InFlight] = {}

    def of(self, primary: str) -> "InFlight":
        """The share of one primary of several; what it admits counts here too."""
        if primary not in self._of:
            limits = InFlightLimits(*(max(1, int(limit * PRIMARY_SHARE)) for limit in self.limits))
            self._of[primary] = InFlight(limits, self)
        return self._of[primary]

    def keep(self, primaries: Collection[str]) -> None:
        """Forget the shares of all other primaries, as soon as nothing of theirs is in flight."""
        self._of = {key: share for key, share in self._of.items() if key in primaries or share.commands}

    def admit(self, command: "Command") -> None:
        """Count a command until it leaves. Raises StoreBusy, and counts nothing, where it is full.

        A command may be larger than the limit where nothing else is in flight.
        """
        commands, size = len(self.commands), self.bytes + command.size
        if commands >= self.limits.commands or (commands and size > self.limits.bytes):
            REDIS_ERRORS.labels("busy").inc()
            full = self._total or self
            raise StoreBusy(f"{len(full.commands)} commands of {full.bytes} bytes wait for Redis already")
        if self._total is not None:
            self._total.admit(command)
        self.commands.add(command)
        self.bytes = size
        command.in_flight = self

    def release(self, command: "Command") -> None:
        """Count it no more."""
        self.commands.remove(command)
        self.bytes -= command.size
        if self._total is not None:
            self._total.release(command)


class Command:
    """One command, and who waits for its reply."""

    __slots__ = (
        *("asking", "began", "confirmed", "future", "hops", "in_flight", "key", "primary", "reason", "size", "times"),
        "words",
    )

    def __init__(
        self, words: tuple[Value, ...], future: asyncio.Future[Any], primary: str | None = None, *, confirmed: bool
    ) -> None:
        self.words = words
        self.future = future
        self.confirmed = confirmed
        """Whether replicas must have it before it is answered."""
        self.size = _WORD_BYTES * len(words) + sum([8 if isinstance(word, int) else len(word) for word in words])
        """About how many bytes it has."""
        self.in_flight: InFlight | None = None
        """Where it counts, unless nothing holds it any more."""
        self.primary = primary
        """To whom it goes, whoever that is by then; None: who has its key."""
        self.key = ""
        self.asking = False
        """Whether the next server is to be told that the slot is being moved to it."""
        self.hops = 0
        """How often it was refused by a server that was not the right one."""
        self.reason = NO_REPLY
        """Why there is no reply yet."""
        self.began = perf_counter()
        name = words[1] if words[0] == "EVALSHA" else words[0]
        self.times = _TIMES.get(name) or count_as(name, words[0])

    def is_wanted(self) -> bool:
        """Whether somebody waits for it; else it is not in flight any more."""
        if not self.future.done():
            return True
        self.leave()
        return False

    def done(self, reply: Any) -> None:
        """Hand over the reply."""
        self.leave()
        if not self.future.done():
            self.future.set_result(reply)
            self.times.observe(perf_counter() - self.began)

    def fail(self, error: Exception, kind: str = "connection") -> None:
        """Hand over why there will be no reply: nothing holds it any more."""
        self.leave()
        self.give_up(error, kind)

    def give_up(self, error: Exception, kind: str) -> None:
        """Say so to who asked, though it may be on its way."""
        if not self.future.done():
            REDIS_ERRORS.labels(kind).inc()
            self.future.set_exception(error)

    def leave(self) -> None:
        """Nothing holds it any more."""
        if self.in_flight is not None:
            self.in_flight.release(self)
            self.in_flight = None


def count_as(digest: object, name: object) -> Histogram:
    """Let commands that name a script by its hash count by its name."""
    return _TIMES.setdefault(digest, REDIS_COMMAND.labels(name))
