"""One command on its way to Redis, from who asks to the reply."""

import asyncio
from time import perf_counter
from typing import Any

from service.games.port import StoreUnavailable
from service.store import timing
from service.store.backpressure import InFlight
from service.store.errors import told
from service.telemetry.metrics import REDIS_ERRORS

__all__ = ["NO_REPLY", "Command", "Value"]

Value = bytes | str | int

NO_REPLY = "Redis has not answered in time"

_WORD_BYTES = 12
"""What the protocol adds to each word."""


class Command:
    """One command, and who waits for its reply. It is in flight until nothing holds it any more: see `leave`."""

    __slots__ = (
        *("asking", "began", "confirmed", "future", "hops", "in_flight", "key", "primary", "reason", "size", "times"),
        *("until", "words"),
    )

    def __init__(
        self, words: tuple[Value, ...], future: asyncio.Future[Any], until: float, primary: str | None
    ) -> None:
        self.words = words
        self.future = future
        self.until = until
        """The loop's time at which it is given up."""
        self.primary = primary
        """To whom it goes, whoever that is by then; None: who has its key."""
        self.size = _WORD_BYTES * len(words) + sum([8 if isinstance(word, int) else len(word) for word in words])
        """About how many bytes it has."""
        self.in_flight: InFlight | None = None
        """Where it counts, unless nothing holds it any more."""
        self.key = ""
        self.confirmed = False
        self.asking = False
        """Whether the next server is to be told that the slot is being moved to it."""
        self.hops = 0
        """How often it was refused by a server that was not the right one."""
        self.reason = NO_REPLY
        """Why there is no reply yet."""
        self.began = perf_counter()
        self.times = timing.times(words)

    def done(self, reply: Any) -> None:
        """Hand over the reply."""
        self.leave()
        if not self.future.done():
            self.future.set_result(reply)
            self.times.observe(perf_counter() - self.began)

    def refused(self, error: BaseException) -> None:
        """Hand over what Redis said instead."""
        self.leave()
        if not self.future.done():
            REDIS_ERRORS.labels("refused").inc()
            self.future.set_exception(told(error))

    def late(self, now: float) -> bool:
        """Whether it is too old, and given up therefore; its reply may still come."""
        if self.until > now:
            return False
        self._give_up(self.reason, "timeout" if self.reason is NO_REPLY else "connection")
        return True

    def fail(self, reason: str) -> None:
        """Give it up: nothing holds it any more."""
        self.leave()
        self._give_up(reason, "connection")

    def leave(self) -> None:
        """Nothing holds it any more."""
        if self.in_flight is not None:
            self.in_flight.release(self.size)
            self.in_flight = None

    def _give_up(self, reason: str, kind: str) -> None:
        if not self.future.done():
            REDIS_ERRORS.labels(kind).inc()
            self.future.set_exception(StoreUnavailable(reason))
