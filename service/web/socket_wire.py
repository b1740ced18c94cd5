"""The lower half of a socket: frames out, messages in, pings, and every way in which it ends."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from aiohttp import WebSocketError, WSCloseCode, WSMessage, WSMsgType, web

from schemas.messages import CloseCode, Closing, Error, ServerMessage
from schemas.problems import KINDS
from service.games.access import Access
from service.games.errors import GameError
from service.games.news import News, Position
from service.telemetry.metrics import DROPPED, SOCKETS_CLOSED, WRITES, WRITTEN
from service.web.connections import CLOSE_S
from service.web.frames import DEFLATED, PING, PLAIN, close_frame, message_frame, news_frames, pong_frame
from service.web.keys import LIMITS, WATCH
from service.web.limiting.protocol import COUNTED, count_unread
from service.web.problems import to_problem
from service.web.socket_upgrade import Socket

__all__ = ["Wire", "refused"]

LIVE = frozenset({WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.PING, WSMsgType.PONG})

LINGER_STEP_S = 0.05

LOST = 1006
"""The code of a socket that ended without one (RFC 6455, 7.1.5)."""

_WRITES, _WRITTEN = WRITES.of("socket"), WRITTEN.of("socket")


def refused(code: str) -> int:
    """The close code of a problem: 4000 and its HTTP status.

    >>> refused("not_found")
    4404
    """
    return CloseCode.REFUSED + KINDS[code].status


class Wire:
    """One open socket, which watches `games`.

    What is told goes to its transport at once: nothing waits for it, and it waits for nothing.
    """

    __slots__ = (
        "_asked",
        "_busy",
        "_ended",
        "_heard",
        "_held_back",
        "_kind",
        "_max_unsent",
        "_reader",
        "_request",
        "_retry_after_ms",
        "_transport",
        "_watch",
        "_watched",
        "check_token",
        "code",
        "games",
    )

    kind: Literal["socket"] = "socket"

    def __init__(self, request: web.Request, socket: Socket, transport: asyncio.Transport) -> None:
        self.games: set[str] = set()
        self.check_token: Callable[[str, Access], None] = lambda _game, _access: None
        """Called where a token of a watched game has ended."""
        self._request = request
        self._reader = socket.reader
        self._transport = transport
        self._watch = request.app[WATCH]
        self._kind = DEFLATED if socket.deflating else PLAIN
        self._max_unsent = request.app[LIMITS].max_unsent_bytes
        self._watched = min(self._max_unsent, COUNTED)
        self._asked = False
        """A ping went out."""
        self._heard = True
        """Something has come since."""
        self._busy = False
        """A message is being handled."""
        self._retry_after_ms: int | None = None
        """It is to be sent away, to come back after this time."""
        self.code = LOST
        """The code that the client was told as the socket was closed."""
        self._ended = False
        """It was told that the socket is closed."""
        self._held_back = b""
        """Frames that go out before this tick of the event loop ends."""

    def deliver(self, news: News) -> None:
        """Send news of a game. The same as `_write`, but all in one: it is called for each diff and each watcher."""
        transport = self._transport
        if self._ended or transport.is_closing():
            return
        frames = news.wire.get(self._kind) or news_frames(news, self._kind)
        if self._busy or self._held_back:  # nothing overtakes what is held back
            self._hold_back(frames)
            return
        transport.write(frames)
        _WRITES.n += 1
        _WRITTEN.n += len(frames)
        if transport.get_write_buffer_size() > self._watched:
            self._count_unread()

    def lose(self, game: str, error: GameError) -> None:
        """Tell that a game can be watched no longer."""
        self.games.discard(game)
        self.send(Error(id=None, game=game, problem=to_problem(error)))

    def recheck(self, game: str, access: Access) -> None:
        """Have the token looked at again by which the game is watched."""
        self.check_token(game, access)

    def send(self, message: ServerMessage) -> None:
        """Send a message."""
        self._write(message_frame(message))

    def leave(self, game: str) -> Position | None:
        """Watch the game no more; gives up to where it was told, None if it was not watched."""
        self.games.discard(game)
        return self._watch.leave(self, game)

    def ping(self) -> None:
        """Ask for a sign of life; close where none came since, unless it may lie unread behind a message."""
        if self._asked and not self._heard and not self._busy:
            self.end(CloseCode.NO_PONG, "no_pong")
            return
        self._asked = True
        self._heard = False
        self._write(PING)

    def dismiss(self, retry_after_ms: int) -> None:
        """Tell the client to connect again, and close, but finish the message that is being handled."""
        self._retry_after_ms = retry_after_ms
        if not self._busy:
            self._say_goodbye(retry_after_ms)

    def end(self, code: int, reason: str) -> None:
        """Close with a code; nothing more is sent. A client that does not answer in time is cut off."""
        self._write_held_back()
        if self._ended:
            return
        self._ended, self.code = True, int(code)
        SOCKETS_CLOSED.of(str(int(code))).n += 1
        if code == CloseCode.TOO_SLOW:
            DROPPED.of("socket").n += 1
        self._leave_all()
        if not self._transport.is_closing():
            self._transport.write(close_frame(code, reason))
        asyncio.get_running_loop().call_later(CLOSE_S, self._transport.abort)

    async def run(self, handle: Callable[[WSMessage], Awaitable[None]]) -> None:
        """Have messages, pings and pongs handled one after another, until the socket is closed."""
        try:
            while (message := await self._reader.receive()).type in LIVE:
                if not self._ended:
                    await self._take(message, handle)
            await self._close_with(message)
        except ConnectionError:
            return

    async def do(self, work: Awaitable[None]) -> None:
        """Do this to its end, though the service is stopping."""
        self._busy = True
        try:
            await work
        finally:
            self._busy = False
            if self._retry_after_ms is not None:
                self._say_goodbye(self._retry_after_ms)

    def forget(self) -> None:
        """Leave nothing behind: whatever happened, it is over."""
        if not self._ended:
            SOCKETS_CLOSED.of(str(LOST)).n += 1
        self._leave_all()
        self._transport.close()

    async def _take(self, message: WSMessage, handle: Callable[[WSMessage], Awaitable[None]]) -> None:
        """Take one message; the next waits until the client has read most of what it was told."""
        self._heard = True
        if message.type is WSMsgType.PING:
            self._write(pong_frame(message.data))
        await self.do(handle(message))
        await self._request.writer.drain()

    def _write(self, frames: bytes) -> None:
        """Hand bytes to the transport; a client that can't keep up is closed."""
        transport = self._transport
        if self._ended or transport.is_closing():
            return
        if self._held_back:
            frames, self._held_back = self._held_back + frames, b""
        transport.write(frames)
        _WRITES.n += 1
        _WRITTEN.n += len(frames)
        if transport.get_write_buffer_size() > self._watched:
            self._count_unread()

    def _count_unread(self) -> None:
        """Close a client that can't keep up; count what others have not read."""
        unread = self._transport.get_write_buffer_size()
        if unread > self._max_unsent:
            self.end(CloseCode.TOO_SLOW, "too_slow")
        else:
            count_unread(self._request, unread)

    def _hold_back(self, frames: bytes) -> None:
        """Write this with the answer to the message that is being handled, which mostly comes in the same tick."""
        if not self._held_back:
            asyncio.get_running_loop().call_soon(self._write_held_back)
        self._held_back += frames

    def _write_held_back(self) -> None:
        if self._held_back:
            self._write(b"")

    def _leave_all(self) -> None:
        games, self.games = self.games, set()
        for game in games:
            self._watch.leave(self, game)

    def _say_goodbye(self, retry_after_ms: int) -> None:
        self.send(Closing(retry_after_ms=retry_after_ms))
        self.end(CloseCode.SHUTDOWN, "restart")

    async def _close_with(self, last: WSMessage) -> None:
        """Answer a client that closes; tell one that breaks the protocol."""
        if last.type is WSMsgType.CLOSE:
            self.end(WSCloseCode.OK, "")
        elif isinstance(last.data, WebSocketError):
            if last.data.code == WSCloseCode.MESSAGE_TOO_BIG:
                self.end(refused("too_large"), "too_large")
            else:
                self.end(last.data.code, "protocol")
            await self._linger()

    async def _linger(self) -> None:
        """Let a client that is still sending read why it is closed: closing at once would reset its connection."""
        while self._request.transport is not None:  # noqa: ASYNC110  what it still sends wakes nobody
            await asyncio.sleep(LINGER_STEP_S)
