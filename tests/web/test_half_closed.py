"""A client that closes its sending half after its requests: what arrived is answered, then the connection closes."""

import json
import re

import pytest
from yarl import URL

from service.web.connection_limiter import CONNECTION_LIMITER
from tests.polling import wait_until
from tests.web.app_server import Client, wait_until_no_streams
from tests.web.http_game import JSON, TWO_PLAYERS, create_game
from tests.web.raw_http import UPGRADE, make_head, open_connection, read_to_end
from verification.fuzz.frames import TEXT, encode_frame

BODY = json.dumps({"players": TWO_PLAYERS}).encode()


def create(body: bytes = BODY) -> bytes:
    head = make_head("/v1/games", f"Content-Type: {JSON}", f"Content-Length: {len(BODY)}", method="POST")
    return head + body


def create_in_chunks(*, end: bytes) -> bytes:
    head = make_head("/v1/games", f"Content-Type: {JSON}", "Transfer-Encoding: chunked", method="POST")
    return head + b"%x\r\n%b\r\n%b" % (len(BODY), BODY, end)


GET, LAST = make_head("/v1/bots"), make_head("/v1/bots", "Connection: close")


async def send_and_close(server: Client | URL, *parts: bytes) -> list[int]:
    """Send a request in parts, close the sending half, and return the statuses of the responses."""
    async with open_connection(server) as (reader, writer):
        received = b""
        for number, part in enumerate(parts):
            if number:
                received += await reader.readuntil(b"\r\n\r\n")
            writer.write(part)
        writer.write_eof()
        received += await read_to_end(reader)
    return [int(status) for status in re.findall(rb"HTTP/1\.\d (\d+)", received)]


@pytest.mark.parametrize(
    ("parts", "statuses"),
    (
        pytest.param([GET], [200], id="without a body"),
        pytest.param([create()], [201], id="with a body"),
        pytest.param([create_in_chunks(end=b"0\r\n\r\n")], [201], id="with chunks"),
        pytest.param([GET.replace(b"/1.1", b"/1.0")], [200], id="of HTTP/1.0"),
        pytest.param([create() + GET * 2], [201, 200, 200], id="pipelined"),
        pytest.param([GET + GET[:-1]], [200], id="and a part of the next"),
        pytest.param([create()[:-1]], [400], id="with a part of its body"),
        pytest.param([create_in_chunks(end=b"")], [400], id="with a part of its chunks"),
        pytest.param([create()[:-1].replace(b"/v1/games", b"/nowhere")], [404], id="with a part of an unread body"),
        pytest.param([GET[:-1]], [], id="with a part of its head"),
        pytest.param([GET, b"NONSENSE\r\n\r\n" + GET], [200, 400], id="before what is malformed"),
        pytest.param([GET * 2 + b"NONSENSE\r\n\r\n"], [400], id="in one packet with what is malformed"),
        pytest.param([LAST + GET], [400], id="in one packet with more after the last"),
        pytest.param([LAST, GET], [200], id="with more after the last"),
        pytest.param([], [], id="none"),
    ),
)
async def test_requests_are_answered(client: Client, parts: list[bytes], statuses: list[int]) -> None:
    assert await send_and_close(client, *parts) == statuses
    await wait_until(lambda: not client.app[CONNECTION_LIMITER].connections)


async def test_a_stream_ends_when_its_client_closes_its_sending_half(client: Client) -> None:
    """Nothing else tells that a client is gone; if it closes before the stream has begun, it is told why."""
    game = await create_game(client)
    stream = make_head(f"{game.path}/diffs", "Accept: text/event-stream")
    for request in (stream, make_head("/v1/ws", *UPGRADE)):
        async with open_connection(client) as (reader, writer):
            writer.write(request)
            await reader.readuntil(b"\r\n\r\n")
            writer.write_eof()
            await read_to_end(reader)
        # From Python 3.12 on a handler may start before the end is read, and then ends with it.
        assert await send_and_close(client, request) in ([400], [101])
        assert await send_and_close(client, GET + request + GET) in ([200, 400, 200], [200, 101])
        await wait_until_no_streams(client)


async def test_the_service_as_a_program_answers_too(service_url: str) -> None:
    """It runs on uvloop."""
    assert await send_and_close(URL(service_url), create() + GET) == [201, 200]
    assert await send_and_close(URL(service_url), create()[:-1]) == [400]


async def test_a_socket_answers_the_messages_that_arrived(client: Client) -> None:
    game = await create_game(client)
    move = (await game.legal_moves())[0]["id"]
    act = json.dumps({"type": "act", "id": "c1", "game": game.id, "move": move}).encode()
    async with open_connection(client) as (reader, writer):
        writer.write(make_head(f"/v1/games/{game.id}/ws", *UPGRADE, f"Authorization: Bearer {game.owner_token}"))
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"Server: south-seas\r\n" in head
        writer.write(encode_frame(TEXT, act, mask=bytes(4)))
        writer.write_eof()
        received = await read_to_end(reader)
    assert b'"type":"diff"' in received
    assert b'"type":"ack","id":"c1"' in received
