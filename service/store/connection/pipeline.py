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
from service.store.connection.command import NO_REPLY_REASON, Argument, Command, InFlightCommands, InFlightLimits
from service.store.connection.errors import RETRYABLE_CODES, WRITE_ERRORS, error_code, is_error_reply, to_store_error
from service.store.connection.topology import create_topology
from service.store.connection.url import RedisURL
from service.supervision import Backoff, Supervisor, spawn
from service.telemetry.metrics import REDIS_RETRIES

__all__ = ["Argument", "PipelinedClient", "Wait"]

PIPELINE_TIMEOUT_S = 2.0
"""A connection is given up that has not answered all of a pipeline after so long, and that is asked again."""

TIMEOUT_CHECK_INTERVAL_S = 0.25
"""How often the age of what is in flight is looked at, and at most how late it is given up."""

RETRY_DELAY_S = 0.1
"""What was refused for now is asked again after so long."""

MAX_REDIRECTS = 3
"""So often a command follows at once where nodes send it; more are sent round in circles, and wait a little."""

_BACKOFF = Backoff(0.05, 0.5, jitter=0)
"""Between attempts at a connection."""

_KEY_INDEX = {"EVALSHA": 3, "EVAL": 3}
"""Where a command's first key is; of all others it comes right after the name."""

CLOSED_REASON = "the connection to Redis is closed"


class Wait(NamedTuple):
    """How many replicas must have a commit before it is acknowledged, and how long to wait for them."""

    replicas: int
    timeout_ms: int = 1000


