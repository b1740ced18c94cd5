"""`python -m benchmarks.attacker ATTACK PORT GAME ADDRESS SECONDS`: one address that sends what is expensive.

It sends as fast as it can, reconnects when it is closed, and prints how often each status was returned, as JSON.
`benchmarks.fairness` runs it beside another client.
"""

import asyncio
import os
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, count, zip_longest
from typing import NamedTuple

import msgspec

from benchmarks.load_client import NO_MASK, TEXT, HTTPConnection, WebSocketConnection, post_request
from benchmarks.request_corpus import CreatedGame, create, posts
from benchmarks.sample_games import lagoon, sample_game

NICENESS = 10
"""The other client, whose latency is measured, shares a core with this process, and comes first."""
REJECTED_S = 0.1
READ_BYTES = 262_144
LINE_BYTES = 8_000
TARGET_BYTES = 8_000
BODY_BYTES = 64_000
VERSIONS = 100
"""Versions of the game, each of which has a picture."""
SHORT_LENGTH = 126
"""A frame with up to 125 bytes has its length in one byte (RFC 6455, 5.2)."""

BURST = 64
"""Requests that each connection sends at once: together some 1.5 s of the event loop's time."""

_EXPERT_GAMES = iter(range(40))
"""Those that are still to be created, by any connection."""

_STATUS = re.compile(rb"HTTP/1\.\d (\d{3}) ")
_PROBLEM = re.compile(rb'"status":(\d{3})|"(pong)"')
_UPGRADE = (
    b"GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    b"Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n\r\n"
)


class Attack(NamedTuple):
    """What each connection sends at once, and how many responses it then waits for."""

    connections: int
    batches: Callable[[str], Iterator[bytes]]
    """Yields what to send, for the path of a game."""
    responses: int = 1
    is_socket: bool = False
    pause_s: float = 0.0
    """Between two batches."""
    own_games: int = 0
    """Games that the address creates; all its connections, which are sockets, watch them while one more plays them."""


def _request(path: str, *lines: str, method: str = "GET") -> bytes:
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: localhost", *lines, "", "")).encode()


