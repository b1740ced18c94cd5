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

__all__ = ["NO_REPLY_REASON", "Argument", "Command", "InFlightCommands", "InFlightLimits", "name_script_metric"]

Argument = bytes | str | int

NO_REPLY_REASON = "Redis has not answered in time"

MAX_SHARE_PER_PRIMARY = 0.5
"""What one primary of several may have of the limits, so that those that answer are still asked."""

_ARGUMENT_OVERHEAD_BYTES = 12
"""What the protocol adds to each word."""

_HISTOGRAMS: dict[object, Histogram] = {}
"""How long each kind of command takes, by its name or its script's hash: there are few, and no client chooses one."""


class InFlightLimits(NamedTuple):
    """How many commands, and bytes of them, may be in flight."""

    commands: int = 4096
    bytes: int = 33_554_432


class InFlightCommands:
    """What is in flight, to all primaries or (`of`) to one of several."""

    __slots__ = ("_parent", "_shares", "bytes", "commands", "limits")

    def __init__(self, limits: InFlightLimits, parent: "InFlightCommands | None" = None) -> None:
        self.limits = limits
        self.commands: set[Command] = set()
        self.bytes = 0
        self._parent = parent
        self._shares: dict[str, InFlightCommands] = {}

    def share_of(self, primary: str) -> "InFlightCommands":
        """The share of one primary of several; what it admits counts here too."""
        if primary not in self._shares:
            limits = InFlightLimits(*(max(1, int(limit * MAX_SHARE_PER_PRIMARY)) for limit in self.limits))
            self._shares[primary] = InFlightCommands(limits, self)
        return self._shares[primary]

    def drop_other_shares(self, primaries: Collection[str]) -> None:
        """Forget the shares of all other primaries, as soon as nothing of theirs is in flight."""
        self._shares = {key: share for key, share in self._shares.items() if key in primaries or share.commands}

    def admit(self, command: "Command") -> None:
        """Count a command until it leaves. Raises StoreBusy, and counts nothing, where it is full.

        A command may be larger than the limit where nothing else is in flight.
        """
        commands, size = len(self.commands), self.bytes + command.size
        if commands >= self.limits.commands or (commands and size > self.limits.bytes):
            REDIS_ERRORS.labels("busy").inc()
            full = self._parent or self
            raise StoreBusy(f"{len(full.commands)} commands of {full.bytes} bytes wait for Redis already")
        if self._parent is not None:
            self._parent.admit(command)
        self.commands.add(command)
        self.bytes = size
        command.in_flight = self

    def release(self, command: "Command") -> None:
        """Count it no more."""
        self.commands.remove(command)
        self.bytes -= command.size
        if self._parent is not None:
            self._parent.release(command)


class Command:
    """One command, and who waits for its reply."""

    __slots__ = (
        *(
            "arguments",
            "failure_reason",
            "future",
            "histogram",
            "in_flight",
            "key",
            "needs_asking",
            "primary",
            "redirects",
        ),
        *("size", "started_at", "wait_for_replicas"),
    )

    def __init__(
        self,
        arguments: tuple[Argument, ...],
        future: asyncio.Future[Any],
        primary: str | None = None,
        *,
        wait_for_replicas: bool,
    ) -> None:
        self.arguments = arguments
        self.future = future
        self.wait_for_replicas = wait_for_replicas
        """Whether replicas must have it before it is answered."""
        self.size = _ARGUMENT_OVERHEAD_BYTES * len(arguments) + sum(
            [8 if isinstance(word, int) else len(word) for word in arguments]
        )
        """About how many bytes it has."""
        self.in_flight: InFlightCommands | None = None
        """Where it counts, unless nothing holds it any more."""
        self.primary = primary
        """To whom it goes, whoever that is by then; None: who has its key."""
        self.key = ""
        self.needs_asking = False
        """Whether the next server is to be told that the slot is being moved to it."""
        self.redirects = 0
        """How often it was refused by a server that was not the right one."""
        self.failure_reason = NO_REPLY_REASON
        """Why there is no reply yet."""
        self.started_at = perf_counter()
        name = arguments[1] if arguments[0] == "EVALSHA" else arguments[0]
        self.histogram = _HISTOGRAMS.get(name) or name_script_metric(name, arguments[0])

    def is_awaited(self) -> bool:
        """Whether somebody waits for it; else it is not in flight any more."""
        if not self.future.done():
            return True
        self.release()
        return False

    def resolve(self, reply: Any) -> None:
        """Hand over the reply."""
        self.release()
        if not self.future.done():
            self.future.set_result(reply)
            self.histogram.observe(perf_counter() - self.started_at)

    def fail(self, error: Exception, kind: str = "connection") -> None:
        """Hand over why there will be no reply: nothing holds it any more."""
        self.release()
        self.set_error(error, kind)

    def set_error(self, error: Exception, kind: str) -> None:
        """Say so to who asked, though it may be on its way."""
        if not self.future.done():
            REDIS_ERRORS.labels(kind).inc()
            self.future.set_exception(error)

    def release(self) -> None:
        """Nothing holds it any more."""
        if self.in_flight is not None:
            self.in_flight.release(self)
            self.in_flight = None


def name_script_metric(digest: object, name: object) -> Histogram:
    """Let commands that name a script by its hash count by its name."""
    return _HISTOGRAMS.setdefault(digest, REDIS_COMMAND.labels(name))
