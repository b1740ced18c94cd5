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
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from typing import NamedTuple

import msgspec

from benchmarks.load_client import NO_MASK, TEXT, post_request

NICENESS = 10
"""The other client, whose latency is measured, shares a core with this process, and comes first."""
READ_BYTES = 262_144
LINE_BYTES = 8_000
TARGET_BYTES = 8_000
BODY_BYTES = 64_000
VERSIONS = 100
"""Versions of the game, each of which has a picture."""
SHORT_LENGTH = 126
"""A frame with up to 125 bytes has its length in one byte (RFC 6455, 5.2)."""

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
}


async def _attack(attack: Attack, port: int, game: str, address: str, seconds: float) -> Counter[str]:
    """Send on all connections until the time is up."""
    statuses: Counter[str] = Counter()

    async def send_on_connections() -> None:
        while True:
            statuses["connections"] += 1
            with suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
                try:
                    await _send(attack, game, reader, writer, statuses)
                finally:
                    writer.transport.abort()
            await asyncio.sleep(0)

    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for _ in range(attack.connections):
                group.create_task(send_on_connections())
    return statuses


async def _send(
    attack: Attack, game: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, statuses: Counter[str]
) -> None:
    """Send batch after batch until the server closes the connection."""
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


def main() -> None:
    """Attack as the arguments say, and print the statuses."""
    name, port, game, address, seconds = sys.argv[1:]
    os.nice(NICENESS)
    print(flush=True)  # it begins now
    statuses = asyncio.run(_attack(ATTACKS[name], int(port), game, address, float(seconds)))
    print(msgspec.json.encode(statuses).decode(), flush=True)


if __name__ == "__main__":
    main()
