"""The WebSocket of a game, with reconnection."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

import aiohttp
import msgspec

from south_seas.decoding import DecodingError, convert
from south_seas.errors import InvalidResponseError, RetryableError, UnreachableError, error_for, make_problem
from south_seas.events import Connected, Disconnected
from south_seas.http import CONNECTION_ERRORS, HttpClient, retry_after_s
from south_seas.models import Problem
from south_seas.replica import JsonObject

__all__ = ["GameSocket", "Revision"]

FINAL_CLOSE_CODES = (1002, 1003, 1007, 1008, 1009, 1010)
"""Protocol close codes after which reconnecting would fail again, unless the service announced that it closes."""

PROBLEM_CLOSE_CODES = 4000
"""A close code from here on is this number plus a problem's HTTP status."""

RESUMABLE_CLOSE_CODES = (4408, 4429)
"""No `pong` from the client, and a client that is too slow: it reconnects."""

CLOSE_CODE_PROBLEMS = {
    4401: make_problem(401, "the token is not one of the game's", "unauthorized"),
    4404: make_problem(404, "there is no such game, or it is private", "not_found"),
}
"""Close codes as the problems that HTTP would return."""

HEARTBEAT_INTERVAL_S = 20.0
"""The interval of protocol pings."""

STABLE_CONNECTION_S = 10.0
"""A connection that lasts this long resets the backoff, as does one that delivers a message."""


class Revision(NamedTuple):
    """A version and digest to resume from."""

    version: int
    digest: str


class _ConnectionEnded(Exception):
    """The connection ended; reconnect after at least `min_wait_s`."""

    def __init__(self, reason: str, min_wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.min_wait_s = min_wait_s


class GameSocket:
    """The WebSocket of one game."""

    def __init__(self, http: HttpClient, game: str, token: str | None) -> None:
        self._http = http
        self._game = game
        self._url = f"{http.url}/v1/games/{game}/ws"
        self._headers = http.headers(token)
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._min_wait_s: float | None = None
        """The wait that `closing` asked for; None before it."""
        self._connecting_since = 0.0

    async def request_snapshot(self) -> None:
        """Request a snapshot; without a connection, the next one delivers what is missing."""
        if self._socket is not None and not self._socket.closed:
            with suppress(*CONNECTION_ERRORS):
                await self._socket.send_str(msgspec.json.encode({"type": "sync", "game": self._game}).decode())

    async def disconnect(self) -> None:
        """Close the connection; the next one resumes from the replica."""
        if self._socket is not None:
            await self._socket.close()

    async def messages(
        self, position: Callable[[], Revision | None]
    ) -> AsyncGenerator[JsonObject | Connected | Disconnected, None]:
        """Yield messages and connection events forever; each connection resumes from `position()`.

        Raises APIError if the service rejects the connection, InvalidResponseError if a message cannot be read, and
        UnreachableError if the first connection, without a position to resume from, fails on every attempt.
        """
        failures, was_connected, clock = 0, position() is not None, asyncio.get_running_loop()
        while True:
            started_at = clock.time()
            try:
                async for message in self._read_connection(position()):
                    if isinstance(message, Connected):
                        was_connected = True
                    else:
                        failures = 0
                    yield message
            except _ConnectionEnded as ended:
                failures = failures if clock.time() - started_at < STABLE_CONNECTION_S else 0
                wait_s = self._http.backoff.wait_s(failures) + min(ended.min_wait_s, self._http.backoff.max_wait_s)
                failures += 1
                if not was_connected and self._http.backoff.is_exhausted(failures):
                    raise UnreachableError(self._http.url, ended.reason) from ended
                yield Disconnected(ended.reason, wait_s)
                await asyncio.sleep(wait_s)

    async def _read_connection(self, position: Revision | None) -> AsyncGenerator[JsonObject | Connected, None]:
        """Yield the messages of one connection. Raises _ConnectionEnded at its end, and what `messages` raises."""
        self._min_wait_s = None
        self._connecting_since = time.monotonic()
        try:
            async with await self._connect(position) as socket:
                self._socket = socket
                async for message in socket:
                    if message.type is aiohttp.WSMsgType.TEXT:
                        for event in self._read_message(message.data):
                            yield event
                self._check_close(socket.close_code)
        except aiohttp.WSServerHandshakeError as error:
            raise self._handshake_error(error) from error
        except CONNECTION_ERRORS as error:
            raise _ConnectionEnded(str(error) or type(error).__name__) from error

    async def _connect(self, position: Revision | None) -> aiohttp.ClientWebSocketResponse:
        since = {} if position is None else {"since": str(position.version), "digest": position.digest}
        async with asyncio.timeout(self._http.backoff.timeout_s):
            return await self._http.session.ws_connect(
                self._url, params=since, headers=self._headers, heartbeat=HEARTBEAT_INTERVAL_S
            )

    def _read_message(self, text: str) -> list[JsonObject | Connected]:
        """Return the events of a message; none for messages that do not concern the replica."""
        try:
            content: JsonObject = msgspec.json.decode(text, type=dict)
            match content:
                case {"type": "welcome", "now": now}:
                    server_time = msgspec.convert(now, datetime)
                    self._http.clock.observe(server_time, self._connecting_since, time.monotonic())
                case {"type": "subscribed"}:
                    return [Connected()]
                case {"type": "diff" | "snapshot"}:
                    return [content]
                case {"type": "closing", "retry_after_ms": int(retry_after_ms)}:
                    self._min_wait_s = retry_after_ms / 1000
                case {"type": "error", "problem": document}:
                    _raise_problem(convert(document, Problem))
                case _:
                    pass
        except (msgspec.DecodeError, DecodingError) as error:
            raise InvalidResponseError(self._url, str(error)) from error
        return []

    def _check_close(self, code: int | None) -> None:
        """Raise the exception of a close code."""
        reason = f"the connection was closed with {code}"
        if self._min_wait_s is None and code is not None and _is_final(code):
            raise error_for(CLOSE_CODE_PROBLEMS.get(code) or make_problem(max(400, code - PROBLEM_CLOSE_CODES), reason))
        raise _ConnectionEnded(reason, self._min_wait_s or 0.0)

    def _handshake_error(self, error: aiohttp.WSServerHandshakeError) -> Exception:
        if error.status == 429 or error.status >= 500:
            return _ConnectionEnded(
                f"{error.status} {error.message}", retry_after_s(error.headers or {}, error.status) or 0.0
            )
        return error_for(make_problem(error.status, f"the upgrade failed with {error.status}"))


def _is_final(code: int) -> bool:
    return code in FINAL_CLOSE_CODES or (code >= PROBLEM_CLOSE_CODES and code not in RESUMABLE_CLOSE_CODES)


def _raise_problem(problem: Problem) -> None:
    """Raise the exception of an `error` message."""
    error = error_for(problem)
    if isinstance(error, RetryableError):
        raise _ConnectionEnded(problem.detail, float(problem.retry_after_s or 0)) from error
    raise error
