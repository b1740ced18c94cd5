"""A pipelining client of Redis: the commands of one tick of the event loop share a pipeline over shared connections.

A command may be executed twice: if the connection breaks before its reply arrives, it is sent again until it times out.
So every command and script of the store is idempotent. Commits carry an id; webhooks are added, leased, acknowledged
and removed by their id and holder; dates, lists and index entries are set, not incremented.

Lua scripts, which Redis caches by their hash. Each `*.lua` file documents its KEYS, ARGV and reply.
"""

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from importlib.resources import files
from time import monotonic, perf_counter
from typing import Any, NamedTuple

from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.exceptions import AskError, MovedError, NoScriptError, ResponseError

from service.games.ports import StoreUnavailable, UnreadableGame
from service.store.connection import (
    CONNECTION_ERRORS,
    NO_REPLY_REASON,
    RETRYABLE_CODES,
    Argument,
    Command,
    InFlightCommands,
    InFlightLimits,
    OutageLog,
    error_code,
    is_error_reply,
    name_script_metric,
    to_store_error,
)
from service.store.topology import SOLE_PRIMARY, Topology
from service.supervision import Backoff, spawn
from service.telemetry.metrics import REDIS_RETRIES

logger = logging.getLogger(__name__)

PIPELINE_TIMEOUT_S = 2.0
"""How long a connection may take to reply to all of a pipeline before it is closed and the pipeline sent again."""

TIMEOUT_CHECK_INTERVAL_S = 0.25
"""How often commands in flight are checked for their timeout, which is thus late by this much at most."""

RETRY_DELAY_S = 0.1
"""How long a command that got a retryable error reply waits before it is sent again."""

MAX_REDIRECTS = 3
"""How many MOVED or ASK redirects a command follows at once; after more it waits RETRY_DELAY_S, in case of a loop."""

IDLE_S = 1.0
"""After this time without commands a connection is checked: the server may have closed it."""

_BACKOFF = Backoff(0.05, 0.5, jitter=0)
"""Delay between attempts to connect."""

_KEY_INDEX = {"EVALSHA": 3, "EVAL": 3}
"""The index of a command's first key; 1 for all others."""

CLOSED_REASON = "the connection to Redis is closed"


class Wait(NamedTuple):
    """The arguments of WAIT: how many replicas must acknowledge a write, and how long to wait for them."""

    replicas: int
    timeout_ms: int = 1000


