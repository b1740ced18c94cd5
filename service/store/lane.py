"""Commands on their way to one primary.

What is asked in one tick of the event loop is one write. Nothing waits for the answers to what went before: replies
come in order, and each finds who asked. What a lost connection has not answered is sent again, which everything that
the store sends bears: see `Batches`.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from service.store.asked import Asked
from service.store.link import Link, LinkLost, pack
from service.store.refusals import Refused, told
from service.store.timing import LANES
from service.store.where import Place
from service.supervision import spawn

__all__ = ["Lane", "Owner"]

SILENCE_S = 2.0
"""A connection on which nothing comes for so long although it owes an answer is given up, and that asked again."""

LOOK_S = 0.25
"""How often the age of what is under way is looked at, and at most how late it is told."""

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 0.5
"""Between attempts at a connection: doubled each time."""

_ASKING = pack("ASKING")


class Owner:
    """Who knows where primaries are; a lane turns to it for connections, and with what it could not do."""

    grace_s: float
    """What is asked while no connection can be made waits until this has been so for so many seconds."""

    async def open(self, lane: "Lane") -> Link:
        """A new connection to the lane's primary. Raises LinkLost or Refused."""
        raise NotImplementedError

    def refused(self, asked: Asked, refusal: Refused) -> bool:
        """Whether it will be asked again, later or elsewhere."""
        raise NotImplementedError

    def stray(self, lane: "Lane", asked: Sequence[Asked]) -> None:
        """The lane's connection was lost or could not be made before these were answered: have them asked again."""
        raise NotImplementedError


