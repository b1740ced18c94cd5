"""Matches of two clients, whose next move is sent when the other client has the last one: the same for every server."""

import asyncio
import gc
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter, process_time
from typing import NamedTuple

from benchmarks.peers.wire import Socket

GRACE_S = 10.0
"""After the time is up: how long the last moves may take before a match counts as stuck."""


class Played(NamedTuple):
    """What some matches measured."""

    per_second: float
    """Moves that reached the other client."""
    seconds: list[float]
    """Of each move, from sending it to the other client's update."""
    busy: float
    """The share of the time that this process, the load, was busy."""


class Match(ABC):
    """One match; a kind of server says how to send a move, and tells of every update that a client hears."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.sockets: list[Socket] = []
        self.moves = 0
        self.mover = 0
        self.done: asyncio.Future[None]
        self._heard = [0, 0]
        self._until = self._pause = self._last = self._due = self._sent = 0.0

    @abstractmethod
    def send(self) -> int:
        """Send the next move, by whoever's turn it is; gives the seat."""

    def begin(self, at: float, until: float, pause: float, most: float) -> None:
        """Play from then on, `most` moves; with a `pause` they are that many seconds apart, if the server keeps up."""
        self.times.clear()
        self._last = self.moves + most
        self.done = asyncio.get_running_loop().create_future()
        self._until, self._pause, self._due = until, pause, at
        asyncio.get_running_loop().call_later(max(0.0, at - perf_counter()), self._move)

    def updated(self, seat: int) -> bool:
        """Count an update; whether it brought the last move to the other client.

        Each client gets one for each move. What comes before the first move is not counted.
        """
        if not self.moves:
            return False
        self._heard[seat] += 1
        if seat == self.mover or self._heard[seat] < self.moves:
            return False
        self.times.append(perf_counter() - self._sent)
        return True

    def go_on(self) -> None:
        """Send the next move now, or when it is due; one that is overdue counts from when it was due."""
        now = perf_counter()
        if self.done.done():
            return
        if now >= self._until or self.moves >= self._last:
            self.done.set_result(None)
            return
        self._due += self._pause
        if self._pause and self._due > now:
            asyncio.get_running_loop().call_later(self._due - now, self._move)
        else:
            self._move(self._due if self._pause else now)

    def fail(self, why: object) -> None:
        """End with an error."""
        if not self.done.done():
            self.done.set_exception(RuntimeError(str(why)))

    def close(self) -> None:
        """Close the sockets at once."""
        for socket in self.sockets:
            socket.transport.abort()

    def _move(self, sent: float | None = None) -> None:
        self._sent = sent or perf_counter()
        self.moves += 1
        self.mover = self.send()


async def play(
    matches: Sequence[Match], seconds: float, per_second: float | None = None, most: float = float("inf")
) -> Played:
    """All matches at once: as fast as they can, or together `per_second` moves, evenly spread; each `most` moves."""
    pause = len(matches) / per_second if per_second else 0.0
    with _no_collection():
        begin = perf_counter() + 0.05
        for number, match in enumerate(matches):
            match.begin(begin + pause * number / len(matches), begin + seconds, pause, most)
        before = process_time()
        try:
            async with asyncio.timeout(seconds + GRACE_S):
                await asyncio.gather(*(match.done for match in matches))
        except TimeoutError:
            stuck = sum(not match.times or not match.done.done() for match in matches)
            raise RuntimeError(f"{stuck} of {len(matches)} matches got no update for {GRACE_S:.0f} s") from None
        took = perf_counter() - begin
        busy = (process_time() - before) / took
    times = [time for match in matches for time in match.times]
    return Played(len(times) / took, times, busy)


@contextmanager
def _no_collection() -> Iterator[None]:
    """The load's own garbage is collected before and after, not in what is measured."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