class PipelinedClient:
    """Executes commands on the primaries of a topology, pipelined over at most `connections` to each.

    Create it inside the event loop; it connects with the first command. A command fails `timeout_s` after it was
    submitted, or earlier if its primary is unreachable for too long. With `wait`, the replies to writes that
    `wait_for_replicas` are delayed until enough replicas acknowledge.
    """

    def __init__(
        self,
        topology: Topology,
        connections: int,
        timeout_s: float,
        wait: Wait | None = None,
        limits: InFlightLimits | None = None,
        *,
        log_outages: bool = True,
    ) -> None:
        self.wait = wait
        self.connections = connections
        self.in_flight = InFlightCommands(limits or InFlightLimits())
        self._shares: dict[str, InFlightCommands] = {}
        """Of the primaries of a Cluster."""
        self.topology = topology
        self.outage_tolerance_s = timeout_s if topology.has_failover else min(timeout_s, 1.0)
        """How long a primary may be unreachable before its commands fail without waiting for their timeout."""
        self.timeout_s = timeout_s
        self.queues: dict[tuple[str, bool], PipelineQueue] = {}
        self._timeout_check: asyncio.TimerHandle | None = None
        self._checked_at = 0.0
        self._loop = asyncio.get_running_loop()
        self._opened_at = self._loop.time()
        self.is_closed = False
        self.refusal = ""
        """Why Redis gets nothing that has to last; empty: it does."""
        self.outages = OutageLog(logger if log_outages else None)

    def execute(
        self, *arguments: Argument, primary: str | None = None, wait_for_replicas: bool = False
    ) -> asyncio.Future[Any]:
        """Submit a command and return the future of its reply, which has the types of RESP3.

        A command without a key names the `primary` that executes it. With `wait_for_replicas` the reply is delayed
        until replicas acknowledge, if the client was created with `wait`.

        Awaiting the future raises StoreUnavailable, StoreBusy if too many commands are in flight, or redis-py's
        NoScriptError if EVALSHA names a script that Redis does not have.
        """
        reply: asyncio.Future[Any] = self._loop.create_future()
        if self.is_closed:
            reply.set_exception(StoreUnavailable(CLOSED_REASON))
            return reply
        command = Command(arguments, reply, primary, wait_for_replicas=wait_for_replicas and self.wait is not None)
        try:
            if wait_for_replicas and self.refusal:
                raise StoreUnavailable(self.refusal, cause="disk")  # noqa: TRY301
            if self.topology.is_sharded:
                command.key = "" if primary else str(arguments[_KEY_INDEX.get(str(arguments[0]), 1)])
                command.admit(self.in_flight, self._share_of(primary or self.topology.primary_for_key(command.key)))
            else:
                command.primary = SOLE_PRIMARY
                command.admit(self.in_flight)
        except StoreUnavailable as error:  # or StoreBusy
            self.outages.record_failure(error)
            reply.set_exception(error)
            return reply
        if self._timeout_check is None:
            self._check_later()
        self.dispatch(command)
        return reply

    async def scan(self, match: str, count: int) -> AsyncIterator[list[str]]:
        """Yield the keys of all primaries that match, page by page, each of about `count` keys that Redis looks at.

        A key that exists throughout comes at least once. Raise StoreUnavailable.
        """
        if not self.topology.primaries():
            try:
                await self.topology.refresh()
            except CONNECTION_ERRORS as error:
                raise to_store_error(error) from error
        for primary in sorted(self.topology.primaries()):
            cursor: bytes | str = "0"
            while True:
                cursor, names = await self.execute("SCAN", cursor, "MATCH", match, "COUNT", count, primary=primary)
                yield [name.decode(errors="replace") for name in names]
                if not int(cursor):
                    break

    def dispatch(self, command: Command, redirected_to: str | None = None) -> None:
        """Queue a command for its primary, or try again later if that is unknown."""
        primary = redirected_to or command.primary or self.topology.primary_for_key(command.key)
        if primary is not None:
            queue = self.queues.get((primary, command.wait_for_replicas)) or self._open_queue(primary, command)
            queue.append(command)
        elif not command.release_if_abandoned():
            command.failure = StoreUnavailable("no primary of the Cluster is known for this slot", cause="failover")
            self.topology.request_refresh()
            self._dispatch_later(command)

    def handle_error_reply(self, command: Command, error: Exception) -> None:
        """Send a command again, later or to another primary, if that may help; else fail it."""
        if command.release_if_abandoned():
            return
        if isinstance(error, NoScriptError):
            command.release()
            command.future.set_exception(error)
        elif self._retry(command, error):
            command.failure = to_store_error(error)
            REDIS_RETRIES.inc()
        else:
            self.fail(command, to_store_error(error), "refused")

    def fail(self, command: Command, error: StoreUnavailable, kind: str = "connection") -> None:
        """Fail a command, and log that Redis fails, unless the fault is one game's or was logged."""
        self._record_failure(command, error)
        command.fail(error, kind)

    def unreachable_s(self) -> float:
        """Return for how long a primary has not replied, or none is known; 0 if all reply, or are not used yet."""
        primaries = {*self.topology.primaries()}
        since = [one.unreachable_since for (name, _), one in self.queues.items() if name in primaries]
        first = min((one for one in since if one is not None), default=None if primaries else self._opened_at)
        return 0.0 if first is None else self._loop.time() - first

    async def aclose(self) -> None:
        """Fail all commands in flight, and close all connections."""
        self.is_closed = True
        if self._timeout_check is not None:
            self._timeout_check.cancel()
        for command in [*self.in_flight.commands]:
            command.fail(StoreUnavailable(CLOSED_REASON))
        tasks = [task for queue in self.queues.values() for task in queue.close()]
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.topology.aclose()

    def _open_queue(self, primary: str, command: Command) -> "PipelineQueue":
        """Return a new queue, and drop those of former primaries."""
        primaries = {*self.topology.primaries()}
        for key, queue in [*self.queues.items()]:
            if key[0] not in primaries and queue.is_idle:
                self.queues.pop(key).close()
        self._shares = {name: one for name, one in self._shares.items() if name in primaries or one.commands}
        wait = self.wait if command.wait_for_replicas else None
        queue = self.queues[primary, command.wait_for_replicas] = PipelineQueue(self, primary, wait)
        return queue

    def _share_of(self, primary: str | None) -> InFlightCommands:
        if (share := self._shares.get(primary or "")) is None:
            share = self._shares[primary or ""] = InFlightCommands(self.in_flight.limits.per_primary())
        return share

    def _retry(self, command: Command, error: Exception) -> bool:
        """Send a command again if its error reply allows that, and return whether it does."""
        is_followed = self.topology.has_failover
        if is_followed and isinstance(error, AskError):
            command.redirects += 1
            moved = isinstance(error, MovedError)
            if moved:
                self.topology.request_refresh()
            if error.host and command.redirects <= MAX_REDIRECTS:
                command.needs_asking = not moved
                self.dispatch(command, f"{error.host}:{error.port}")
                return True
        elif error_code(error) in (RETRYABLE_CODES if is_followed else {"READONLY"}):
            self.topology.request_refresh()
        else:
            return False
        self._dispatch_later(command)
        return True

    def _record_failure(self, command: Command, error: StoreUnavailable) -> None:
        if not command.future.done() and not isinstance(error, UnreadableGame):
            self.outages.record_failure(error)

    def _dispatch_later(self, command: Command) -> None:
        self._loop.call_later(RETRY_DELAY_S, self.dispatch, command)

    def _check_later(self) -> None:
        self._checked_at = perf_counter()
        self._timeout_check = self._loop.call_later(TIMEOUT_CHECK_INTERVAL_S, self._check_timeouts)

    def _check_timeouts(self) -> None:
        """Time out commands. Those on their way stay in flight until their reply arrives or their connection ends.

        The time for which the process was stopped, or busy, does not count: what it has not sent has no reply yet.
        """
        self._timeout_check = None
        now = perf_counter()
        late_s = now - self._checked_at - TIMEOUT_CHECK_INTERVAL_S
        pause_s = late_s if late_s > TIMEOUT_CHECK_INTERVAL_S else 0.0
        for command in self.in_flight.commands:
            command.started_at = min(command.started_at + pause_s, now)
            if command.started_at <= now - self.timeout_s:
                kind = "timeout" if command.failure is None else "connection"
                error = command.failure or StoreUnavailable(NO_REPLY_REASON, cause="timeout")
                self._record_failure(command, error)
                command.set_error(error, kind)
        for queue in self.queues.values():
            queue.check_timeouts(pause_s)
        if self.in_flight.commands:
            self._check_later()