class PipelinedClient:
    """Sends what is asked in the same tick to the primary as one pipeline, over a few connections that all share.

    To be made inside the event loop; nothing is connected before something is sent. With `wait`, what is sent by
    `confirmed` is answered only when so many replicas have it.
    """

    def __init__(
        self,
        url: RedisURL,
        connections: int,
        timeout_s: float,
        wait: Wait | None = None,
        supervisor: Supervisor | None = None,
        limits: InFlightLimits | None = None,
    ) -> None:
        self.wait = wait
        self.connections = connections
        self.in_flight = InFlightCommands(limits or InFlightLimits())
        self.topology = create_topology(url, supervisor or Supervisor())
        self.outage_tolerance_s = timeout_s if self.topology.has_failover else min(timeout_s, 1.0)
        """How long a primary may be away before what it is asked fails at once."""
        self._timeout_s = timeout_s
        self._queues: dict[tuple[str, bool], PipelineQueue] = {}
        self._timeout_check: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._closed = False

    def execute(self, *command: Argument) -> asyncio.Future[Any]:
        """The reply to `command`, to be awaited, as RESP3 has it.

        Awaiting it raises StoreUnavailable, StoreBusy at once where too much is in flight already, or redis-py's
        NoScriptError where EVALSHA names a script that Redis does not have.
        """
        return self._send(command)

    def confirmed(self, *command: Argument) -> asyncio.Future[Any]:
        """The same for a write that must not be acknowledged before enough replicas have it."""
        return self._send(command, confirmed=self.wait is not None)

    def at(self, primary: str, *command: Argument) -> asyncio.Future[Any]:
        """The reply to a command without a key, of this one of the topology's primaries."""
        return self._send(command, primary=primary)

    def dispatch(self, command: Command) -> None:
        """Send it to its primary, as soon as that is known."""
        primary = command.primary or self.topology.primary_for_key(command.key)
        if primary is not None:
            self._queue_for(primary, command).append(command)
        elif command.is_awaited():
            self.topology.request_check()
            self._dispatch_later(command)

    def handle_error_reply(self, command: Command, error: Exception) -> None:
        """Send it again, later or elsewhere, where that may help."""
        if not command.is_awaited():
            return
        if isinstance(error, NoScriptError):
            command.release()
            command.future.set_exception(error)
        elif self._retry(command, error):
            command.failure_reason = str(to_store_error(error))
            REDIS_RETRIES.inc()
        else:
            command.fail(to_store_error(error), "refused")

    def is_up(self) -> bool:
        """Whether all primaries answer, or were not needed yet."""
        primaries = {*self.topology.primaries()}
        return all(
            lane.unreachable_since is None for (primary, _), lane in self._queues.items() if primary in primaries
        )

    async def aclose(self) -> None:
        """Give up what is under way or waiting."""
        self._closed = True
        if self._timeout_check is not None:
            self._timeout_check.cancel()
        for command in [*self.in_flight.commands]:
            command.fail(StoreUnavailable(CLOSED_REASON))
        running = [task for lane in self._queues.values() for task in lane.tasks]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self.topology.aclose()

    def _send(
        self, words: tuple[Argument, ...], *, confirmed: bool = False, primary: str | None = None
    ) -> asyncio.Future[Any]:
        reply: asyncio.Future[Any] = self._loop.create_future()
        if self._closed:
            reply.set_exception(StoreUnavailable(CLOSED_REASON))
            return reply
        command = Command(words, reply, primary, wait_for_replicas=confirmed)
        in_flight = self.in_flight
        if self.topology.is_sharded:
            command.key = "" if primary else str(words[_KEY_INDEX.get(str(words[0]), 1)])
            in_flight = in_flight.share_of(primary or self.topology.primary_for_key(command.key) or "")
        try:
            in_flight.admit(command)
        except StoreBusy as busy:
            reply.set_exception(busy)
            return reply
        if self._timeout_check is None:
            self._timeout_check = self._loop.call_later(TIMEOUT_CHECK_INTERVAL_S, self._check_timeouts)
        self.dispatch(command)
        return reply

    def _queue_for(self, primary: str, command: Command) -> "PipelineQueue":
        lane = self._queues.get((primary, command.wait_for_replicas))
        if lane is None:  # forget those that are no primaries any more
            primaries = {*self.topology.primaries()}
            self._queues = {key: one for key, one in self._queues.items() if key[0] in primaries or not one.is_idle}
            self.in_flight.drop_other_shares(primaries)
            wait = self.wait if command.wait_for_replicas else None
            lane = self._queues[primary, command.wait_for_replicas] = PipelineQueue(self, primary, wait)
        return lane

    def _retry(self, command: Command, error: Exception) -> bool:
        """Whether a command that was refused so is sent again."""
        if not self.topology.has_failover:
            return False
        if isinstance(error, AskError):
            command.redirects += 1
            moved = isinstance(error, MovedError)
            if moved:
                self.topology.request_check()
            if error.host and command.redirects <= MAX_REDIRECTS:
                command.needs_asking = not moved
                self._queue_for(f"{error.host}:{error.port}", command).append(command)
                return True
        elif error_code(error) in RETRYABLE_CODES:
            self.topology.request_check()
        else:
            return False
        self._dispatch_later(command)
        return True

    def _dispatch_later(self, command: Command) -> None:
        self._loop.call_later(RETRY_DELAY_S, self.dispatch, command)

    def _check_timeouts(self) -> None:
        """Give up what is too old; its reply may still come."""
        self._timeout_check = None
        latest = perf_counter() - self._timeout_s
        for command in self.in_flight.commands:
            if command.started_at <= latest:
                kind = "timeout" if command.failure_reason is NO_REPLY_REASON else "connection"
                command.set_error(StoreUnavailable(command.failure_reason), kind)
        for lane in self._queues.values():
            lane.drop_abandoned()
        if self.in_flight.commands:
            self._timeout_check = self._loop.call_later(TIMEOUT_CHECK_INTERVAL_S, self._check_timeouts)


