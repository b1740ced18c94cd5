"""Commands to Redis, each with a future for its reply; those of one tick of the event loop are one pipeline.

Whatever is sent may be done twice: it is sent again when the connection breaks before the answer, for as long as
`patience_s`. So each command and script of the store is made to bear that. Commits carry an id; a webhook is added,
taken, noted and removed by its own id and by who holds it; dates, lists and names are set, not changed.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from redis.exceptions import AskError, MovedError, NoScriptError

from service.games.ports import StoreBusy, StoreUnavailable
from service.store.connection.command import NO_REPLY, Command, InFlight, InFlightLimits, Value
from service.store.connection.errors import ELSEWHERE, LOST_WRITING, code, is_refusal, told
from service.store.connection.topology import topology_of
from service.store.connection.url import RedisURL
from service.supervision import Backoff, Supervisor, spawn
from service.telemetry.metrics import REDIS_RETRIES

__all__ = ["Batches", "Value", "Wait"]

PIPELINE_TIMEOUT_S = 2.0
"""A connection is given up that has not answered all of a pipeline after so long, and that is asked again."""

LOOK_INTERVAL_S = 0.25
"""How often the age of what is in flight is looked at, and at most how late it is given up."""

AGAIN_S = 0.1
"""What was refused for now is asked again after so long."""

MAX_HOPS = 3
"""So often a command follows at once where nodes send it; more are sent round in circles, and wait a little."""

_BACKOFF = Backoff(0.05, 0.5, jitter=0)
"""Between attempts at a connection."""

_KEY_AT = {"EVALSHA": 3, "EVAL": 3}
"""Where a command's first key is; of all others it comes right after the name."""

CLOSED = "the connection to Redis is closed"


class Wait(NamedTuple):
    """How many replicas must have a commit before it is acknowledged, and how long to wait for them."""

    replicas: int
    timeout_ms: int = 1000


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
        self.connections = connections
        self.in_flight = InFlight(limits or InFlightLimits())
        self.topology = topology_of(url, supervisor or Supervisor())
        self.grace_s = patience_s if self.topology.replaces else min(patience_s, 1.0)
        """How long a primary may be away before what it is asked fails at once."""
        self._patience_s = patience_s
        self._lanes: dict[tuple[str, bool], Lane] = {}
        self._looking: asyncio.TimerHandle | None = None
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
        if primary is not None:
            self._lane(primary, command).put(command)
        elif command.is_wanted():
            self.topology.suspect()
            self._put_later(command)

    def refused(self, command: Command, error: Exception) -> None:
        """Send it again, later or elsewhere, where that may help."""
        if not command.is_wanted():
            return
        if isinstance(error, NoScriptError):
            command.leave()
            command.future.set_exception(error)
        elif self._redirect(command, error):
            command.reason = str(told(error))
            REDIS_RETRIES.inc()
        else:
            command.fail(told(error), "refused")

    def up(self) -> bool:
        """Whether all primaries answer, or were not needed yet."""
        primaries = {*self.topology.primaries()}
        return all(lane.out_since is None for (primary, _), lane in self._lanes.items() if primary in primaries)

    async def aclose(self) -> None:
        """Give up what is under way or waiting."""
        self._closed = True
        if self._looking is not None:
            self._looking.cancel()
        for command in [*self.in_flight.commands]:
            command.fail(StoreUnavailable(CLOSED))
        running = [task for lane in self._lanes.values() for task in lane.running]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self.topology.aclose()

    def _send(
        self, words: tuple[Value, ...], *, confirmed: bool = False, primary: str | None = None
    ) -> asyncio.Future[Any]:
        reply: asyncio.Future[Any] = self._loop.create_future()
        if self._closed:
            reply.set_exception(StoreUnavailable(CLOSED))
            return reply
        command = Command(words, reply, primary, confirmed=confirmed)
        in_flight = self.in_flight
        if self.topology.sharded:
            command.key = "" if primary else str(words[_KEY_AT.get(str(words[0]), 1)])
            in_flight = in_flight.of(primary or self.topology.primary_of(command.key) or "")
        try:
            in_flight.admit(command)
        except StoreBusy as busy:
            reply.set_exception(busy)
            return reply
        if self._looking is None:
            self._looking = self._loop.call_later(LOOK_INTERVAL_S, self._look)
        self.put(command)
        return reply

    def _lane(self, primary: str, command: Command) -> "Lane":
        lane = self._lanes.get((primary, command.confirmed))
        if lane is None:  # forget those that are no primaries any more
            primaries = {*self.topology.primaries()}
            self._lanes = {key: one for key, one in self._lanes.items() if key[0] in primaries or not one.is_idle}
            self.in_flight.keep(primaries)
            wait = self.wait if command.confirmed else None
            lane = self._lanes[primary, command.confirmed] = Lane(self, primary, wait)
        return lane

    def _redirect(self, command: Command, error: Exception) -> bool:
        """Whether a command that was refused so is sent again."""
        if not self.topology.replaces:
            return False
        if isinstance(error, AskError):
            command.hops += 1
            moved = isinstance(error, MovedError)
            if moved:
                self.topology.suspect()
            if error.host and command.hops <= MAX_HOPS:
                command.asking = not moved
                self._lane(f"{error.host}:{error.port}", command).put(command)
                return True
        elif code(error) in ELSEWHERE:
            self.topology.suspect()
        else:
            return False
        self._put_later(command)
        return True

    def _put_later(self, command: Command) -> None:
        self._loop.call_later(AGAIN_S, self.put, command)

    def _look(self) -> None:
        """Give up what is too old; its reply may still come."""
        self._looking = None
        latest = perf_counter() - self._patience_s
        for command in self.in_flight.commands:
            if command.began <= latest:
                kind = "timeout" if command.reason is NO_REPLY else "connection"
                command.give_up(StoreUnavailable(command.reason), kind)
        for lane in self._lanes.values():
            lane.take_wanted()
        if self.in_flight.commands:
            self._looking = self._loop.call_later(LOOK_INTERVAL_S, self._look)


