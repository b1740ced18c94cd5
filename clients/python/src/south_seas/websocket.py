"""WebSockets, each shared by the games of a client, with reconnection."""

import asyncio
import itertools
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

import aiohttp
import msgspec

from south_seas.decoding import DecodingError, convert
from south_seas.errors import InvalidResponseError, RetryableError, error_for, make_problem
from south_seas.events import Connected
from south_seas.http import CONNECTION_ERRORS, LOG, PROBLEM_TYPE, HttpClient, retry_after_s
from south_seas.models import Problem
from south_seas.replica import JsonObject

__all__ = ["Ended", "Messages", "Revision", "SharedSocket", "Sockets"]

FINAL_CLOSE_CODES = (1002, 1003, 1007, 1008, 1009, 1010)
"""Protocol close codes after which reconnecting would fail again, unless the service announced that it closes."""

PROBLEM_CLOSE_CODES = 4000
"""A close code from here on is this number plus a problem's HTTP status."""

RESUMABLE_CLOSE_CODES = (4408, 4429)
"""No `pong` from the client, and a client that is too slow: it reconnects."""

HEARTBEAT_INTERVAL_S = 20.0
"""The interval of protocol pings."""

CLOSE_TIMEOUT_S = 1.0
"""The time in which the other end confirms that a connection is closed; what is not the service may never."""

STABLE_CONNECTION_S = 10.0
"""A connection that lasts this long resets the backoff, as does one that delivers a diff or a snapshot."""

MAX_PENDING = 20
"""Subscriptions that await their reply: the service closes a socket that exceeds its rate limit too often."""

MAX_FAILURES = 3
"""Connections in a row that brought nothing and ended early, after which games are read by HTTP.

That must have worked after the one before them, too: after an outage it works before the next connection does.
"""

DEFAULT_MAX_GAMES = 1000
"""Games that one socket may watch, until the service's `welcome` says how many."""


class Revision(NamedTuple):
    """A version and digest to resume from."""

    version: int
    digest: str


class Ended(NamedTuple):
    """The connection, or one game's part of it, has ended."""

    reason: str
    wait_s: float | None = None
    """The wait before the next connection, which is the same for all games; None if only this game's part ended."""
    retry_after_s: float = 0.0
    """The wait that the service asks for, in the latter case."""
    failure: Exception | None = None
    """Why no further connection can succeed."""
    is_refused: bool = False
    """Whether what is between lets requests pass, but no socket: the game is read by HTTP until one connects."""


Messages = asyncio.Queue[JsonObject | Connected | Ended]


class Sockets:
    """The sockets of a client: one, and another where all are full or follow the same game already."""

    def __init__(self, http: HttpClient) -> None:
        self.http = http
        self._open: list[SharedSocket] = []

    def take(self, game: str) -> "SharedSocket":
        """Return a socket with room for a game, which has a place on it until it leaves."""
        for socket in self._open:
            if game not in socket.games and len(socket.games) < socket.max_games:
                break
        else:
            socket = SharedSocket(self)
            self._open.append(socket)
        socket.games.add(game)
        return socket

    def remove(self, socket: "SharedSocket") -> None:
        """Forget a socket that is closed."""
        with suppress(ValueError):
            self._open.remove(socket)

    async def close(self) -> None:
        """Close all sockets."""
        for socket in [*self._open]:
            await socket.close()


