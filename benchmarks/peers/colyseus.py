"""Matches on Colyseus: rooms, created and joined by matchmaking, played over its binary WebSocket protocol."""

import asyncio
from functools import partial
from typing import Any

import aiohttp
import msgspec

from benchmarks.load_client import BINARY, WebSocketConnection
from benchmarks.matches import OPEN_TIMEOUT_S, Match

ROOM = "tiles"
CELLS = 36
JOIN, DATA, STATE, PATCH = 10, 13, 14, 15
"""The first byte of a message. Source: Protocol of @colyseus/shared-types."""


def message(kind: str, content: Any) -> bytes:
    r"""Encode a client's message: its kind as a short string of @colyseus/schema, then MessagePack.

    >>> message("place", [7, 3])
    b'\r\xa5place\x92\x07\x03'
    """
    return bytes((DATA, 0xA0 | len(kind))) + kind.encode() + msgspec.msgpack.encode(content)


class ColyseusMatch(Match):
    """A room with its two clients."""

    async def open(self, port: int, session: aiohttp.ClientSession) -> None:
        """Create the room, and connect both clients."""
        first = await _seat(session, f"create/{ROOM}")
        for seat in (0, 1):
            self.ready.clear()
            reservation = first if seat == 0 else await _seat(session, f"joinById/{first['roomId']}")
            path = f"/{reservation['processId']}/{reservation['roomId']}?sessionId={reservation['sessionId']}"
            self.sockets.append(await WebSocketConnection.open(port, path, partial(self._receive, seat)))
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                await self.ready.wait()

    def send(self) -> int:
        """Place a tile, as the client whose turn it is."""
        number = self.moves - 1
        seat = number % 2
        self.sockets[seat].send(message("place", [number % CELLS, number % 4]), BINARY)
        return seat

    def _receive(self, seat: int, data: bytes) -> None:
        if data[0] == PATCH:
            if self.on_update(seat):
                self.send_next()
        elif data[0] == JOIN:
            asyncio.get_running_loop().call_soon(lambda: self.sockets[seat].send(bytes((JOIN,)), BINARY))
        elif data[0] == STATE:
            self.ready.set()


async def colyseus_matches(port: int, number: int) -> list[Match]:
    """Open rooms with both clients joined."""
    matches: list[Match] = []
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", raise_for_status=True) as session:
        for _ in range(number):
            match = ColyseusMatch()
            await match.open(port, session)
            matches.append(match)
    return matches


async def _seat(session: aiohttp.ClientSession, method: str) -> dict[str, Any]:
    async with session.post(f"/matchmake/{method}", json={}) as response:
        reservation: dict[str, Any] = await response.json()
        return reservation