class PipelineQueue:
    """The commands to one primary, sent as pipelines over a few connections. With `wait`, WAIT ends each pipeline.

    While all connections are busy, commands queue for the next pipeline.
    """

    def __init__(self, client: PipelinedClient, primary: str, wait: Wait | None) -> None:
        self.unreachable_since: float | None = None
        """The event loop's time of the first of the failures in a row; None if the last pipeline succeeded."""
        self._client = client
        self._topology = client.topology
        self._primary = primary
        self._wait = wait
        self._timeout_s = PIPELINE_TIMEOUT_S + (wait.timeout_ms / 1000 if wait else 0)
        self._queued: list[Command] = []
        self._loop = asyncio.get_running_loop()
        self._senders: set[asyncio.Task[None]] = set()
        """As many as have been needed at the same time, each with a connection while it sends."""
        self._idle: list[asyncio.Future[None]] = []
        """Wakes a sender that has nothing to send."""
        self._limits: dict[asyncio.Timeout, float] = {}
        """Of the pipelines on their way, with the event loop's time when each ends: a timer of its own costs more."""
        self._is_waking = False
        """Whether the sender that was woken last has not taken its batch yet."""
        self._failures = 0

    @property
    def is_idle(self) -> bool:
        """Whether no command is queued or on its way."""
        return not self._queued and len(self._idle) == len(self._senders)

    def append(self, command: Command) -> None:
        """Queue a command for the pipeline of this tick, or for the next one when a connection is free."""
        self._queued.append(command)
        if self._is_waking:
            return
        if self._idle:
            self._is_waking = True
            self._idle.pop().set_result(None)
        elif len(self._senders) < self._client.connections:
            self._start_sender()

    def check_timeouts(self, pause_s: float) -> None:
        """Let the pipelines end that took too long, but for a pause, and drop what nobody awaits any more."""
        now = self._loop.time()
        if self.unreachable_since is not None:
            self.unreachable_since = min(self.unreachable_since + pause_s, now)
        self._limits = {limit: deadline + pause_s for limit, deadline in self._limits.items()}
        for limit in [limit for limit, deadline in self._limits.items() if deadline <= now]:
            del self._limits[limit]
            limit.reschedule(now)
        self.drop_abandoned()

    def drop_abandoned(self) -> list[Command]:
        """Drop queued commands whose reply nobody awaits any more, and return the others."""
        self._queued = [command for command in self._queued if not command.release_if_abandoned()]
        return self._queued

    def close(self) -> list[asyncio.Task[None]]:
        """Cancel the senders, and return them."""
        self._idle.clear()
        for sender in self._senders:
            sender.cancel()
        return [*self._senders]

    def _start_sender(self) -> None:
        """Let a further sender send what is queued, and what will be in this tick, unless the client is closed."""
        if not self._client.is_closed:
            self._is_waking = True
            sender = spawn("redis-pipeline", self._send_batches())
            self._senders.add(sender)
            sender.add_done_callback(self._on_sender_end)

    def _on_sender_end(self, sender: asyncio.Task[None]) -> None:
        self._senders.discard(sender)
        if self._queued and not self._is_waking:
            self._start_sender()

    async def _send_batches(self) -> None:
        """Send what is queued as one pipeline after another. An unexpected error fails a batch, and ends the task."""
        async with aclosing(_Lease(self._topology, self._primary)) as lease:
            while True:
                self._is_waking = False
                batch, self._queued = self._queued, []
                try:
                    if batch:
                        await self._execute_batch(lease, batch)
                except Exception as error:  # of any kind: whoever awaits a reply must not wait for the timeout
                    for command in batch:
                        self._client.fail(command, StoreUnavailable(f"sending the command to Redis failed: {error}"))
                    raise
                if not self._queued:
                    idle = self._loop.create_future()
                    self._idle.append(idle)
                    await idle

    async def _execute_batch(self, lease: "_Lease", batch: list[Command]) -> None:
        """Send commands as one pipeline, and deliver the replies."""
        sent: list[tuple[Argument, ...]] = []
        for command in batch:
            if command.needs_asking:
                sent.append(("ASKING",))
            sent.append(command.arguments)
        if self._wait is not None:
            sent.append(("WAIT", *self._wait))
        try:
            async with asyncio.timeout(None) as limit:
                self._limits[limit] = self._loop.time() + self._timeout_s
                try:
                    replies = await lease.exchange(sent)
                finally:
                    self._limits.pop(limit, None)
        except CONNECTION_ERRORS as error:
            await lease.aclose()
            await self._handle_connection_error(batch, error)
        else:
            self._failures, self.unreachable_since = 0, None
            self._deliver_replies(batch, replies)

    def _deliver_replies(self, batch: Sequence[Command], replies: Sequence[Any]) -> None:
        replicas: Any = replies[-1] if self._wait is not None else None
        remaining = iter(replies)
        for command in batch:
            if command.needs_asking:
                command.needs_asking = False
                next(remaining)  # the reply to ASKING: where that is an error, the command's own is one too
            reply = next(remaining)
            if isinstance(reply, Exception):
                self._client.handle_error_reply(command, reply)
            elif self._wait is None:
                command.resolve(reply)
            elif isinstance(replicas, Exception):
                self._client.handle_error_reply(command, replicas)
            elif replicas >= self._wait.replicas:
                command.resolve(reply)
            else:
                reason = f"Redis executed the command, but only {replicas} of {self._wait.replicas} replicas have it"
                self._client.fail(command, StoreUnavailable(reason, cause="replicas"))

    async def _handle_connection_error(self, batch: list[Command], error: BaseException) -> None:
        """Send all commands again after a delay, or fail them if the primary has been unreachable for too long."""
        now = self._loop.time()
        self.unreachable_since = now if self.unreachable_since is None else self.unreachable_since
        failed = to_store_error(error)
        if not str(error):
            failed = StoreUnavailable(f"Redis did not reply within {self._timeout_s} s", cause="timeout")
        is_hopeless = is_error_reply(error) or now - self.unreachable_since >= self._client.outage_tolerance_s
        self._queued += batch
        for command in self.drop_abandoned():
            command.failure = StoreUnavailable(str(failed), cause=failed.cause)
            if is_hopeless:
                self._client.fail(command, command.failure)
        REDIS_RETRIES.inc(len(self.drop_abandoned()))
        self._failures += 1
        if self._topology.has_failover:
            self._topology.request_refresh()
        await asyncio.sleep(_BACKOFF.delay_s(self._failures))  # meanwhile this task still counts as a busy connection
        queued, self._queued = self._queued, []
        for command in queued:
            self._client.dispatch(command)  # the primary may be another by now