class Lane:
    """What is asked of one primary, over at most `connections` connections."""

    def __init__(self, owner: Owner, connections: int) -> None:
        self.owner = owner
        self.place: Place | None = None
        """Where its primary is, if that is always the same one of many."""
        self.silence_s = SILENCE_S
        self._connections = connections
        self._links: list[Link] = []
        self._waiting: list[Asked] = []
        self._loop = asyncio.get_running_loop()
        self._flushing = False
        self._opening: asyncio.Task[None] | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._ended = False
        self._enough_until = 0.0
        self._out_since: float | None = None
        """Since when no connection could be made."""
        LANES.add(self)

    @property
    def up(self) -> bool:
        """Whether a connection is there, or none was needed yet."""
        return self._out_since is None

    @property
    def waiting(self) -> int:
        """How many commands wait for a connection."""
        return len(self._waiting)

    def put(self, asked: Asked) -> None:
        """Send it with all else that is asked in this tick."""
        asked.lane = self
        if self._ended:
            asked.fail("the connection to Redis is closed")
            return
        self._waiting.append(asked)
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)

    def drop(self, reason: str) -> None:
        """Break all connections: what they owe is asked again."""
        for link in [*self._links]:
            link.abort(reason)

    def take(self) -> list[Asked]:
        """All that is not sent, which is then somebody else's."""
        taken, self._waiting = self._waiting, []
        return taken

    def unanswered(self, asked: Asked) -> None:
        """A connection that was lost had not answered this."""
        self._waiting.append(asked)

    async def aclose(self) -> None:
        """Break all connections, and give up all that waits."""
        self._ended = True
        if self._looking is not None:
            self._looking.cancel()
        if self._opening is not None:
            self._opening.cancel()
        self.drop("closed")
        for asked in self.take():
            asked.fail("the connection to Redis is closed")
        if self._opening is not None:
            await asyncio.gather(self._opening, return_exceptions=True)

    def _flush(self) -> None:
        self._flushing = False
        if self._ended:
            return
        if self._looking is None and self._waiting:
            self._looking = self._loop.call_later(LOOK_S, self._look)
        if self._waiting and self._opening is None and self._wants_more():
            self._opening = spawn("redis-connect", self._open())
        link = self._free()
        if link is not None and self._waiting:
            self._send(link, self.take())

    def _wants_more(self) -> bool:
        """Whether to make another connection now: where one is there, not right after another could not be made."""
        return not self._links or (len(self._links) < self._connections and self._loop.time() >= self._enough_until)

    def _free(self) -> Link | None:
        """The connection that owes the fewest answers."""
        links = self._links
        if len(links) < 2:
            return links[0] if links else None
        return min(links, key=_owed)

    def _send(self, link: Link, batch: list[Asked]) -> None:
        expected, packed = link.expected, []
        for asked in batch:
            if asked.asking:
                asked.asking = False
                expected.append(_UNHEEDED)
                packed.append(_ASKING)
            expected.append(asked)
            packed.append(asked.packed)
        link.write(packed)

    async def _open(self) -> None:
        """Make the connections that are missing; where none can be made, again and again while somebody waits."""
        pause = FIRST_PAUSE_S
        try:
            while len(self._links) < self._connections:
                try:
                    link = await self.owner.open(self)
                    if not link.open:
                        raise LinkLost("the server closed the connection")  # noqa: TRY301  one way out
                except (LinkLost, Refused) as error:
                    self._enough_until = self._loop.time() + LONGEST_PAUSE_S
                    if self._links or not self._failed(error):
                        return
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, LONGEST_PAUSE_S)
                else:
                    self._opened(link)
                    pause = FIRST_PAUSE_S
        finally:
            self._opening = None

    def _opened(self, link: Link) -> None:
        self._out_since = None
        link.closed = lambda reason: self._closed(link, reason)
        self._links.append(link)
        self._flush()

    def _failed(self, error: LinkLost | Refused) -> bool:
        """No connection could be made. Whether to go on trying."""
        now = self._loop.time()
        reason = str(told(error)) if isinstance(error, Refused) else f"Redis: {error}"
        self._out_since = now if self._out_since is None else self._out_since
        hopeless = isinstance(error, Refused) or now - self._out_since >= self.owner.grace_s
        for asked in self._waiting:
            asked.reason = reason
        waiting = self.take()
        if hopeless:
            for asked in waiting:
                asked.fail(reason)
            waiting = []
        self.owner.stray(self, waiting)  # also with nothing to ask again: the primary may be another by now
        return bool(self._waiting)

    def _closed(self, link: Link, reason: str) -> None:
        """A connection was lost; what it owed is in `_waiting` again, before all that is newer."""
        del reason
        if link in self._links:
            self._links.remove(link)
        waiting = _without(self.take(), lambda asked: asked.future.done())
        if waiting:
            waiting.sort(key=_until)
            self.owner.stray(self, waiting)

    def _look(self) -> None:
        """Give up what is too old, and connections that owe an answer for too long."""
        self._looking = None
        now = self._loop.time()
        for link in [*self._links]:
            for awaited in link.expected:
                if not awaited.late(now):
                    break
            if link.silent_since(now) >= self.silence_s:
                link.abort(f"no answer within {self.silence_s} s")
        self._waiting = _without(self._waiting, lambda asked: asked.late(now))
        if self._waiting or any(link.expected for link in self._links):
            self._looking = self._loop.call_later(LOOK_S, self._look)


class _Unheeded:
    """Takes a reply that nobody waits for."""

    def answer(self, reply: Any) -> None:
        """Nothing is done: what came after it is refused, too, where this was."""

    def lost(self, reason: str) -> None:
        """Nobody waited."""

    def late(self, now: float) -> bool:
        """Never what the time is measured by."""
        del now
        return True


_UNHEEDED = _Unheeded()


def _without(waiting: Sequence[Asked], gone: Callable[[Asked], bool]) -> list[Asked]:
    """What still waits; the rest is not in flight any more."""
    left = []
    for asked in waiting:
        if gone(asked):
            asked.leave()
        else:
            left.append(asked)
    return left


def _owed(link: Link) -> int:
    return len(link.expected)


def _until(asked: Asked) -> float:
    return asked.until