class PipelineQueue:
    """What is asked of one primary, over a few connections; with `wait`, WAIT ends each pipeline.

    While as many pipelines are under way as there may be, commands gather for the next.
    """

    def __init__(self, client: PipelinedClient, primary: str, wait: Wait | None) -> None:
        self.tasks: set[asyncio.Task[None]] = set()
        self.unreachable_since: float | None = None
        """Since when no pipeline came through."""
        self._client = client
        self._topology = client.topology
        self._primary = primary
        self._wait = wait
        self._timeout_s = PIPELINE_TIMEOUT_S + (wait.timeout_ms / 1000 if wait else 0)
        self._queued: list[Command] = []
        self._loop = asyncio.get_running_loop()
        self._flush_scheduled = False
        self._failures = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is asked."""
        return not self._queued and not self.tasks

    def append(self, command: Command) -> None:
        """Send it with all else that is asked in this tick."""
        self._queued.append(command)
        if not self._flush_scheduled and len(self.tasks) < self._client.connections:
            self._flush_scheduled = True
            self._loop.call_soon(self._flush)

    def drop_abandoned(self) -> list[Command]:
        """Keep of what waits only what somebody waits for."""
        self._queued = [command for command in self._queued if command.is_awaited()]
        return self._queued

    def _flush(self) -> None:
        self._flush_scheduled = False
        if len(self.tasks) < self._client.connections and (batch := self.drop_abandoned()):
            self._queued = []
            task = spawn("redis-pipeline", self._execute_batch(batch))
            self.tasks.add(task)
            task.add_done_callback(partial(self._on_batch_end, batch))

    def _on_batch_end(self, batch: Sequence[Command], task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            for command in batch:
                command.fail(StoreUnavailable(f"sending it to Redis has failed: {error}"))
        self._flush()

    async def _execute_batch(self, batch: list[Command]) -> None:
        """Send commands, and give each its reply."""
        pipeline = self._topology.client_for(self._primary).pipeline(transaction=False)
        for command in batch:
            if command.needs_asking:
                pipeline.execute_command("ASKING")
            pipeline.execute_command(*command.arguments)
        if self._wait is not None:
            pipeline.execute_command("WAIT", *self._wait)
        try:
            async with asyncio.timeout(self._timeout_s):
                replies = await pipeline.execute(raise_on_error=False)
        except WRITE_ERRORS as error:
            await self._handle_connection_error(batch, error)
        else:
            self._failures, self.unreachable_since = 0, None
            self._deliver_replies(batch, replies)

    def _deliver_replies(self, batch: Sequence[Command], replies: Sequence[Any]) -> None:
        replicas: Any = replies[-1] if self._wait is not None else None
        following = iter(replies)
        for command in batch:
            if command.needs_asking:
                command.needs_asking = False
                next(following)  # what came after it is refused, too, where this was
            reply = next(following)
            if isinstance(reply, Exception):
                self._client.handle_error_reply(command, reply)
            elif self._wait is None:
                command.resolve(reply)
            elif isinstance(replicas, Exception):
                self._client.handle_error_reply(command, replicas)
            elif replicas >= self._wait.replicas:
                command.resolve(reply)
            else:
                reason = f"Redis has done it, but {replicas} of {self._wait.replicas} replicas have it so far"
                command.fail(StoreUnavailable(reason))

    async def _handle_connection_error(self, batch: list[Command], error: BaseException) -> None:
        """The connection broke, or none could be made: send all again after a pause, or tell that it is hopeless."""
        now = self._loop.time()
        self.unreachable_since = now if self.unreachable_since is None else self.unreachable_since
        reason = str(to_store_error(error)) if str(error) else f"Redis has not answered within {self._timeout_s} s"
        hopeless = is_error_reply(error) or now - self.unreachable_since >= self._client.outage_tolerance_s
        self._queued += batch
        for command in self.drop_abandoned():
            command.failure_reason = reason
            if hopeless:
                command.fail(StoreUnavailable(reason))
        REDIS_RETRIES.inc(len(self.drop_abandoned()))
        self._failures += 1
        self._topology.request_check()
        await asyncio.sleep(_BACKOFF.pause_s(self._failures))  # this connection's turn is not over yet
        waiting, self._queued = self._queued, []
        for command in waiting:
            self._client.dispatch(command)  # to whoever is its primary by now
