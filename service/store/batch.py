"""Commands to Redis, each with a future for its reply.

Whatever is sent may be done twice: it is asked again when the connection breaks before the answer, for as long as
`patience_s`. So each command and script of the store is made to bear that. Commits carry an id; a webhook is added,
taken, noted and removed by its own id and by who holds it; dates, lists and names are set, not changed.
"""

import asyncio
from typing import Any

from service.games.port import StoreUnavailable
from service.store.asked import Asked
from service.store.backpressure import InFlight, InFlightLimits
from service.store.cluster import ClusterRoutes
from service.store.confirming import Confirmed, Wait
from service.store.link import pack
from service.store.routes import OneServer, Routes, SentinelRoutes, Terms
from service.store.slots import key_slot
from service.store.timing import times
from service.store.where import Where
from service.supervision import Supervisor

__all__ = ["Batches", "Value"]

Value = bytes | str | int

_ROUTES: dict[str, type[Routes]] = {"one": OneServer, "sentinel": SentinelRoutes, "cluster": ClusterRoutes}

_KEY_AT = {"EVALSHA": 3, "EVAL": 3}
"""Where a command's first key is; of all others it comes right after the name."""


class Batches:
    """Sends what is asked in the same tick to the primary as one write, over a few connections that all callers share.

    To be made inside the event loop; nothing is connected before something is sent. With `wait`, what is sent by
    `confirmed` is answered only when so many replicas have it.
    """

    def __init__(
        self,
        where: Where,
        connections: int,
        patience_s: float,
        wait: Wait | None = None,
        supervisor: Supervisor | None = None,
        limits: InFlightLimits | None = None,
    ) -> None:
        self.wait = wait
        self.in_flight = InFlight(limits or InFlightLimits())
        self.routes = _ROUTES[where.kind](Terms(where, connections, patience_s, wait, supervisor, self.in_flight))
        self._sharded = self.routes.sharded
        self._patience_s = patience_s
        self._loop = asyncio.get_running_loop()
        self._closed = False

    def send(self, *command: Value) -> asyncio.Future[Any]:
        """The reply to `command`, to be awaited, as RESP3 has it.

        Awaiting it raises StoreUnavailable, StoreBusy at once where too much is in flight already, or MissingScript
        where EVALSHA names a script that Redis does not have.
        """
        return self._send(Asked, command)

    def confirmed(self, *command: Value) -> asyncio.Future[Any]:
        """The same for a write that must not be acknowledged before enough replicas have it."""
        return self._send(Asked if self.wait is None else Confirmed, command)

    def at(self, slot: int, *command: Value) -> asyncio.Future[Any]:
        """The reply to a command without a key, of the primary that has this slot."""
        return self._send(Asked, command, slot)

    async def aclose(self) -> None:
        """Give up what is under way or waiting."""
        self._closed = True
        await self.routes.aclose()

    def _send(self, kind: type[Asked], command: tuple[Value, ...], slot: int | None = None) -> asyncio.Future[Any]:
        loop = self._loop
        reply: asyncio.Future[Any] = loop.create_future()
        if self._closed:
            reply.set_exception(StoreUnavailable("the connection to Redis is closed"))
            return reply
        if slot is None:
            slot = _slot(command) if self._sharded else 0
        packed, in_flight = pack(*command), self.routes.in_flight(slot) if self._sharded else self.in_flight
        if not in_flight.admit(len(packed)):
            reply.set_exception(in_flight.busy())
            return reply
        asked = kind(packed, reply, loop.time() + self._patience_s, slot)
        asked.in_flight = in_flight
        asked.times = times(command)
        self.routes.put(asked)
        return reply


def _slot(command: tuple[Value, ...]) -> int:
    """The slot of the first key."""
    key = command[_KEY_AT.get(str(command[0]), 1)]
    return key_slot(key if isinstance(key, bytes) else str(key).encode())
