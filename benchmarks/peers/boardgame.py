"""Matches on boardgame.io: made and joined over its lobby's HTTP, played over its Socket.IO transport."""

import asyncio
from functools import partial
from typing import Any

import aiohttp

from benchmarks.peers import socketio, wire
from benchmarks.peers.matches import Match

GAME = "tiles"
NAMESPACE = f"/{GAME}"
CELLS = 36
UPDATES = (b'42/tiles,["update"', b'42/tiles,["patch"')


class BoardgameMatch(Match):
    """A match; its moves are numbered by the state they are made on."""

    def __init__(self, match: str, credentials: list[str]) -> None:
        super().__init__()
        self._match = match
        self._credentials = credentials
        self._synced = [asyncio.Event(), asyncio.Event()]

    async def open(self, port: int) -> None:
        """Connect both clients."""
        for seat in (0, 1):
            self.sockets.append(await wire.connect(port, socketio.PATH, partial(self._message, seat)))
            async with asyncio.timeout(10):
                await self._synced[seat].wait()

    def send(self) -> int:
        """The seat whose turn it is lays a tile."""
        state = self.moves - 1
        seat = state % 2
        payload = {
            "type": "place",
            "args": [state % CELLS, state % 4],
            "playerID": str(seat),
            "credentials": self._credentials[seat],
        }
        action = {"type": "MAKE_MOVE", "payload": payload}
        message = socketio.event(NAMESPACE, "update", action, state, self._match, str(seat))
        self.sockets[seat].send(wire.TEXT, message)
        return seat

    def _message(self, seat: int, message: bytes) -> None:
        if message.startswith(UPDATES):
            if self.updated(seat):
                self.go_on()
        elif message == socketio.PING:
            self.sockets[seat].send(wire.TEXT, socketio.PONG)
        elif message.startswith(socketio.OPEN):
            asyncio.get_running_loop().call_soon(self._join, seat)
        elif message.startswith(socketio.join(NAMESPACE)):
            sync = socketio.event(NAMESPACE, "sync", self._match, str(seat), self._credentials[seat], 2)
            self.sockets[seat].send(wire.TEXT, sync)
        elif socketio.name(message, NAMESPACE) == "sync":
            self._synced[seat].set()

    def _join(self, seat: int) -> None:
        self.sockets[seat].send(wire.TEXT, socketio.join(NAMESPACE))


async def boardgame_matches(port: int, number: int) -> list[Match]:
    """As many matches, both players connected and in sync."""
    matches: list[Match] = []
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
        for _ in range(number):
            match = (await _post(session, f"/games/{GAME}/create", {"numPlayers": 2}))["matchID"]
            joins = [{"playerID": str(seat), "playerName": f"Player {seat}"} for seat in (0, 1)]
            joined = [await _post(session, f"/games/{GAME}/{match}/join", join) for join in joins]
            made = BoardgameMatch(match, [one["playerCredentials"] for one in joined])
            await made.open(port)
            matches.append(made)
    return matches


async def _post(session: aiohttp.ClientSession, path: str, body: dict[str, Any]) -> Any:
    async with session.post(path, json=body) as response:
        response.raise_for_status()
        return await response.json()
