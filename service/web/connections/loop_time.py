"""The time of the event loop that a connection takes, measured where its handlers run."""

from collections.abc import Awaitable, Generator
from time import perf_counter
from types import coroutine
from typing import Any, TypeVar, cast

__all__ = ["LoopTime"]

T = TypeVar("T")


class LoopTime:
    """The time of one connection that is not charged yet."""

    __slots__ = ("_step_started_at", "unpaid_s")

    def __init__(self) -> None:
        self.unpaid_s = 0.0
        """Seconds of the event loop that were taken."""
        self._step_started_at = 0.0
        """When the step of a handler began that is running; 0 while none is."""

    def add_since(self, started_at: float) -> None:
        """Add the time since then, unless it is a part of a step's."""
        if not self._step_started_at:
            self.unpaid_s += perf_counter() - started_at

    def take(self) -> float:
        """Return the seconds that were taken since the last call."""
        if self._step_started_at:
            now = perf_counter()
            self.unpaid_s += now - self._step_started_at
            self._step_started_at = now
        seconds, self.unpaid_s = self.unpaid_s, 0.0
        return seconds

    @coroutine
    def measure(self, handling: Awaitable[T]) -> Generator[Any, Any, T]:
        """Await something, and add the time of its steps; what runs between them is others'."""
        steps: Any = handling.__await__()
        step, value = steps.send, None
        while True:
            self._step_started_at = perf_counter()
            try:
                awaited = step(value)
            except StopIteration as end:
                return cast("T", end.value)
            finally:
                self.unpaid_s += perf_counter() - self._step_started_at
                self._step_started_at = 0.0
            try:
                step, value = steps.send, (yield awaited)
            except BaseException as error:  # noqa: BLE001  whatever it is, it is the coroutine's
                step, value = steps.throw, error
