"""One command from its submission to its reply, and the limits on commands in flight.

Without a limit, a Redis that stops answering would let commands, and the requests that await them, pile up until this
process runs out of memory. A command is in flight from its submission until nothing refers to it any more: while it
waits for a connection, while it is on its way and while it is being retried. Commands above the limit fail at once.
"""

import asyncio
from time import perf_counter
from typing import Any, NamedTuple

from prometheus_client import Histogram

from service.games.ports.game_store import StoreBusy, StoreUnavailable
from service.telemetry.metrics import REDIS_COMMAND, REDIS_ERRORS

__all__ = ["NO_REPLY_REASON", "Argument", "Command", "InFlightCommands", "InFlightLimits", "name_script_metric"]

Argument = bytes | str | int

NO_REPLY_REASON = "Redis did not reply in time"

MAX_SHARE_PER_PRIMARY = 0.5
"""The part of the limits that one primary of a Cluster may use, so that a stalled primary does not block the others."""

_ARGUMENT_OVERHEAD_BYTES = 40
"""What an argument takes besides the bytes of snapshots, diffs and the like: numbers and names are short."""

_HISTOGRAMS: dict[object, Histogram] = {}
"""Latency histograms by command name or script hash. There are few, and no client chooses one."""


class InFlightLimits(NamedTuple):
    """The maximum number of commands in flight, and of their bytes."""

    commands: int = 4096
    bytes: int = 33_554_432

    def per_primary(self) -> "InFlightLimits":
        """Return the limits of one primary of a Cluster."""
        return InFlightLimits(*(max(1, int(limit * MAX_SHARE_PER_PRIMARY)) for limit in self))


class InFlightCommands:
    """The commands in flight to all primaries, or to one primary of a Cluster."""

    __slots__ = ("bytes", "commands", "limits")

    def __init__(self, limits: InFlightLimits) -> None:
        self.limits = limits
        self.commands: set[Command] = set()
        self.bytes = 0


class Command:
    """One command and the future of its reply."""

    __slots__ = (
        *("arguments", "counted_in", "failure", "future", "key", "needs_asking", "primary", "redirects"),
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
        """The command's name and its arguments."""
        self.future = future
        self.wait_for_replicas = wait_for_replicas
        """Whether the reply is delayed until replicas have acknowledged the write."""
        self.size = _ARGUMENT_OVERHEAD_BYTES * len(arguments)
        """Its size in bytes, about."""
        for argument in arguments:
            if type(argument) is bytes:
                self.size += len(argument)
        self.counted_in: tuple[InFlightCommands, ...] = ()
        """Where it is counted; empty once it is released."""
        self.primary = primary
        """The primary to send it to; None for the primary that serves `key`."""
        self.key = ""
        self.needs_asking = False
        """Whether it is preceded by ASKING, because its slot is being migrated to the node it goes to."""
        self.redirects = 0
        """How many MOVED or ASK redirects it has followed."""
        self.failure: StoreUnavailable | None = None
        """Why its last attempt failed, with which it fails when its time is over; None while none has."""
        self.started_at = perf_counter()

    def admit(self, *counted_in: InFlightCommands) -> None:
        """Count the command, in the total first, until it is released.

        Raise StoreBusy, and count nothing, if a limit is reached. A command may exceed the byte limit if nothing else
        is in flight.
        """
        for one in counted_in:
            number = len(one.commands)
            if number >= one.limits.commands or (number and one.bytes + self.size > one.limits.bytes):
                REDIS_ERRORS.labels("busy").inc()
                total = counted_in[0]
                raise StoreBusy(f"{len(total.commands)} commands of {total.bytes} bytes are in flight to Redis already")
        for one in counted_in:
            one.commands.add(self)
            one.bytes += self.size
        self.counted_in = counted_in

    def release(self) -> None:
        """Stop counting the command as in flight."""
        for one in self.counted_in:
            one.commands.remove(self)
            one.bytes -= self.size
        self.counted_in = ()

    def release_if_abandoned(self) -> bool:
        """Release the command if nobody awaits its reply any more, and return whether that is so."""
        if not self.future.done():
            return False
        self.release()
        return True

    def resolve(self, reply: Any) -> None:
        """Release the command and set its reply."""
        self.release()
        if not self.future.done():
            self.future.set_result(reply)
            name = self.arguments[1] if self.arguments[0] == "EVALSHA" else self.arguments[0]
            histogram = _HISTOGRAMS.get(name) or name_script_metric(name, self.arguments[0])
            histogram.observe(perf_counter() - self.started_at)

    def fail(self, error: Exception, kind: str = "connection") -> None:
        """Release the command and set an error in place of its reply."""
        self.release()
        self.set_error(error, kind)

    def set_error(self, error: Exception, kind: str) -> None:
        """Set an error in place of the reply of a command that may still be on its way."""
        if not self.future.done():
            REDIS_ERRORS.labels(kind).inc()
            self.future.set_exception(error)


def name_script_metric(digest: object, name: object) -> Histogram:
    """Label the latency of a script, which commands name by its SHA-1 `digest`, with `name`."""
    return _HISTOGRAMS.setdefault(digest, REDIS_COMMAND.labels(name))