def _lists(_game: str) -> Iterator[bytes]:
    line = "If-None-Match: " + ",".join(['""'] * (LINE_BYTES // 3))
    while True:
        yield _request("/docs", *[line] * 7, method="HEAD")


def _targets(_game: str) -> Iterator[bytes]:
    while True:
        yield _request("/" * TARGET_BYTES)


def _heads(_game: str) -> Iterator[bytes]:
    while True:
        yield _request("/v1/bots", *["a: b"] * 6_000)


def _options(game: str) -> Iterator[bytes]:
    while True:
        yield _request(game, method="OPTIONS") * 32


def _pictures(game: str) -> Iterator[bytes]:
    for version in count():
        yield _request(f"{game}/board.png?width=4096&v={VERSIONS - version % VERSIONS}")


def _many_cells(game: str) -> Iterator[bytes]:
    query = "width=799&side=1&candidates=1&coordinates=1&region=-45,-45,45,45"
    for version in count():
        yield _request(f"{game}/board.png?{query}&v={VERSIONS - version % VERSIONS}")


def _creations(_game: str) -> Iterator[bytes]:
    body = msgspec.json.encode({"players": [{"name": "a"}] * (BODY_BYTES // 13)})
    while True:
        yield post_request("/v1/games", body)


def _clocks(_game: str) -> Iterator[bytes]:
    body = b'{"players": [{"name": "a"}, {"name": "b"}], "turn_timeout_s": 1}'
    while True:
        yield post_request("/v1/games", body)


def _experts(_game: str) -> Iterator[bytes]:
    body = b'{"players": [{"bot": "expert"}, {"bot": "expert"}, {"bot": "expert"}, {"bot": "expert"}]}'
    for _ in _EXPERT_GAMES:
        yield post_request("/v1/games", body)


def _logs(game: str) -> Iterator[bytes]:
    while True:
        yield _request(f"{game}/diffs?since=0") * BURST


def _pings(_game: str) -> Iterator[bytes]:
    text = b'{"type":"ping"}'
    while True:
        yield (bytes((0x80 | TEXT, 0x80 | len(text))) + NO_MASK + text) * 32


def _messages(_game: str) -> Iterator[bytes]:
    compress = zlib.compressobj(wbits=-15)
    text = b'{"type":"act","game":"a","move":"' + b"a" * BODY_BYTES + b'"}'
    payload = (compress.compress(text) + compress.flush(zlib.Z_SYNC_FLUSH)).removesuffix(b"\x00\x00\xff\xff")
    length = bytes((0x80 | len(payload),)) if len(payload) < SHORT_LENGTH else b"\xfe" + len(payload).to_bytes(2)
    while True:
        yield (bytes((0xC0 | TEXT,)) + length + NO_MASK + payload) * 8


ATTACKS = {
    "lists in headers": Attack(8, _lists),
    "long targets": Attack(8, _targets),
    "pipelined OPTIONS": Attack(300, _options, 32),
    "malformed heads": Attack(8, _heads),
    "large pictures": Attack(8, _pictures),
    "small pictures of many cells": Attack(8, _many_cells),
    "malformed messages": Attack(8, _messages, 8, is_socket=True),
    "socket floods": Attack(100, _pings, 32, is_socket=True),
    "rejected creations": Attack(8, _creations),
    "clocks of games that nobody plays": Attack(8, _clocks),
    "experts of games that nobody plays": Attack(8, _experts),
    "delivery to its own sockets": Attack(480, _pings, own_games=8),
    "bursts": Attack(8, _logs, BURST, pause_s=3.0),
}


async def _attack(attack: Attack, port: int, game: str, address: str, seconds: float) -> Counter[str]:
    """Send on all connections until the time is up, and before that print that it begins."""
    statuses: Counter[str] = Counter()
    played = [sample_game(lagoon().index, f"{address}-{number}") for number in range(attack.own_games)]
    own_games = await create(port, [one.seed for one in played], address)
    rounds = zip_longest(*(posts(one, sample.moves) for one, sample in zip(own_games, played, strict=True)))
    sockets = [await _watch(port, address, own_games, statuses) for _ in range(attack.connections if own_games else 0)]
    print(flush=True)

    async def send_on_connections() -> None:
        while True:
            statuses["connections"] += 1
            with suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
                try:
                    await _send(attack, game, reader, writer, statuses)
                finally:
                    writer.transport.abort()
            await asyncio.sleep(attack.pause_s)

    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for _ in range(attack.connections - len(sockets)):
                group.create_task(send_on_connections())
            group.create_task(_play(rounds, port, address, statuses))
    return statuses


async def _watch(port: int, address: str, games: Iterable[CreatedGame], statuses: Counter[str]) -> WebSocketConnection:
    """Open a socket that watches games, as soon as no limit rejects it."""

    def count(_message: bytes) -> None:
        statuses["messages"] += 1

    while True:
        with suppress(OSError):
            socket = await WebSocketConnection.open(port, "/v1/ws", count, address=address)
            for game in games:
                socket.send(msgspec.json.encode({"type": "subscribe", "game": game.id}))
            return socket
        statuses["sockets rejected"] += 1
        await asyncio.sleep(REJECTED_S)


async def _play(rounds: Iterable[Sequence[bytes | None]], port: int, address: str, statuses: Counter[str]) -> None:
    """Play games, one action of each in turn, each again until it is not rejected by a limit."""
    connection = await HTTPConnection.open(port, address)
    try:
        for post in filter(None, chain.from_iterable(rounds)):
            status = ""
            while status not in {"200", "412"}:
                response = await connection.request(post)
                status = response[9:12].decode()
                statuses[f"{status} to actions"] += 1
                if status != "200":
                    await asyncio.sleep(REJECTED_S)
    finally:
        connection.transport.abort()


async def _send(
    attack: Attack, game: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, statuses: Counter[str]
) -> None:
    """Send batch after batch, then read, until the server closes the connection."""
    if attack.is_socket:
        writer.write(_UPGRADE)
        await reader.readuntil(b"\r\n\r\n")
    for batch in attack.batches(game):
        writer.write(batch)
        waiting, rest = attack.responses, b""
        while waiting > 0:
            data = await reader.read(READ_BYTES)
            if not data:
                return
            found = (_PROBLEM if attack.is_socket else _STATUS).findall(rest + data)
            rest = b"" if found else (rest + data)[-16:]
            statuses.update((status if isinstance(status, bytes) else b"".join(status)).decode() for status in found)
            waiting -= len(found)
        await asyncio.sleep(attack.pause_s)
    while await reader.read(READ_BYTES):
        pass


def main() -> None:
    """Attack as the arguments say, and print the statuses."""
    name, port, game, address, seconds = sys.argv[1:]
    os.nice(NICENESS)
    statuses = asyncio.run(_attack(ATTACKS[name], int(port), game, address, float(seconds)))
    print(msgspec.json.encode(statuses).decode(), flush=True)


if __name__ == "__main__":
    main()
