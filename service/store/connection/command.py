"""One command from its submission to its reply, and the limits on commands in flight.

Without a limit, a Redis that stops answering would let commands, and the requests that await them, pile up until this
process runs out of memory. A command is in flight from its submission until nothing refers to it any more: while it
waits for a connection, while it is on its way and while it is being retried. Commands above the limit fail at once.
"""

import asyncio
from collections.abc import Collection
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


class InFlightCommands:
    """The commands in flight to all primaries or, for a share, to one primary of a Cluster."""

    __slots__ = ("_parent", "_shares", "bytes", "commands", "limits")

    def __init__(self, limits: InFlightLimits, parent: "InFlightCommands | None" = None) -> None:
        self.limits = limits
        self.commands: set[Command] = set()
        self.bytes = 0
        self._parent = parent
        self._shares: dict[str, InFlightCommands] = {}

    def share_of(self, primary: str) -> "InFlightCommands":
        """Return the share of one primary of a Cluster. Commands that it admits count in the total too."""
        if primary not in self._shares:
            limits = InFlightLimits(*(max(1, int(limit * MAX_SHARE_PER_PRIMARY)) for limit in self.limits))
            self._shares[primary] = InFlightCommands(limits, self)
        return self._shares[primary]

    def drop_other_shares(self, primaries: Collection[str]) -> None:
        """Drop the shares of primaries that are not in `primaries` and have no command in flight."""
        self._shares = {key: share for key, share in self._shares.items() if key in primaries or share.commands}

    def admit(self, command: "Command") -> None:
        """Count a command until it is released. Raise StoreBusy, and count nothing, if a limit is reached.

        A command may exceed the byte limit if nothing else is in flight.
        """
        commands, size = len(self.commands), self.bytes + command.size
        if commands >= self.limits.commands or (commands and size > self.limits.bytes):
            REDIS_ERRORS.labels("busy").inc()
            total = self._parent or self
            raise StoreBusy(f"{len(total.commands)} commands of {total.bytes} bytes are in flight to Redis already")
        if self._parent is not None:
            self._parent.admit(command)
        self.commands.add(command)
        self.bytes = size
        command.in_flight = self

    def release(self, command: "Command") -> None:
        """Stop counting a command."""
        self.commands.remove(command)
        self.bytes -= command.size
        if self._parent is not None:
            self._parent.release(command)


class Command:
    """One command and the future of its reply."""

    __slots__ = (
        *(
            "arguments",
            "failure",
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
        """The command's name and its arguments."""
        self.future = future
        self.wait_for_replicas = wait_for_replicas
        """Whether the reply is delayed until replicas have acknowledged the write."""
        self.size = _ARGUMENT_OVERHEAD_BYTES * len(arguments)
        """Its size in bytes, about."""
        for argument in arguments:
            if type(argument) is bytes:
                self.size += len(argument)
        self.in_flight: InFlightCommands | None = None
        """Where it is counted; None once it is released."""
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
        name = arguments[1] if arguments[0] == "EVALSHA" else arguments[0]
        self.histogram = _HISTOGRAMS.get(name) or name_script_metric(name, arguments[0])

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
            self.histogram.observe(perf_counter() - self.started_at)

    def fail(self, error: Exception, kind: str = "connection") -> None:
        """Release the command and set an error in place of its reply."""
        self.release()
        self.set_error(error, kind)

    def set_error(self, error: Exception, kind: str) -> None:
        """Set an error in place of the reply of a command that may still be on its way."""
        if not self.future.done():
            REDIS_ERRORS.labels(kind).inc()
            self.future.set_exception(error)

    def release(self) -> None:
        """Stop counting the command as in flight."""
        if self.in_flight is not None:
            self.in_flight.release(self)
            self.in_flight = None


def name_script_metric(digest: object, name: object) -> Histogram:
    """Label the latency of a script, which commands name by its SHA-1 `digest`, with `name`."""
    return _HISTOGRAMS.setdefault(digest, REDIS_COMMAND.labels(name))
