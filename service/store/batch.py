"""Commands to Redis, each with a future for its reply.

Whatever is sent may be done twice: it is asked again when the connection breaks before the answer, for as long as
`patience_s`. So each command and script of the store is made to bear that. Commits carry an id; a webhook is added,
taken, noted and removed by its own id and by who holds it; dates, lists and names are set, not changed.
"""

import asyncio
from typing import Any

from redis.exceptions import AskError, MovedError

from service.games.port import StoreUnavailable
from service.store.backpressure import InFlight, InFlightLimits
from service.store.command import Command, Value
from service.store.errors import ELSEWHERE, code
from service.store.lane import CLOSED, Lane, Wait
from service.store.topology import topology_of
from service.store.url import RedisURL
from service.supervision import Supervisor

__all__ = ["Batches", "Value", "Wait"]

AGAIN_S = 0.1
"""What was refused for now is asked again after so long."""

MAX_HOPS = 3
"""So often a command follows at once where nodes send it; more are sent round in circles, and wait a little."""

_KEY_AT = {"EVALSHA": 3, "EVAL": 3}
"""Where a command's first key is; of all others it comes right after the name."""


class Batches:
    """Sends what is asked in the same tick to the primary as one pipeline, over a few connections that all share.

    To be made inside the event loop; nothing is connected before something is sent. With `wait`, what is sent by
    `confirmed` is answered only when so many replicas have it.
    """

    def __init__(
        self,
        url: RedisURL,
        connections: int,
        patience_s: float,
        wait: Wait | None = None,
        supervisor: Supervisor | None = None,
        limits: InFlightLimits | None = None,
    ) -> None:
        self.wait = wait
        self.in_flight = InFlight(limits or InFlightLimits())
        self.topology = topology_of(url, supervisor or Supervisor())
        self._connections = connections
        self._patience_s = patience_s
        self._lanes: dict[tuple[str, bool], Lane] = {}
        self._later: dict[Command, asyncio.TimerHandle] = {}
        self._loop = asyncio.get_running_loop()
        self._closed = False

    def send(self, *command: Value) -> asyncio.Future[Any]:
        """The reply to `command`, to be awaited, as RESP3 has it.

        Awaiting it raises StoreUnavailable, StoreBusy at once where too much is in flight already, or redis-py's
        NoScriptError where EVALSHA names a script that Redis does not have.
        """
        return self._send(command)

    def confirmed(self, *command: Value) -> asyncio.Future[Any]:
        """The same for a write that must not be acknowledged before enough replicas have it."""
        return self._send(command, confirmed=self.wait is not None)

    def at(self, primary: str, *command: Value) -> asyncio.Future[Any]:
        """The reply to a command without a key, of this one of the topology's primaries."""
        return self._send(command, primary=primary)

    def put(self, command: Command) -> None:
        """Send it to its primary, as soon as that is known."""
        primary = command.primary or self.topology.primary_of(command.key)
        if primary is None:
            self.topology.suspect()
            self._put_later(command)
        else:
            self._lane(primary, confirmed=command.confirmed).put(command)

    def redirect(self, command: Command, error: BaseException) -> bool:
        """Whether a command that was refused so is sent again, later or elsewhere."""
        if not self.topology.replaces:
            return False
        if isinstance(error, AskError):
            command.hops += 1
            moved = isinstance(error, MovedError)
            if moved:
                self.topology.suspect()
            if error.host and command.hops <= MAX_HOPS:
                command.asking = not moved
                self._lane(f"{error.host}:{error.port}", confirmed=command.confirmed).put(command)
                return True
        elif code(error) in ELSEWHERE:
            self.topology.suspect()
        else:
            return False
        self._put_later(command)
        return True

    def up(self) -> bool:
        """Whether all primaries answer, or were not needed yet."""
        primaries = {*self.topology.primaries()}
        return all(lane.up for (primary, _), lane in self._lanes.items() if primary in primaries)

    async def aclose(self) -> None:
        """Give up what is under way or waiting."""
        self._closed = True
        for command, timer in self._later.items():
            timer.cancel()
            command.fail(CLOSED)
        self._later.clear()
        await asyncio.gather(*(lane.aclose() for lane in self._lanes.values()))
        await self.topology.aclose()

    def _send(
        self, words: tuple[Value, ...], *, confirmed: bool = False, primary: str | None = None
    ) -> asyncio.Future[Any]:
        reply: asyncio.Future[Any] = self._loop.create_future()
        if self._closed:
            reply.set_exception(StoreUnavailable(CLOSED))
            return reply
        command = Command(words, reply, self._loop.time() + self._patience_s, primary)
        command.confirmed = confirmed
        in_flight = self.in_flight
        if self.topology.sharded:
            command.key = "" if primary else str(words[_KEY_AT.get(str(words[0]), 1)])
            in_flight = in_flight.of(primary or self.topology.primary_of(command.key))
        if not in_flight.admit(command.size):
            reply.set_exception(in_flight.busy())
            return reply
        command.in_flight = in_flight
        self.put(command)
        return reply

    def _lane(self, primary: str, *, confirmed: bool) -> Lane:
        lane = self._lanes.get((primary, confirmed))
        if lane is None:
            self._forget()
            grace_s = self._patience_s if self.topology.replaces else min(self._patience_s, 1.0)
            lane = self._lanes[primary, confirmed] = Lane(
                self,
                self.topology,
                primary,
                connections=self._connections,
                grace_s=grace_s,
                wait=self.wait if confirmed else None,
            )
        return lane

    def _forget(self) -> None:
        """Forget those that are no primaries any more."""
        primaries = {*self.topology.primaries()}
        self._lanes = {key: lane for key, lane in self._lanes.items() if key[0] in primaries or not lane.idle}
        self.in_flight.keep(primaries)

    def _put_later(self, command: Command) -> None:
        """Have it asked again after a while, if it is not too old then."""
        self._later[command] = self._loop.call_later(AGAIN_S, self._again, command)

    def _again(self, command: Command) -> None:
        del self._later[command]
        if command.late(self._loop.time()):
            command.leave()
        else:
            self.put(command)
