"""A subscription to a game: every version once and in order, across lost connections and restarts."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from typing import Self

import msgspec

from south_seas.decoding import DecodingError
from south_seas.errors import InvalidResponseError, RetryableError, UnreachableError
from south_seas.events import Connected, Disconnected, StartState, SubscriptionEvent, SubscriptionState
from south_seas.http import LOG
from south_seas.json_patch import apply_patch
from south_seas.log_pages import iterate_log
from south_seas.models import Diff, GameView, Snapshot
from south_seas.replica import JsonObject, OutOfSync, Replica
from south_seas.websocket import Ended, Messages, Revision, SharedSocket, Sockets

__all__ = ["Subscription"]

ENDED_STATUSES = ("finished", "aborted")


class Subscription:
    """A replica of a game that receives every change; iterate over it for the diffs, one loop at a time.

    Entering the context waits for GAME. `view`, `version` and `digest` are as of the latest event. The subscription
    reconnects without limit, but raises UnreachableError if it starts from no state and the first connection fails
    `max_attempts` times. It raises APIError if the service rejects the reader, even later.
    """

    def __init__(
        self, sockets: Sockets, game: str, token: str | None, start: StartState | None, *, past_end: bool
    ) -> None:
        if not isinstance(game, str):
            raise TypeError(f"a game is given by its id, not by {type(game).__name__}")
        if not isinstance(start, StartState | None):
            raise TypeError(f"start is a response or Snapshot, with game and digest, not {type(start).__name__}")
        self.id = game
        self.is_connected = False
        """Whether the connection is established."""
        self._sockets = sockets
        self._http = sockets.http
        self._token = token
        self._past_end = past_end
        self._socket: SharedSocket | None = None
        """A socket that other games share."""
        self._messages: Messages | None = None
        """The messages of its connection."""
        self._replica: Replica | None = None
        self._states: asyncio.Queue[SubscriptionState | BaseException] = asyncio.Queue()
        self._state: SubscriptionState | None = None
        self._failure: BaseException | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_syncing = False
        if start is not None:
            self._replica = Replica(msgspec.to_builtins(start.game), start.digest)
            self._state = SubscriptionState(Connected(), self._replica.view, self._replica.digest)

    @property
    def view(self) -> GameView:
        """GAME as of the latest event."""
        if self._state is None or self._state.view is None:
            raise RuntimeError("enter the subscription with `async with` first")
        return self._state.view

    @property
    def version(self) -> int:
        """The version of `view`."""
        return self.view.version

    @property
    def digest(self) -> str:
        """The digest of `view`."""
        if self._state is None or self._state.digest is None:
            raise RuntimeError("enter the subscription with `async with` first")
        return self._state.digest

    @property
    def is_over(self) -> bool:
        """Whether the game is finished or was aborted."""
        return self.view.status in ENDED_STATUSES

    @property
    def has_pending(self) -> bool:
        """Whether events are queued."""
        return not self._states.empty()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._on_task_done)
        try:
            while self._state is None or self._state.view is None:
                await self.next_event()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the subscription."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Diff:
        while self._past_end or not self.is_over:
            event = await self.next_event()
            if isinstance(event, Diff):
                return event
        raise StopAsyncIteration

    async def events(self) -> AsyncGenerator[SubscriptionEvent, None]:
        """Yield all events, including those of the connection, forever."""
        while True:
            yield await self.next_event()

    async def next_event(self) -> SubscriptionEvent:
        """Wait for the next event: a diff, a snapshot, or a change of the connection."""
        if self._failure is not None:
            raise self._failure
        state = await self._states.get()
        if isinstance(state, BaseException):
            self._failure = state
            raise state
        self._state = state
        return state.event

    def apply_diffs(self, diffs: Sequence[Diff]) -> None:
        """Apply the diffs of a response at once; the socket delivers those that do not fit."""
        with suppress(OutOfSync):
            for diff in () if self._is_syncing else diffs:
                self._apply(msgspec.to_builtins(diff))

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._states.put_nowait(error)

    async def _run(self) -> None:
        try:
            await self._read_messages()
        except DecodingError as error:
            raise InvalidResponseError(self._http.url, str(error)) from error

    async def _read_messages(self) -> None:
        """Follow the game over one connection after the other; each resumes from the replica."""
        failures, was_connected, backoff = 0, self._replica is not None, self._http.backoff
        try:
            while True:
                self._messages = await self._subscribe()
                while not isinstance(message := await self._messages.get(), Ended):
                    if isinstance(message, Connected):
                        was_connected = True
                    else:
                        failures = 0
                    await self._take(message)
                if message.failure is not None:
                    raise message.failure
                wait_s = message.wait_s
                if wait_s is None:
                    wait_s = backoff.wait_s(failures) + min(message.retry_after_s, backoff.max_wait_s)
                    LOG.warning("subscribing again to game %s in %.1f s: %s", self.id, wait_s, message.reason)
                failures += 1
                if message.is_refused and await self._read_log():
                    was_connected = True
                if not was_connected and backoff.is_exhausted(failures):
                    raise UnreachableError(self._http.url, message.reason)
                self.is_connected = self._is_syncing = False
                self._publish(Disconnected(message.reason, wait_s))
                await asyncio.sleep(wait_s)
        finally:
            if self._socket is not None:
                await self._socket.leave(self.id)

    async def _subscribe(self) -> Messages:
        """Return the messages of the next connection, on a socket that has room."""
        while True:
            self._socket = self._socket or self._sockets.take(self.id)
            messages = await self._socket.subscribe(self.id, self._token, self._position())
            if messages is not None:
                return messages
            await self._socket.leave(self.id)
            self._socket = None

    async def _take(self, message: JsonObject | Connected) -> None:
        match message:
            case Connected():
                self.is_connected = True
                self._publish(message)
            case {"type": "diff"}:
                await self._apply_or_sync(message)
            case {"type": "snapshot", "game": document, "digest": digest}:
                await self._apply_snapshot(document, digest)
            case _:
                pass

    def _position(self) -> Revision | None:
        return None if self._replica is None else Revision(self._replica.version, self._replica.digest)

    async def _apply_or_sync(self, diff: JsonObject) -> None:
        if self._is_syncing:
            return
        try:
            self._apply(diff)
        except OutOfSync:
            self._is_syncing = True
            if self._socket is not None:
                await self._socket.send({"type": "sync", "game": self.id})

    def _apply(self, diff: JsonObject) -> None:
        if self._replica is None:
            raise OutOfSync
        if (applied := self._replica.apply(diff)) is not None:
            self._publish(applied)

    async def _apply_snapshot(self, document: JsonObject, digest: str) -> None:
        """Catch up to a snapshot by diffs from the log; replace the replica if they do not continue it."""
        snapshot = Replica(document, digest)
        if self._replica is not None and self._replica.digest != digest:
            try:
                await self._catch_up(self._replica, snapshot.version)
            except (UnreachableError, RetryableError):
                if self._messages is not None:  # the next connection resumes from the replica
                    self._messages.put_nowait(Ended("the log could not be read"))
                return
        if self._replica is None or self._replica.digest != digest:
            self._replica = snapshot
            self._publish(Snapshot(digest=digest, game=snapshot.view))
        self._is_syncing = False

    async def _read_log(self) -> bool:
        """Read the changes by HTTP, for want of a socket; return whether that worked."""
        try:
            try:
                async for diff in self._log(0 if self._replica is None else self._replica.version):
                    self._apply(diff)
            except OutOfSync:
                await self._read_whole_log()
        except (UnreachableError, RetryableError, InvalidResponseError):
            return False
        return True

    async def _read_whole_log(self) -> None:
        """Replace the replica, if any, by what the log makes of an empty document."""
        document, digest = JsonObject(), ""
        async for diff in self._log(0):
            document, digest = apply_patch(document, diff["patch"]), diff["digest"]
        self._replica = Replica(document, digest)
        self._publish(Snapshot(digest=digest, game=self._replica.view))

    def _log(self, since: int) -> AsyncGenerator[JsonObject, None]:
        return iterate_log(self._http, self.id, self._token, since)

    async def _catch_up(self, replica: Replica, version: int) -> None:
        """Apply diffs from the log up to `version`, as far as they continue the replica."""
        async with aclosing(self._log(replica.version)) as log:
            async for diff in log:
                try:
                    if diff["version"] <= version:
                        self._apply(diff)
                except OutOfSync:
                    return

    def _publish(self, event: SubscriptionEvent) -> None:
        view, digest = (None, None) if self._replica is None else (self._replica.view, self._replica.digest)
        self._states.put_nowait(SubscriptionState(event, view, digest))
