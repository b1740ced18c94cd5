"""How much of the event loop's time a connection takes: of what it parses, and of the coroutines that serve it.

`time.thread_time` is a system call, and would cost an action up to 2 % if it were asked at each step. So these are
timed by the wall clock. What all of them took is compared with the thread's processor time when somebody takes a time:
on a machine that is busy with other things a client pays its share of the processor, not for the waiting.
"""

from collections.abc import Awaitable, Generator, Iterator
from time import perf_counter, thread_time
from typing import Any, Generic, TypeVar, cast

__all__ = ["Stopwatch", "Timed"]

T = TypeVar("T")


class _Total:
    """What all stopwatches have timed since a time was taken last."""

    seconds = 0.0
    thread_time_s = 0.0
    """The processor time of the thread then."""


class Stopwatch:
    """Adds up the time of blocks (`with stopwatch:`) and of coroutines, until somebody takes it."""

    __slots__ = ("blocks", "seconds", "started_at")

    def __init__(self) -> None:
        self.blocks = 0
        """Running blocks: what is parsed within a step of a coroutine counts once."""
        self.seconds = 0.0
        self.started_at = 0.0

    def __enter__(self) -> None:
        if not self.blocks:
            self.started_at = perf_counter()
        self.blocks += 1

    def __exit__(self, *_: object) -> None:
        self.blocks -= 1
        if not self.blocks:
            self._add(perf_counter())

    def take(self) -> float:
        """Return the seconds of the processor since the last time, those of the running block included."""
        if self.blocks:
            now = perf_counter()
            self._add(now)
            self.started_at = now
        thread_time_s = thread_time()
        available_s = thread_time_s - _Total.thread_time_s
        seconds = self.seconds if available_s >= _Total.seconds else self.seconds * available_s / _Total.seconds
        self.seconds = _Total.seconds = 0.0
        _Total.thread_time_s = thread_time_s
        return seconds

    def _add(self, now: float) -> None:
        elapsed = now - self.started_at
        self.seconds += elapsed
        _Total.seconds += elapsed


class Timed(Generic[T]):
    """An awaitable whose steps are timed; what others do between them does not count."""

    __slots__ = ("_steps", "_stopwatch")

    def __init__(self, awaitable: Awaitable[T], stopwatch: Stopwatch) -> None:
        self._steps: Any = awaitable.__await__()
        self._stopwatch = stopwatch

    def __await__(self) -> Generator[Any, Any, T]:
        return cast("Generator[Any, Any, T]", self)  # of which it has all that an event loop uses

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        # `with` would double what the measurement costs.
        stopwatch = self._stopwatch
        if stopwatch.blocks:
            return self._steps.send(None)
        stopwatch.blocks = 1
        stopwatch.started_at = perf_counter()
        try:
            return self._steps.send(None)
        finally:
            stopwatch.blocks = 0
            elapsed = perf_counter() - stopwatch.started_at
            stopwatch.seconds += elapsed
            _Total.seconds += elapsed

    def send(self, value: Any) -> Any:
        """Run the next step."""
        with self._stopwatch:
            return self._steps.send(value)

    def throw(self, *error: Any) -> Any:
        """Run the next step, which begins with an error."""
        with self._stopwatch:
            return self._steps.throw(*error)

    def close(self) -> None:
        """End the coroutine."""
        self._steps.close()
