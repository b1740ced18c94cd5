"""Following a game over the WebSocket: every diff once and in order, through lost connections and restarts."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, NamedTuple

import aiohttp
import msgspec

from examples.terminal.client import FIRST_WAIT_S, Refused
from examples.terminal.replica import JsonObject
from schemas.messages import CloseCode
from schemas.problems import problem

RESUME_AFTER = (aiohttp.WSCloseCode.ABNORMAL_CLOSURE, CloseCode.SHUTDOWN, CloseCode.NO_PONG, CloseCode.TOO_SLOW)
LONGEST_WAIT_S = 8.0

REFUSALS = {
    401: ("unauthorized", "this token is not one of the game's"),
    404: ("not_found", "there is no such game, or it is private"),
}
"""The problem that a close code stands for, by its HTTP status."""


class Whole(NamedTuple):
    """The whole GAME, with its digest."""

    game: JsonObject
    digest: str


class Change(NamedTuple):
    """One DIFF, as JSON."""

    diff: JsonObject


class Connected(NamedTuple):
    """Everything that was missed follows now."""


class Lost(NamedTuple):
    """There is no connection, because of `reason`; the next try comes after `wait_s`."""

    wait_s: float
    reason: str


Message = Whole | Change | Connected | Lost


class Position(NamedTuple):
    """What the follower has already: a version and its digest."""

    version: int
    digest: str


class Follower:
    """One game's socket; `at` is kept up to date by whoever applies the diffs, and forgotten to start anew."""

    def __init__(self, http: aiohttp.ClientSession, url: str, game: str, token: str | None) -> None:
        self._http = http
        self._url = f"{url.rstrip('/')}/v1/games/{game}/ws".replace("http", "ws", 1)
        self._game = game
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self.at: Position | None = None

    async def resync(self) -> None:
        """Ask for the whole game again, after a diff that did not apply."""
        self.at = None
        if self._socket is not None and not self._socket.closed:
            await self._socket.send_json({"type": "sync", "game": self._game})

    async def messages(self) -> AsyncGenerator[Message, None]:
        """What happens, for ever; raises Refused where the service does not want this reader."""
        wait_s = FIRST_WAIT_S
        while True:
            try:
                async with self._http.ws_connect(
                    self._url, params=self._since(), headers=self._headers, heartbeat=30.0
                ) as socket:
                    self._socket = socket
                    async for message in socket:
                        for told in _read(message):
                            wait_s = FIRST_WAIT_S
                            yield told
                    self._check_close(socket.close_code)
                    reason = f"the socket was closed ({socket.close_code})"
            except (aiohttp.ClientError, TimeoutError) as error:
                reason = str(error) or type(error).__name__
            yield Lost(wait_s, reason)
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, LONGEST_WAIT_S)

    def _since(self) -> dict[str, str]:
        return {} if self.at is None else {"since": str(self.at.version), "digest": self.at.digest}

    def _check_close(self, code: int | None) -> None:
        """Raise Refused for a close code that says not to come back (4000 + an HTTP status)."""
        if code is not None and code >= CloseCode.REFUSED and code not in RESUME_AFTER:
            refused, why = REFUSALS.get(code - CloseCode.REFUSED, ("conflict", f"the socket was closed with {code}"))
            raise Refused(problem(refused, why))


def _read(message: aiohttp.WSMessage) -> list[Message]:
    """A message of the socket; kinds that are not known here say nothing."""
    if message.type is not aiohttp.WSMsgType.TEXT:
        return []
    content: dict[str, Any] = msgspec.json.decode(message.data)
    match content["type"]:
        case "subscribed":
            return [Connected()]
        case "snapshot":
            return [Whole(content["game"], content["digest"])]
        case "diff":
            return [Change(content)]
        case _:
            return []
