"""Matches on Colyseus: rooms, made and joined over its matchmaking, played over its binary WebSocket protocol."""

import asyncio
from functools import partial
from typing import Any

import aiohttp
import msgspec

from benchmarks.peers import wire
from benchmarks.peers.matches import Match

ROOM = "tiles"
CELLS = 36
JOIN, DATA, STATE, PATCH = 10, 13, 14, 15
"""The first byte of a message. Source: Protocol of @colyseus/shared-types."""


def message(kind: str, content: Any) -> bytes:
    """What a client sends a room: its kind as a short string of @colyseus/schema, then MessagePack."""
    return bytes((DATA, 0xA0 | len(kind))) + kind.encode() + msgspec.msgpack.encode(content)


class ColyseusMatch(Match):
    """A room with both its clients."""

    def __init__(self) -> None:
        super().__init__()
        self._joined = [asyncio.Event(), asyncio.Event()]

    async def open(self, port: int, session: aiohttp.ClientSession) -> None:
        """Make the room and connect both clients."""
        first = await _seat(session, f"create/{ROOM}")
        for seat in (0, 1):
            given = first if seat == 0 else await _seat(session, f"joinById/{first['roomId']}")
            path = f"/{given['processId']}/{given['roomId']}?sessionId={given['sessionId']}"
            self.sockets.append(await wire.connect(port, path, partial(self._message, seat)))
            async with asyncio.timeout(10):
                await self._joined[seat].wait()

    def send(self) -> int:
        """The client whose turn it is lays a tile."""
        number = self.moves - 1
        seat = number % 2
        self.sockets[seat].send(wire.BINARY, message("place", [number % CELLS, number % 4]))
        return seat

    def _message(self, seat: int, data: bytes) -> None:
        if data[0] == PATCH:
            if self.updated(seat):
                self.go_on()
        elif data[0] == JOIN:
            asyncio.get_running_loop().call_soon(self._acknowledge, seat)
        elif data[0] == STATE:
            self._joined[seat].set()

    def _acknowledge(self, seat: int) -> None:
        self.sockets[seat].send(wire.BINARY, bytes((JOIN,)))


async def colyseus_matches(port: int, number: int) -> list[Match]:
    """As many rooms, both clients joined."""
    matches: list[Match] = []
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
        for _ in range(number):
            made = ColyseusMatch()
            await made.open(port, session)
            matches.append(made)
    return matches


async def _seat(session: aiohttp.ClientSession, method: str) -> dict[str, Any]:
    async with session.post(f"/matchmake/{method}", json={}) as response:
        response.raise_for_status()
        given: dict[str, Any] = await response.json()
        return given
