"""The cases of the Autobahn test suite (RFC 6455, RFC 7692), as kosoku drives them.

They send messages and expect them back, so an echo takes the place of the session. The rest is the service's own: the
server, the handshake, reading, writing, pings and closing.
"""

import asyncio
import json
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from aiohttp import WSMessage, WSMsgType, web

from service.store.game_store import RedisStore
from service.web import streaming, websocket
from service.web.limits import Limits
from service.web.rate_limiter import open_stream
from service.web.websocket_connection import WebSocketConnection, accept_connection
from tests.tools import SCRIPTS
from tests.web.app_server import serve
from verification.fuzz.frames import BINARY, DEFLATED, FINAL, TEXT, deflate, encode_frame

MIB = 1024 * 1024

LIMITS = Limits(
    rate_limits=False, max_message_bytes=16 * MIB, max_unsent_bytes=64 * MIB, max_unsent_bytes_total=256 * MIB
)
"""Some messages of 9.x have 16 MiB."""

CASES = {"1": 16, "2": 11, "3": 7, "4": 10, "5": 20, "6": 145, "7": 37, "9": 54, "10": 1}
"""The number of cases by section."""

DEFLATE_SECTIONS = (*(f"12.{data}" for data in range(1, 6)), *(f"13.{offer}" for offer in range(1, 8)))
"""Each has 18 cases of 1,000 messages, in order of their size."""

SMALL = (1, 5)
"""Those of 16 bytes and of 4 KiB."""

LARGEST = (9, 14)
"""Those of 64 KiB, whole and in fragments. The service rejects larger ones unless an operator raises the limit."""

NON_STRICT = {"6.4.1", "6.4.2", "6.4.3", "6.4.4"}
"""aiohttp looks at the UTF-8 of a whole message, and not at each fragment as soon as it arrives."""

OPCODES = {WSMsgType.TEXT: TEXT, WSMsgType.BINARY: BINARY}


async def echo(request: web.Request) -> web.StreamResponse:
    """Send each message back, compressed if that was negotiated."""
    async with open_stream(request):
        connection = await accept_connection(request)
        try:
            await connection.run(partial(send_back, connection))
        finally:
            connection.release()
    return connection.socket


async def send_back(connection: WebSocketConnection, message: WSMessage) -> None:
    """Send a message back; pings and pongs are no messages."""
    if (opcode := OPCODES.get(message.type)) is None:
        return
    payload, window_bits = message.data if opcode == BINARY else message.data.encode(), int(connection.socket.compress)
    if opcode == TEXT and connection._encoding == streaming.DEFLATED:
        connection._write(streaming.deflated_frame(payload))
    elif window_bits:
        connection._write(encode_frame(opcode, deflate(payload, window_bits), flags=FINAL | DEFLATED, mask=None))
    else:
        connection._write(streaming.text_frame(payload, FINAL | opcode))


@pytest.fixture
async def url(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """Yield the URL of the echo in an instance of the service."""
    monkeypatch.setattr(websocket, "serve_websocket", echo)
    async with serve(store, LIMITS) as client:
        yield f"ws://{client.host}:{client.port}/v1/ws"


async def run_cases(url: str, cases: list[str], reports: Path) -> dict[str, tuple[str, str]]:
    """Run cases; return the verdicts on the behavior and on the close of each."""
    included = [word for case in cases for word in ("-i", case)]
    process = await asyncio.create_subprocess_exec(
        SCRIPTS / "kosoku", url, *included, "-p", "4", "-o", reports, stdout=PIPE, stderr=STDOUT
    )
    output, _ = await process.communicate()
    assert (reports / "index.json").exists(), output.decode()
    (results,) = json.loads((reports / "index.json").read_text()).values()
    return {case: (result["behavior"], result["behaviorClose"]) for case, result in results.items()}


def find_failures(verdicts: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return the cases that do not hold."""
    return {
        case: verdict
        for case, verdict in verdicts.items()
        if not {*verdict} <= {"OK", "INFORMATIONAL"} and not (case in NON_STRICT and verdict == ("NON-STRICT", "OK"))
    }


@pytest.mark.parametrize("section", CASES)
async def test_the_cases_of_the_protocol_hold(url: str, section: str, tmp_path: Path) -> None:
    verdicts = await run_cases(url, [f"{section}.*"], tmp_path)
    assert find_failures(verdicts) == {}
    assert len(verdicts) == CASES[section]


@pytest.mark.parametrize("section", DEFLATE_SECTIONS)
async def test_the_cases_of_compression_hold(url: str, section: str, tmp_path: Path) -> None:
    verdicts = await run_cases(url, [f"{section}.{number}" for number in SMALL], tmp_path)
    assert find_failures(verdicts) == {}
    assert len(verdicts) == len(SMALL)


@pytest.mark.usefixtures("slow_gate")
@pytest.mark.timeout(240)
async def test_the_cases_of_the_largest_compressed_messages_hold(url: str, tmp_path: Path) -> None:
    """With the default offer, and with one that forbids to use earlier messages; their data are alike to the reader."""
    cases = [f"{section}.{number}" for section in ("12.1", "13.3") for number in LARGEST]
    verdicts = await run_cases(url, cases, tmp_path)
    assert find_failures(verdicts) == {}
    assert len(verdicts) == len(cases)
