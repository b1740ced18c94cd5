"""Following a game over the WebSocket: every version once and in order, through lost connections and restarts."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from typing import Self

import msgspec

from schemas.diffs import Diff
from schemas.game import GameView
from schemas.messages import Snapshot
from schemas.vocabulary import OVER
from service.client.decoding import Undecodable
from service.client.errors import Busy, Unreachable, Unreadable
from service.client.events import Change, Connected, Held, Lost, Start
from service.client.http import Http
from service.client.log_pages import read_log
from service.client.replica import JsonObject, OutOfStep, Replica
from service.client.socket import Line, Position

__all__ = ["Following"]


class Following:
    """A copy of one game, as a context: entered when GAME is there. Iterate for the diffs, one loop at a time.

    `view`, `version` and `digest` are as of the diff that came last. The iteration raises Refused where the service
    does not want this reader (any more); a connection that is lost is made again, however long it takes, but the first
    one raises Unreachable after as many tries as any request has.
    """

    def __init__(self, http: Http, game: str, token: str | None, start: Start | None, *, past_end: bool) -> None:
        self.id = game
        self.online = False
        """Whether there is a connection now."""
        self._http = http
        self._token = token
        self._past_end = past_end
        self._line = Line(http, game, token)
        self._replica: Replica | None = None
        self._told: asyncio.Queue[Held | BaseException] = asyncio.Queue()
        self._held: Held | None = None
        self._failure: BaseException | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_syncing = False
        if start is not None:
            self._replica = Replica(msgspec.to_builtins(start.game), start.digest)
            self._held = Held(Connected(), self._replica.view, self._replica.digest)

    @property
    def view(self) -> GameView:
        """GAME."""
        if self._held is None or self._held.view is None:
            raise RuntimeError("a game is followed within `async with`")
        return self._held.view

    @property
    def version(self) -> int:
        """The version of `view`."""
        return self.view.version

    @property
    def digest(self) -> str:
        """The digest of that version."""
        if self._held is None or self._held.digest is None:
            raise RuntimeError("a game is followed within `async with`")
        return self._held.digest

    @property
    def is_over(self) -> bool:
        """Whether the game was finished or aborted."""
        return self.view.status in OVER

    @property
    def has_more(self) -> bool:
        """Whether changes wait to be iterated over."""
        return not self._told.empty()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._ended)
        try:
            while self._held is None or self._held.view is None:
                await self.change()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Follow no longer."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Diff:
        while self._past_end or not self.is_over:
            change = await self.change()
            if isinstance(change, Diff):
                return change
        raise StopAsyncIteration

    async def changes(self) -> AsyncGenerator[Change, None]:
        """All that happens, for ever."""
        while True:
            yield await self.change()

    async def change(self) -> Change:
        """What happens next: a diff, a snapshot, or how the connection fares."""
        if self._failure is not None:
            raise self._failure
        told = await self._told.get()
        if isinstance(told, BaseException):
            self._failure = told
            raise told
        self._held = told
        return told.change

    def take(self, diffs: Sequence[Diff]) -> None:
        """Go on by the diffs of an action's answer at once. What does not follow is left to the socket."""
        with suppress(OutOfStep):
            for diff in () if self._is_syncing else diffs:
                self._apply(msgspec.to_builtins(diff))

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._told.put_nowait(error)

    async def _run(self) -> None:
        try:
            await self._listen()
        except Undecodable as error:
            raise Unreadable(self._http.url, str(error)) from error

    async def _listen(self) -> None:
        async for message in self._line.messages(self._position):
            match message:
                case Connected():
                    self.online = True
                    self._is_syncing = False
                    self._tell(message)
                case Lost():
                    self.online = False
                    self._tell(message)
                case {"type": "diff"}:
                    await self._go(message)
                case {"type": "snapshot", "game": document, "digest": digest}:
                    await self._whole(document, digest)
                case _:
                    pass

    def _position(self) -> Position | None:
        return None if self._replica is None else Position(self._replica.version, self._replica.digest)

    async def _go(self, diff: JsonObject) -> None:
        if self._is_syncing:
            return
        try:
            self._apply(diff)
        except OutOfStep:
            self._is_syncing = True
            await self._line.sync()

    def _apply(self, diff: JsonObject) -> None:
        if self._replica is None:
            raise OutOfStep
        if (told := self._replica.apply(diff)) is not None:
            self._tell(told)

    async def _whole(self, document: JsonObject, digest: str) -> None:
        """Take a snapshot: by the diffs that lead to it where it is what follows on this copy, else as it is."""
        whole = Replica(document, digest)
        if self._replica is not None and self._replica.digest != digest:
            try:
                await self._catch_up(self._replica, whole.version)
            except (Unreachable, Busy):
                await self._line.drop()
                return
        if self._replica is None or self._replica.digest != digest:
            self._replica = whole
            self._tell(Snapshot(digest=digest, game=whole.view))
        self._is_syncing = False

    async def _catch_up(self, replica: Replica, version: int) -> None:
        """Read on in the log up to a version, as far as it follows on the copy."""
        async with aclosing(read_log(self._http, self.id, self._token, replica.version)) as log:
            async for diff in log:
                try:
                    if diff["version"] <= version:
                        self._apply(diff)
                except OutOfStep:
                    return

    def _tell(self, change: Change) -> None:
        view, digest = (None, None) if self._replica is None else (self._replica.view, self._replica.digest)
        self._told.put_nowait(Held(change, view, digest))
