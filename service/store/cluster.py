"""Which primary of a Cluster a command goes to: the one that has the slot of its key.

The nodes are asked who has which slot when that is not known, when one says that a slot was moved, and when one cannot
be reached. Meanwhile, and while a slot has no primary, what is asked waits, for as long as `patience_s`.
"""

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from service.store.asked import Asked
from service.store.backpressure import InFlight
from service.store.confirming import Confirmed
from service.store.lane import Lane
from service.store.link import Link, LinkLost, open_link
from service.store.refusals import ELSEWHERE, Refused
from service.store.routes import Routes, Terms
from service.store.where import Place
from service.supervision import spawn

__all__ = ["ClusterRoutes"]

SLOTS = 16384

REFRESH_EVERY_S = 0.1
"""At most so often the nodes are asked who has which slot."""

HOPS = 3
"""So often a command follows at once where nodes send it; more are sent round in circles, and wait a little."""


class ClusterRoutes(Routes):
    """A Cluster's primaries, each with lanes of its own."""

    sharded = True

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        self._slots: list[Place | None] = [None] * SLOTS
        self._lanes: dict[tuple[Place, bool], Lane] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._known: Sequence[Place] = terms.where.places
        """Nodes to ask, primaries or not."""
        self._refreshing: asyncio.Task[None] | None = None

    def in_flight(self, slot: int) -> InFlight:
        """The share of who has the slot; those whose slots nobody is known to have share one."""
        return self.terms.in_flight.of(self._slots[slot])

    def put(self, asked: Asked) -> None:
        """Send it to who has its slot, as soon as that is known."""
        place = self._slots[asked.slot]
        if place is None:
            self._refresh_soon()
            self.later(asked)
        else:
            self._lane(place, confirmed=type(asked) is Confirmed).put(asked)

    async def primaries(self, *, anew: bool = False) -> Sequence[Place]:
        """All that have slots, as was told last or (`anew`) is now. Raises LinkLost or Refused."""
        if anew or not any(self._slots):
            await self._refresh()
        return [*{place for place in self._slots if place is not None}]

    def place_of(self, slot: int) -> Place | None:
        """Who has the slot; None while that is not known."""
        return self._slots[slot]

    async def open(self, lane: Lane) -> Link:
        """A connection to the lane's node, if that is a primary still. Raises LinkLost or Refused."""
        assert lane.place is not None  # noqa: S101  for the type checker
        link, role = await open_link(self.terms.where, lane.place)
        if role != "master":
            link.abort("a replica")
            raise LinkLost(f"{lane.place} is a {role} now")
        return link

    def refused(self, asked: Asked, refusal: Refused) -> bool:
        """Follow the slot to where it is or goes; wait where that is not clear."""
        asked.hops += 1
        match refusal.code:
            case "MOVED":
                self._slots[asked.slot] = _place(refusal, asked)
                self.changes += 1
                self._refresh_soon()
            case "ASK" if asked.hops <= HOPS and (place := _place(refusal, asked)) is not None:
                asked.asking = True
                self._lane(place, confirmed=type(asked) is Confirmed).put(asked)
                return True
            case "ASK" | "TRYAGAIN":
                pass
            case code if code in ELSEWHERE:
                self._refresh_soon()
            case _:
                return False
        if refusal.code == "MOVED" and asked.hops <= HOPS:
            self.put(asked)
        else:
            self.later(asked)
        return True

    def stray(self, lane: Lane, asked: Sequence[Asked]) -> None:
        """Ask who has the slots now, and then send it there."""
        del lane
        self._refresh_soon()
        for one in asked:
            self.later(one)

    async def aclose(self) -> None:
        """Break all connections, and give up all that waits."""
        await super().aclose()
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.gather(self._refreshing, return_exceptions=True)
        await asyncio.gather(*(lane.aclose() for lane in self._lanes.values()), *self._ending)

    def _lane(self, place: Place, *, confirmed: bool) -> Lane:
        confirmed = confirmed and self.terms.wait is not None
        lane = self._lanes.get((place, confirmed))
        if lane is None:
            lane = self.terms.confirming(self) if confirmed else None
            lane = lane or self.terms.lane(self)
            lane.place = place
            self._lanes[place, confirmed] = lane
        return lane

    def _refresh_soon(self) -> None:
        if self._refreshing is None:
            self._refreshing = spawn("cluster-topology", self._refreshed())

    async def _refreshed(self) -> None:
        try:
            with suppress(LinkLost, Refused):  # what waits for it comes again, and says so when it is too old
                await self._refresh()
        finally:  # whatever was raised, the next refresh must be possible
            self._loop.call_later(REFRESH_EVERY_S, self._allow_refresh)

    def _allow_refresh(self) -> None:
        self._refreshing = None

    async def _refresh(self) -> None:
        """Ask one node after another until one tells who has which slot. Raises LinkLost or Refused."""
        failure: LinkLost | Refused | None = None
        for place in random.sample(self._known, len(self._known)):
            try:
                answer = await self._ask(place)
            except (LinkLost, Refused) as error:
                failure = error
            else:
                self._take(place, answer)
                return
        raise failure or LinkLost("no node is known")

    async def _ask(self, place: Place) -> list[Any]:
        """What a node says."""
        link, _ = await open_link(self.terms.where, place)
        try:
            slots: list[Any] = await link.ask("CLUSTER", "SLOTS")
        except TimeoutError:
            raise LinkLost(f"{place} does not answer") from None
        finally:
            link.abort("asked")
        return slots

    def _take(self, told_by: Place, answer: Sequence[Sequence[Any]]) -> None:
        """Route by what a node says; lanes to nodes that have no slots any more end."""
        slots: list[Place | None] = [None] * SLOTS
        known = {*self.terms.where.places}
        for first, last, *nodes in answer:
            places = [Place(host.decode() if host else told_by.host, port) for host, port, *_ in nodes]
            known |= {*places}
            slots[first : last + 1] = [places[0]] * (last + 1 - first)
        self._known = [*known]
        if slots != self._slots:
            self._slots = slots
            self.changes += 1
        serving = {*slots}
        self.terms.in_flight.keep(serving)
        for key in [key for key in self._lanes if key[0] not in serving]:
            self._end(self._lanes.pop(key))

    def _end(self, lane: Lane) -> None:
        lane.drop("the node has no slots any more")
        for asked in lane.take():
            self.later(asked)
        ending = spawn("redis-disconnect", lane.aclose())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)


def _place(refusal: Refused, asked: Asked) -> Place | None:
    """Where `MOVED SLOT HOST:PORT` and `ASK SLOT HOST:PORT` send; without a host, to the one that says so."""
    host, _, port = str(refusal).split()[2].rpartition(":")
    if not host and asked.lane is not None and asked.lane.place is not None:
        host = asked.lane.place.host
    return Place(host, int(port)) if host else None