class SharedSocket:
    """One WebSocket, connected while games are followed on it. After a loss all its games wait for one connection."""

    def __init__(self, sockets: "Sockets") -> None:
        self.games: set[str] = set()
        """The games that are followed, whether connected or not."""
        self.max_games = DEFAULT_MAX_GAMES
        self._sockets = sockets
        self._http = sockets.http
        self._url = f"{self._http.url}/v1/ws"
        self._messages: dict[str, Messages] = {}
        """Of the games that are subscribed to."""
        self._replies: dict[str, asyncio.Future[None]] = {}
        """Of the games that await the reply to their subscription."""
        self._subscribe_ids: dict[str, str] = {}
        """Of the messages with which each game subscribed last, and which an error to them repeats."""
        self._counter = itertools.count()
        self._turns = asyncio.Semaphore(MAX_PENDING)
        self._resume_at = 0.0
        """When the rate limit permits further subscriptions."""
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._task: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[Ended | None] | None = None
        self._failures = 0
        """The connections in a row that brought neither a diff nor a snapshot, and did not last."""
        self._was_answering = False
        """Whether HTTP worked after the last of them."""
        self._retry_at = 0.0
        self._min_wait_s: float | None = None
        """The wait that `closing`, or a refusal, asked for."""

    async def subscribe(self, game: str, token: str | None, position: Revision | None) -> Messages | None:
        """Connect if necessary, and subscribe to a game; return its messages, or None if there is no room for it."""
        if (opened := self._opened) is None:
            opened = self._opened = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._run(opened))
        ended = await asyncio.shield(opened)
        messages: Messages = asyncio.Queue()
        if ended is not None:
            messages.put_nowait(ended)
            return messages
        async with self._turns:
            clock = asyncio.get_running_loop()
            await asyncio.sleep(max(0.0, self._resume_at - clock.time()))
            if self._opened is not opened:
                messages.put_nowait(Ended("the connection was closed at once"))
                return messages
            if len(self._messages) >= self.max_games:
                return None
            self._messages[game], self._replies[game] = messages, (reply := clock.create_future())
            message_id = self._subscribe_ids[game] = str(next(self._counter))
            if token is not None:
                await self.send({"type": "auth", "id": message_id, "game": game, "token": token})
            since = {} if position is None else {"since": position.version, "digest": position.digest}
            await self.send({"type": "subscribe", "id": message_id, "game": game, **since})
            await reply
        return messages

    async def send(self, message: JsonObject) -> None:
        """Send a message, if there is a connection; a new one subscribes anew."""
        if self._socket is not None and not self._socket.closed:
            with suppress(*CONNECTION_ERRORS):
                await self._socket.send_str(msgspec.json.encode(message).decode())

    async def leave(self, game: str) -> None:
        """End the subscription to a game, and after the last one the connection."""
        self.games.discard(game)
        self._subscribe_ids.pop(game, None)
        if not self.games:
            await self.close()
        elif self._messages.pop(game, None) is not None:
            await self.send({"type": "unsubscribe", "game": game})

    async def close(self) -> None:
        """Close the connection."""
        self._sockets.remove(self)
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self, opened: "asyncio.Future[Ended | None]") -> None:
        """Connect when it is time, and hand the messages to their games until the connection ends."""
        clock = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, self._retry_at - clock.time()))
        started_at = clock.time()
        failure: Exception | None = None
        try:
            reason = await self._read_connection(opened)
        except aiohttp.WSServerHandshakeError as error:
            reason = f"the upgrade failed with {error.status}: {error.message}"
            headers: Mapping[str, str] = error.headers or {}
            is_problem = headers.get("Content-Type", "").startswith(PROBLEM_TYPE)
            self._min_wait_s = retry_after_s(headers, error.status, is_problem=is_problem)
        except CONNECTION_ERRORS as error:
            reason = str(error) or type(error).__name__
        except Exception as error:  # noqa: BLE001  it is raised where each game's messages are read
            reason, failure = str(error), error
        if clock.time() - started_at >= STABLE_CONNECTION_S:
            self._failures = 0
        backoff = self._http.backoff
        wait_s = backoff.wait_s(self._failures) + min(self._min_wait_s or 0.0, backoff.max_wait_s)
        self._failures += 1
        is_answering = self._failures >= MAX_FAILURES - 1 and await self._http.is_answering()
        is_refused, self._was_answering = is_answering and self._was_answering, is_answering
        if is_refused:
            reason += "; games are read by HTTP meanwhile"
        if failure is None:
            LOG.warning("reconnecting to %s in %.1f s: %s", self._url, wait_s, reason)
        self._retry_at, self._opened = clock.time() + wait_s, None
        ended = Ended(reason, wait_s, failure=failure, is_refused=is_refused)
        if not opened.done():
            opened.set_result(ended)
        subscribed, self._messages = self._messages, {}
        for messages in subscribed.values():
            messages.put_nowait(ended)
        for game in [*self._replies]:
            self._resolve(game)

    async def _read_connection(self, opened: "asyncio.Future[Ended | None]") -> str:
        """Read one connection; return why it ended. Raises what the games' readers raise if none can succeed."""
        self._min_wait_s = None
        connecting_since = time.monotonic()
        async with asyncio.timeout(self._http.backoff.timeout_s):
            self._socket = await self._http.pool.session.ws_connect(
                self._url,
                headers=self._http.headers(None),
                heartbeat=HEARTBEAT_INTERVAL_S,
                timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_TIMEOUT_S),
            )
        async with self._socket as socket:
            if not self._is_welcomed(await socket.receive(self._http.backoff.timeout_s), connecting_since):
                return "what answers there is not the service"
            opened.set_result(None)
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    self._take_message(message.data)
            return self._end_reason(socket.close_code)

    def _is_welcomed(self, message: aiohttp.WSMessage, connecting_since: float) -> bool:
        """Read the first message, which every connection of the service begins with; return whether it is that."""
        if message.type is not aiohttp.WSMsgType.TEXT:
            return False
        with suppress(msgspec.MsgspecError):
            match msgspec.json.decode(message.data):
                case {"type": "welcome", "now": now} as welcome:
                    server_time = msgspec.convert(now, datetime)
                    self._http.clock.observe(server_time, connecting_since, time.monotonic())
                    self.max_games = msgspec.convert(welcome.get("max_subscriptions", self.max_games), int)
                    return True
                case _:
                    pass
        return False

    def _take_message(self, text: str) -> None:
        """Hand a message to its game. Raises InvalidResponseError."""
        try:
            content: JsonObject = msgspec.json.decode(text, type=dict)
            match content:
                case {"type": "subscribed"}:
                    self._put(content["game"], Connected())
                case {"type": "diff"}:
                    self._put(content["game"], content)
                case {"type": "snapshot"}:
                    self._put(content["game"]["id"], content)
                case {"type": "closing", "retry_after_ms": int(retry_after_ms)}:
                    self._min_wait_s = retry_after_ms / 1000
                case {"type": "error", "id": str(message_id)} if message_id != self._subscribe_ids.get(content["game"]):
                    pass  # it failed before the game subscribed again
                case {"type": "error"}:
                    self._end_game(content["game"], convert(content["problem"], Problem))
                case _:
                    pass
        except (msgspec.DecodeError, DecodingError, KeyError, TypeError) as error:
            raise InvalidResponseError(self._url, f"{type(error).__name__}: {error}") from error

    def _put(self, game: str, message: JsonObject | Connected | Ended) -> None:
        if isinstance(message, dict):
            self._failures = 0
        if (messages := self._messages.get(game)) is not None:
            messages.put_nowait(message)
        self._resolve(game)

    def _resolve(self, game: str) -> None:
        """Let the next game subscribe."""
        if (reply := self._replies.pop(game, None)) is not None and not reply.done():
            reply.set_result(None)

    def _end_game(self, game: str, problem: Problem) -> None:
        """End the subscription to a game by an `error` message."""
        failure = error_for(problem)
        is_final = not isinstance(failure, RetryableError)
        retry_after_s = float(problem.retry_after_s or 0)
        if problem.status == 429:
            self._resume_at = asyncio.get_running_loop().time() + min(retry_after_s, self._http.backoff.max_wait_s)
        self._put(game, Ended(problem.detail, None, retry_after_s, failure if is_final else None))
        self._messages.pop(game, None)

    def _end_reason(self, code: int | None) -> str:
        """Return why the connection ended; raise the exception of a close code after which none can succeed."""
        reason = f"the connection was closed with {code}"
        if self._min_wait_s is None and code is not None and _is_final(code):
            raise error_for(make_problem(max(400, code - PROBLEM_CLOSE_CODES), reason))
        return reason


def _is_final(code: int) -> bool:
    return code in FINAL_CLOSE_CODES or (code >= PROBLEM_CLOSE_CODES and code not in RESUMABLE_CLOSE_CODES)
