"""One command on its way, from who asks to the reply."""

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING, Any

from service.games.port import StoreUnavailable
from service.store.backpressure import InFlight
from service.store.refusals import MissingScript, Refused, told
from service.telemetry.metrics import REDIS_COMMAND, REDIS_ERRORS, REDIS_RETRIES

if TYPE_CHECKING:
    from service.store.lane import Lane

__all__ = ["NO_ANSWER", "UNKNOWN", "Asked"]

NO_ANSWER = "Redis has not answered in time"

UNKNOWN = REDIS_COMMAND.labels("other")


class Asked:
    """One command, and who waits for its reply. Who holds it last must `leave` it: until then it is in flight."""

    __slots__ = ("asking", "began", "future", "hops", "in_flight", "lane", "packed", "reason", "slot", "times", "until")

    def __init__(self, packed: bytes, future: asyncio.Future[Any], until: float, slot: int) -> None:
        self.packed = packed
        self.in_flight: InFlight | None = None
        """Where it counts, unless nothing holds it any more."""
        self.future = future
        self.until = until
        """The loop's time at which it is given up."""
        self.slot = slot
        self.lane: Lane | None = None
        self.asking = False
        """Whether the next server is to be told that the slot is being moved to it."""
        self.hops = 0
        """How often it was sent elsewhere or away."""
        self.reason = NO_ANSWER
        """Why it is not answered yet."""
        self.began = perf_counter()
        self.times = UNKNOWN
        """Where the time that it takes is counted."""

    def answer(self, reply: Any) -> None:
        """Hand over the reply, unless who asked has gone, or it will be asked again."""
        if type(reply) is Refused:
            self.refused(reply)
        else:
            self.done(reply)

    def done(self, reply: Any) -> None:
        """Hand over the reply that counts."""
        self.leave()
        if not self.future.done():
            self.future.set_result(reply)
            self.times.observe(perf_counter() - self.began)

    def refused(self, refusal: Refused) -> None:
        """Ask again where that may help."""
        self.reason = str(told(refusal)) if refusal.code != "NOSCRIPT" else ""
        if self.future.done():
            self.leave()
            return
        if self.lane is not None and self.lane.owner.refused(self, refusal):
            REDIS_RETRIES.inc()
            return
        self.leave()
        if refusal.code != "NOSCRIPT":
            REDIS_ERRORS.labels("refused").inc()
        self.future.set_exception(MissingScript() if refusal.code == "NOSCRIPT" else told(refusal))

    def lost(self, reason: str) -> None:
        """The connection broke: ask again."""
        self.reason = f"Redis: {reason}"
        if self.future.done() or self.lane is None:
            self.leave()
        else:
            REDIS_RETRIES.inc()
            self.lane.unanswered(self)

    def late(self, now: float) -> bool:
        """Whether it is too old, and given up therefore; its reply may still come."""
        if self.until > now:
            return False
        self._fail(self.reason, "timeout" if self.reason is NO_ANSWER else "connection")
        return True

    def fail(self, reason: str) -> None:
        """Give it up: nothing holds it any more."""
        self.leave()
        self._fail(reason, "connection")

    def leave(self) -> None:
        """Nothing holds it any more."""
        if self.in_flight is not None:
            self.in_flight.release(len(self.packed))
            self.in_flight = None

    def _fail(self, reason: str, kind: str) -> None:
        if not self.future.done():
            REDIS_ERRORS.labels(kind).inc()
            self.future.set_exception(StoreUnavailable(reason))
