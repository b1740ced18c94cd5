"""Which server is the primary, and so which lane a command takes: of one server, or of whichever the sentinels name.

`service.store.cluster` has the routes of a Cluster.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from service.store.asked import Asked
from service.store.backpressure import InFlight, InFlightLimits
from service.store.confirming import Confirmed, ConfirmingLane, Wait
from service.store.lane import Lane, Owner
from service.store.link import Link, LinkLost, open_link
from service.store.refusals import ELSEWHERE, Refused
from service.store.sentinels import Sentinels
from service.store.where import Place, Where
from service.supervision import SupervisedTask, Supervisor

__all__ = ["OneServer", "Routes", "SentinelRoutes", "Terms"]

DROP_EVERY_S = 0.5
"""At most so often all connections are made anew because the primary may be another."""

FOLLOW_S = 1.0

AGAIN_S = 0.1
"""What a primary refused for now is asked again after so long."""


class Terms:
    """What all lanes have in common."""

    def __init__(
        self,
        where: Where,
        connections: int,
        patience_s: float,
        wait: Wait | None,
        supervisor: Supervisor | None = None,
        in_flight: InFlight | None = None,
    ) -> None:
        self.where = where
        self.supervisor = supervisor or Supervisor()
        self.connections = connections
        self.patience_s = patience_s
        self.wait = wait
        self.in_flight = in_flight or InFlight(InFlightLimits())

    def lane(self, owner: Owner) -> Lane:
        """A new lane for commands."""
        return Lane(owner, self.connections)

    def confirming(self, owner: Owner) -> Lane | None:
        """A new lane for what replicas must have; None where that is not asked for."""
        return ConfirmingLane(owner, self.connections, self.wait) if self.wait is not None else None


class Routes(Owner):
    """Where commands go. Made inside the event loop; `aclose` it."""

    sharded = False
    """Whether several primaries share the keys by slot."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.grace_s = terms.patience_s
        self.changes = 0
        """Counts whenever a primary may be another than before."""
        self._loop = asyncio.get_running_loop()
        self._later: dict[Asked, asyncio.TimerHandle] = {}

    def in_flight(self, slot: int) -> InFlight:
        """Where a command to the primary of this slot counts."""
        del slot
        return self.terms.in_flight

    def put(self, asked: Asked) -> None:
        """Send it to the primary of its slot."""
        raise NotImplementedError

    async def primaries(self, *, anew: bool = False) -> Sequence[Place]:
        """All primaries, as is known or (`anew`) found out now. Raises LinkLost or Refused."""
        raise NotImplementedError

    def place_of(self, slot: int) -> Place | None:
        """Which of `primaries` announces the changes of this slot; None while that is not known."""
        raise NotImplementedError

    async def listen_at(self, place: Place, unasked: Callable[[Any], None]) -> Link:
        """A connection for announcements. Raises LinkLost or Refused."""
        link, _ = await open_link(self.terms.where, place, database=self.terms.where.database, unasked=unasked)
        return link

    def later(self, asked: Asked, pause_s: float = AGAIN_S) -> None:
        """Have it asked again after a while, if it is not too old then."""
        self._later[asked] = self._loop.call_later(pause_s, self._again, asked)

    def _again(self, asked: Asked) -> None:
        del self._later[asked]
        if asked.late(self._loop.time()):
            asked.leave()
        else:
            self.put(asked)

    async def aclose(self) -> None:
        """Break all connections, and give up all that waits."""
        for asked, timer in self._later.items():
            timer.cancel()
            asked.fail("the connection to Redis is closed")
        self._later.clear()


class OneServer(Routes):
    """One primary, always in the same place."""

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        self.grace_s = min(terms.patience_s, 1.0)
        self._lane = terms.lane(self)
        self._confirming = terms.confirming(self) or self._lane

    def put(self, asked: Asked) -> None:
        """Send it to the server."""
        (self._confirming if type(asked) is Confirmed else self._lane).put(asked)

    async def primaries(self, *, anew: bool = False) -> Sequence[Place]:
        """The server."""
        del anew
        return self.terms.where.places

    def place_of(self, slot: int) -> Place | None:
        """The server, whichever the slot."""
        del slot
        return self.terms.where.places[0]

    async def open(self, lane: Lane) -> Link:
        """A connection to the server. Raises LinkLost or Refused."""
        del lane
        where = self.terms.where
        link, _ = await open_link(where, where.places[0], database=where.database)
        return link

    def refused(self, asked: Asked, refusal: Refused) -> bool:
        """There is no other server that might do it."""
        del asked, refusal
        return False

    def stray(self, lane: Lane, asked: Sequence[Asked]) -> None:
        """Have it wait for the next connection."""
        for one in asked:
            lane.put(one)

    async def aclose(self) -> None:
        """Break all connections, and give up all that waits."""
        await super().aclose()
        for lane in {self._lane, self._confirming}:
            await lane.aclose()


class SentinelRoutes(OneServer):
    """One primary, which is where the sentinels say: they are asked before each connection, and every second."""

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        self.grace_s = terms.patience_s
        self._sentinels = Sentinels(terms.where)
        self._at: Place | None = None
        self._dropped_at = -DROP_EVERY_S
        self._following: SupervisedTask | None = None

    async def primaries(self, *, anew: bool = False) -> Sequence[Place]:
        """Whom the sentinels name now. Raises LinkLost or Refused."""
        del anew
        return [await self._locate()]

    def place_of(self, slot: int) -> Place | None:
        """Whom they named last, whichever the slot."""
        del slot
        return self._at

    async def open(self, lane: Lane) -> Link:
        """A connection to whom they name, if that is a primary. Raises LinkLost or Refused."""
        del lane
        place = await self._locate()
        link, role = await open_link(self.terms.where, place, database=self.terms.where.database)
        if role != "master":
            link.abort("a replica")
            raise LinkLost(f"{place}, which the sentinels name, is a {role}")
        return link

    def refused(self, asked: Asked, refusal: Refused) -> bool:
        """The old primary says so: all connections are made anew, to whom the sentinels name by then."""
        if refusal.code not in ELSEWHERE:
            return False
        self.later(asked)
        self._drop(f"the primary said {refusal.code}")
        return True

    async def aclose(self) -> None:
        """Break all connections, those to the sentinels too."""
        if self._following is not None:
            await self.terms.supervisor.stop(self._following)
        await super().aclose()
        self._sentinels.close()

    async def _locate(self) -> Place:
        if self._following is None:
            self._following = self.terms.supervisor.start("sentinel-watch", self._follow)
        self._note(await self._sentinels.primary())
        assert self._at is not None  # noqa: S101  for the type checker
        return self._at

    async def _follow(self) -> None:
        """Find out within a second that another is the primary, also where the old one still answers."""
        while True:
            await asyncio.sleep(FOLLOW_S)
            try:
                place = await self._sentinels.primary()
            except (LinkLost, Refused):
                continue
            if place != self._at:
                self._note(place)
                self._drop("the sentinels name another primary")

    def _note(self, place: Place) -> None:
        if place != self._at:
            self._at = place
            self.changes += 1

    def _drop(self, reason: str) -> None:
        now = self._loop.time()
        if now - self._dropped_at >= DROP_EVERY_S:
            self._dropped_at = now
            for lane in {self._lane, self._confirming}:
                lane.drop(reason)