class Lane:
    """What is asked of one primary, over a few connections; with `wait`, WAIT ends each pipeline.

    While as many pipelines are under way as there may be, commands gather for the next.
    """

    def __init__(self, batches: Batches, primary: str, wait: Wait | None) -> None:
        self.running: set[asyncio.Task[None]] = set()
        self.out_since: float | None = None
        """Since when no pipeline came through."""
        self._batches = batches
        self._topology = batches.topology
        self._primary = primary
        self._wait = wait
        self._timeout_s = PIPELINE_TIMEOUT_S + (wait.timeout_ms / 1000 if wait else 0)
        self._waiting: list[Command] = []
        self._loop = asyncio.get_running_loop()
        self._flushing = False
        self._failures = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is asked."""
        return not self._waiting and not self.running

    def put(self, command: Command) -> None:
        """Send it with all else that is asked in this tick."""
        self._waiting.append(command)
        if not self._flushing and len(self.running) < self._batches.connections:
            self._flushing = True
            self._loop.call_soon(self._flush)

    def take_wanted(self) -> list[Command]:
        """Keep of what waits only what somebody waits for."""
        self._waiting = [command for command in self._waiting if command.is_wanted()]
        return self._waiting

    def _flush(self) -> None:
        self._flushing = False
        if len(self.running) < self._batches.connections and (batch := self.take_wanted()):
            self._waiting = []
            task = spawn("redis-pipeline", self._run(batch))
            self.running.add(task)
            task.add_done_callback(partial(self._ended, batch))

    def _ended(self, batch: Sequence[Command], task: asyncio.Task[None]) -> None:
        self.running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            for command in batch:
                command.fail(StoreUnavailable(f"sending it to Redis has failed: {error}"))
        self._flush()

    async def _run(self, batch: list[Command]) -> None:
        """Send commands, and give each its reply."""
        pipeline = self._topology.client(self._primary).pipeline(transaction=False)
        for command in batch:
            if command.asking:
                pipeline.execute_command("ASKING")
            pipeline.execute_command(*command.words)
        if self._wait is not None:
            pipeline.execute_command("WAIT", *self._wait)
        try:
            async with asyncio.timeout(self._timeout_s):
                replies = await pipeline.execute(raise_on_error=False)
        except LOST_WRITING as error:
            await self._lost(batch, error)
        else:
            self._failures, self.out_since = 0, None
            self._answer(batch, replies)

    def _answer(self, batch: Sequence[Command], replies: Sequence[Any]) -> None:
        replicas: Any = replies[-1] if self._wait is not None else None
        following = iter(replies)
        for command in batch:
            if command.asking:
                command.asking = False
                next(following)  # what came after it is refused, too, where this was
            reply = next(following)
            if isinstance(reply, Exception):
                self._batches.refused(command, reply)
            elif self._wait is None:
                command.done(reply)
            elif isinstance(replicas, Exception):
                self._batches.refused(command, replicas)
            elif replicas >= self._wait.replicas:
                command.done(reply)
            else:
                reason = f"Redis has done it, but {replicas} of {self._wait.replicas} replicas have it so far"
                command.fail(StoreUnavailable(reason))

    async def _lost(self, batch: list[Command], error: BaseException) -> None:
        """The connection broke, or none could be made: send all again after a pause, or tell that it is hopeless."""
        now = self._loop.time()
        self.out_since = now if self.out_since is None else self.out_since
        reason = str(told(error)) if str(error) else f"Redis has not answered within {self._timeout_s} s"
        hopeless = is_refusal(error) or now - self.out_since >= self._batches.grace_s
        self._waiting += batch
        for command in self.take_wanted():
            command.reason = reason
            if hopeless:
                command.fail(StoreUnavailable(reason))
        REDIS_RETRIES.inc(len(self.take_wanted()))
        self._failures += 1
        self._topology.suspect()
        await asyncio.sleep(_BACKOFF.pause_s(self._failures))  # this connection's turn is not over yet
        waiting, self._waiting = self._waiting, []
        for command in waiting:
            self._batches.put(command)  # to whoever is its primary by now