class _Lease:
    """A connection that one sender keeps out of its pool for as long as it works.

    redis-py's pipelines take one from the pool for each batch, which costs more than the batch. A connection that
    fails is closed and goes back. Only the pool opens connections, since it knows of failovers: by itself one that was
    closed would go back to the former primary, which may answer for seconds.
    """

    def __init__(self, topology: Topology, primary: str) -> None:
        self._topology = topology
        self._primary = primary
        self._pool: ConnectionPool | None = None
        self._connection: AbstractConnection | None = None
        self._used_at = 0.0

    async def exchange(self, commands: Sequence[tuple[Argument, ...]]) -> list[Any]:
        """Send commands, and return their replies, errors among them. Raise one of CONNECTION_ERRORS."""
        now = monotonic()
        if self._connection is None:
            self._pool = self._topology.client_for(self._primary).connection_pool
            self._connection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        elif self._pool is not None and (now - self._used_at > IDLE_S or not self._connection.is_connected):
            await self._pool.ensure_connection(self._connection)
        self._used_at = now
        connection = self._connection
        await connection.send_packed_command(connection.pack_commands(commands))
        replies: list[Any] = []
        for _ in commands:
            try:
                replies.append(await connection.read_response())
            except ResponseError as error:
                replies.append(error)
        return replies

    async def aclose(self) -> None:
        """Close the connection, and give it back."""
        connection, pool = self._connection, self._pool
        self._connection = self._pool = None
        if connection is not None and pool is not None:
            try:
                await connection.disconnect(nowait=True)
            finally:
                await pool.release(connection)


class Script:
    """The script in the file `name` of this package, sent as a whole only if Redis does not have it cached.

    redis-py's own scripts would send `SCRIPT EXISTS` in each pipeline.
    """

    def __init__(self, client: PipelinedClient, name: str, *, wait_for_replicas: bool = False) -> None:
        self._client = client
        self._wait = wait_for_replicas
        """Whether a run succeeds only once replicas have acknowledged what it writes."""
        self._source = files("service.store").joinpath("scripts", name).read_bytes()
        self._hash = hashlib.sha1(self._source, usedforsecurity=False).hexdigest()
        name_script_metric(self._hash, name)

    async def run(self, keys: Sequence[str], *arguments: Argument) -> Any:
        """Run the script and return its reply. In a Cluster all `keys` are in one slot. Raise StoreUnavailable."""
        call = (len(keys), *keys, *arguments)
        try:
            return await self._client.execute("EVALSHA", self._hash, *call, wait_for_replicas=self._wait)
        except NoScriptError:
            return await self._client.execute("EVAL", self._source, *call, wait_for_replicas=self._wait)
