"""Matches on boardgame.io: created and joined over the lobby's HTTP API, played over Engine.IO 4 and Socket.IO 5.

Their messages are text frames of one or two digits and JSON. Source: their protocol documents.
"""

import asyncio
from functools import partial
from typing import Any

import aiohttp
import msgspec

from benchmarks.load_client import WebSocketConnection
from benchmarks.matches import OPEN_TIMEOUT_S, Match

GAME = "tiles"
PATH = "/socket.io/?EIO=4&transport=websocket"
OPEN, PING, PONG, JOIN = b"0{", b"2", b"3", b"40/tiles,"
EVENT = b"42/tiles,"
SYNC, UPDATES = EVENT + b'["sync"', (EVENT + b'["update"', EVENT + b'["patch"')
CELLS = 36


def event(*arguments: Any) -> bytes:
    """Encode an event, its name first.

    >>> event("sync", "m1", "0")
    b'42/tiles,["sync","m1","0"]'
    """
    return EVENT + msgspec.json.encode(arguments)


class BoardgameMatch(Match):
    """A match, whose moves have the number of the state that they are based on."""

    def __init__(self, match: str, credentials: list[str]) -> None:
        super().__init__()
        self._match = match
        self._credentials = credentials

    async def open(self, port: int) -> None:
        """Connect both clients."""
        for seat in (0, 1):
            self.ready.clear()
            self.sockets.append(await WebSocketConnection.open(port, PATH, partial(self._receive, seat)))
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                await self.ready.wait()

    def send(self) -> int:
        """Place a tile, as the seat whose turn it is."""
        state = self.moves - 1
        seat = state % 2
        payload = {"type": "place", "args": [state % CELLS, state % 4], "playerID": str(seat)}
        action = {"type": "MAKE_MOVE", "payload": payload | {"credentials": self._credentials[seat]}}
        self.sockets[seat].send(event("update", action, state, self._match, str(seat)))
        return seat

    def _receive(self, seat: int, message: bytes) -> None:
        if message.startswith(UPDATES):
            if self.on_update(seat):
                self.send_next()
        elif message == PING:
            self.sockets[seat].send(PONG)
        elif message.startswith(OPEN):
            asyncio.get_running_loop().call_soon(lambda: self.sockets[seat].send(JOIN))
        elif message.startswith(JOIN):
            self.sockets[seat].send(event("sync", self._match, str(seat), self._credentials[seat], 2))
        elif message.startswith(SYNC):
            self.ready.set()


async def boardgame_matches(port: int, number: int) -> list[Match]:
    """Open matches with both players connected and in sync."""
    matches: list[Match] = []
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", raise_for_status=True) as session:
        for _ in range(number):
            match = (await _post(session, f"/games/{GAME}/create", {"numPlayers": 2}))["matchID"]
            joins = [{"playerID": str(seat), "playerName": f"Player {seat}"} for seat in (0, 1)]
            joined = [await _post(session, f"/games/{GAME}/{match}/join", join) for join in joins]
            boardgame_match = BoardgameMatch(match, [player["playerCredentials"] for player in joined])
            await boardgame_match.open(port)
            matches.append(boardgame_match)
    return matches


async def _post(session: aiohttp.ClientSession, path: str, body: dict[str, Any]) -> Any:
    async with session.post(path, json=body) as response:
        return await response.json()
