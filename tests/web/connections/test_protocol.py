"""A connection's counts and timeouts, step by step, on a transport that only records what it is told."""

import asyncio
import logging
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Literal
from unittest.mock import Mock

import pytest
from aiohttp import HttpVersion11, web

from service.games.errors import Malformed
from service.web.connections.client_ip import UNKNOWN, parse_networks
from service.web.connections.frames import FrameReader
from service.web.connections.limiter import ConnectionLimiter
from service.web.connections.protocol import (
    MAX_DISCARDED_BYTES,
    ClientConnection,
    is_slow_consumer,
    reading_body,
    start_socket,
    streaming_response,
)
from service.web.limits import Limits
from tests.polling import wait_until

LIMITS = Limits(
    max_body_bytes=1_000,
    max_message_bytes=1_000,
    request_timeout_s=20.0,
    response_timeout_s=60.0,
    keep_alive_timeout_s=75.0,
    trusted_proxies=parse_networks("10.0.0.0/8"),
)

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class RecordingTransport(asyncio.Transport):
    """A transport that records the calls that change it."""

    def __init__(self, address: str = "192.0.2.1") -> None:
        super().__init__({"peername": (address, 4711)})
        self.unsent = 0
        self.calls: list[str] = []
        self.written = b""
        for name, call in (("abort",) * 2, ("close",) * 2, ("pause_reading", "pause"), ("resume_reading", "resume")):
            setattr(self, name, partial(self.calls.append, call))

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def is_closing(self) -> bool:
        return not {"close", "abort"}.isdisjoint(self.calls)


class Connections:
    """Makes connections of one limiter, whose handler waits."""

    def __init__(self) -> None:
        self.limiter = ConnectionLimiter(LIMITS)
        self.may_answer = asyncio.Event()
        self.server = web.Server(self._handle)
        self.opened: list[ClientConnection] = []

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        await self.may_answer.wait()
        await request.read()
        return web.Response()

    async def open(self, address: str = "192.0.2.1") -> tuple[ClientConnection, RecordingTransport]:
        """Open a connection, which waits for its first request."""
        connection, transport = self.make(address)
        await asyncio.sleep(0)
        transport.calls.clear()
        return connection, transport

    def make(self, address: str = "192.0.2.1") -> tuple[ClientConnection, RecordingTransport]:
        """Make a connection."""
        connection = ClientConnection(self.server, limiter=self.limiter, loop=asyncio.get_running_loop())
        transport = RecordingTransport(address)
        connection.connection_made(transport)
        self.opened.append(connection)
        return connection, transport


@pytest.fixture
async def connections() -> AsyncIterator[Connections]:
    made = Connections()
    yield made
    made.may_answer.set()
    await made.server.shutdown(0.01)
    for connection in made.opened:
        connection.connection_lost(None)


Opened = tuple[ClientConnection, RecordingTransport]


@pytest.fixture
async def opened(connections: Connections) -> Opened:
    """Return a connection and its transport."""
    return await connections.open()


async def test_a_connection_is_counted_until_it_is_lost(connections: Connections) -> None:
    connection, transport = await connections.open()
    assert (connection.client, connection.address) == ("192.0.2.1", "192.0.2.1")
    limiter = connections.limiter
    assert limiter.connections_per_address == {"192.0.2.1": 1}
    transport.unsent = 70_000
    connection.pause_writing()
    assert (connection.unsent_bytes(), connection.writing_paused, limiter.send_buffers.total) == (70_000, True, 70_000)
    connection.resume_writing()
    assert (connection.writing_paused, limiter.send_buffers.total) == (False, 0)
    connection.pause_writing()
    connection.connection_lost(None)
    assert (limiter.connections, limiter.connections_per_address, limiter.send_buffers.total) == ({}, {}, 0)
    assert (connection.unsent_bytes(), connection.transport) == (0, None)
    transport.calls.clear()
    connection.drop()
    assert transport.calls == []


async def test_a_proxy_has_no_client_of_its_own(connections: Connections) -> None:
    connection, _ = await connections.open("10.1.2.3")
    assert (connection.client, connection.address) == (None, UNKNOWN)


@pytest.mark.parametrize(
    ("address", "kind", "steps", "calls"),
    (
        pytest.param("192.0.2.1", "response", [(100, 0), (175, 0)], [], id="just not idle too long"),
        pytest.param("192.0.2.1", "response", [(100, 0), (140, 0), (175.1, 0)], ["close"], id="idle"),
        pytest.param("10.0.0.1", "response", [(100, 0), (9999, 0)], [], id="an idle proxy"),
        pytest.param("192.0.2.1", "socket", [(100, 0), (9999, 0)], [], id="a silent socket"),
        pytest.param("10.0.0.1", "response", [(100, 5), (160, 5)], [], id="just not blocked too long"),
        pytest.param("10.0.0.1", "response", [(100, 5), (130, 5), (160.1, 5)], ["abort"], id="blocked"),
        pytest.param("10.0.0.1", "response", [(100, 5), (130, 0), (160.1, 5)], [], id="read meanwhile"),
        pytest.param("10.0.0.1", "socket", [(100, 5), (9999, 5)], [], id="a blocked socket"),
    ),
)
async def test_timeouts(
    connections: Connections,
    address: str,
    kind: Literal["response", "socket"],
    steps: list[tuple[float, int]],
    calls: list[str],
) -> None:
    """Each step is a time, and the bytes that are unsent then."""
    connection, transport = await connections.open(address)
    connection.kind = kind
    for now, unsent in steps:
        assert transport.calls == []
        transport.unsent = unsent
        connection.check_timeouts(now)
        assert connections.limiter.send_buffers.total == unsent
    assert transport.calls == calls


async def test_a_connection_that_is_served_is_not_idle(connections: Connections, opened: Opened) -> None:
    connection, transport = opened
    connection.check_timeouts(100)
    connection.data_received(GET)
    await asyncio.sleep(0)
    connection.data_received(GET)
    assert connection.received_bytes == len(GET)
    connection.check_timeouts(150)
    connections.may_answer.set()
    await wait_until(lambda: connection._waiter is not None)
    connection.check_timeouts(200)
    connection.check_timeouts(275)
    assert not transport.is_closing()
    connection.check_timeouts(275.1)
    assert transport.is_closing()


@pytest.mark.parametrize(("after_s", "is_closed"), ((20.0, False), (20.1, True)))
async def test_a_head_must_be_complete_in_time(opened: Opened, after_s: float, is_closed: bool) -> None:
    connection, transport = opened
    connection.data_received(GET[:10])
    started_at = connection.head_started_at
    assert 0 <= asyncio.get_running_loop().time() - started_at < 10
    connection.data_received(GET[10:20])
    assert (connection.head_started_at, connection.head_bytes) == (started_at, 20)
    connection.check_timeouts(started_at + after_s)
    assert transport.is_closing() == is_closed


async def test_a_complete_head_has_no_timeout(opened: Opened) -> None:
    connection, _ = opened
    connection.idle_since = 1.0
    connection.data_received(GET[:10])
    connection.data_received(GET[10:] + b"GET")
    assert (connection.head_started_at, connection.idle_since, connection.head_bytes) == (0.0, 0.0, 0)
    assert connection.read_ahead_bytes == len(GET) + 3
    connection.start_request("192.0.2.7")
    assert (connection.received_bytes, connection.read_ahead_bytes) == (len(GET) + 3, 0)
    assert connection.address == "192.0.2.7"


async def test_a_head_that_arrives_with_its_connection_must_be_complete_in_time(connections: Connections) -> None:
    """Before aiohttp begins to wait for it, as uvloop delivers it."""
    connection, transport = connections.make()
    connection.data_received(GET[:10])
    assert connection.head_started_at > 0
    await asyncio.sleep(0)
    connection.check_timeouts(connection.head_started_at + 20.1)
    assert transport.is_closing()


async def test_a_request_that_arrives_with_its_connection_is_answered_in_its_own_time(connections: Connections) -> None:
    connection, transport = connections.make()
    connection.data_received(GET)
    assert (connection.head_started_at, connection.received_bytes) == (0.0, 0)
    await asyncio.sleep(0)
    connection.check_timeouts(9999)
    assert not transport.is_closing()


POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n"


@pytest.mark.parametrize("proxy", ("10.0.0.1", "192.0.2.1"))
@pytest.mark.parametrize(
    ("parts", "is_partial"),
    (
        pytest.param([GET], False, id="a head"),
        pytest.param([GET[:-1], GET[-1:]], False, id="a head in parts"),
        pytest.param([GET[:-1], GET[-1:] + GET[:1]], True, id="a head in parts and a part of one"),
        pytest.param([GET + GET[:5]], True, id="a head and a part of one"),
        pytest.param([GET, GET[:5]], True, id="a head, and later a part of one"),
        pytest.param([GET, GET[:5], GET[5:]], False, id="a head, and later one in parts"),
        pytest.param([GET, GET[:-2]], True, id="a head, and later all but the end of one"),
        pytest.param([GET * 3], False, id="heads"),
        pytest.param([GET * 3 + GET[:16]], True, id="heads and a line"),
        pytest.param([POST + b"12345"], False, id="a body"),
        pytest.param([POST, b"12345"], False, id="a body that follows"),
        pytest.param([POST + b"12", b"34", b"5"], False, id="a body in parts"),
        pytest.param([POST + b"1\r\n\r\n"], False, id="a body like the end of a head"),
        pytest.param([POST + b"\r\n\r\n5" + GET[:5]], True, id="such a body and a part of a head"),
        pytest.param([POST + b"12345" + GET[:5]], True, id="a body and a part of a head"),
        pytest.param([POST + b"12", b"345" + GET[:5]], True, id="a body in parts and a part of a head"),
        pytest.param([POST + b"12345", GET[:5]], True, id="a body, and later a part of a head"),
        pytest.param([CHUNKED], False, id="chunks"),
        pytest.param([CHUNKED[:70], CHUNKED[70:]], False, id="chunks in parts"),
        pytest.param([CHUNKED + GET[:5]], True, id="chunks and a part of a head"),
        pytest.param([GET, POST + b"12345"], False, id="a head, and later a body"),
    ),
)
async def test_a_part_of_a_head_that_came_before_the_response_must_be_completed_in_time(
    connections: Connections, parts: list[bytes], is_partial: bool, proxy: str
) -> None:
    """From when the service waits for it; without one the connection is idle, which a proxy's may be for ever."""
    connection, transport = await connections.open(proxy)
    for part in parts:
        connection.data_received(part)
        await asyncio.sleep(0)
    connections.may_answer.set()
    await wait_until(lambda: connection._waiter is not None and not connection._messages)
    connection.check_timeouts(1_000)
    connection.check_timeouts(1_020)
    assert not transport.is_closing()
    connection.check_timeouts(1_020.1)
    assert transport.is_closing() == is_partial


async def test_a_part_of_a_head_that_is_completed_has_no_timeout(connections: Connections) -> None:
    connection, transport = await connections.open()
    connections.may_answer.set()
    connection.data_received(GET + GET[:5])
    await wait_until(lambda: b"200" in transport.written and connection._waiter is not None)
    connection.check_timeouts(1_000)
    connection.data_received(GET[5:])
    await wait_until(lambda: transport.written.count(b"HTTP/1.1 200") == 2 and connection._waiter is not None)
    connection.check_timeouts(1_030)
    assert not transport.is_closing()


@pytest.mark.parametrize("more", (0, 1))
async def test_the_bytes_of_a_head_are_limited(opened: Opened, more: int) -> None:
    connection, transport = opened
    lines = b"".join(b"X-%d: %s\r\n" % (number, b"x" * 1_000) for number in range(64))
    connection.data_received(GET[:-2] + lines)
    connection.data_received(b"Y: " + b"x" * (65_536 - connection.head_bytes - 3 + more))
    assert transport.is_closing() == bool(more)


FRAMING = 65_536


@pytest.mark.parametrize(
    ("kind", "size", "calls"),
    (
        ("response", 1_000 + FRAMING, []),
        ("response", 1_001 + FRAMING, ["pause"]),
        ("stream", 16_384, []),
        ("stream", 16_385, ["abort"]),
    ),
)
async def test_what_a_client_sends_while_it_is_served_is_limited(
    opened: Opened, kind: Literal["response", "socket", "stream"], size: int, calls: list[str]
) -> None:
    """Beside a body that is read, or ahead of its next request or message."""
    connection, transport = opened
    connection.kind = kind
    connection._count_received(size - 1)
    connection._count_received(1)
    assert (connection.received_bytes, transport.calls) == (size, calls)
    assert connection.is_paused == (calls == ["pause"])
    assert not connection.is_stopped


async def test_a_paused_connection_is_resumed_for_its_next_request(opened: Opened) -> None:
    connection, transport = opened
    connection.start_request("192.0.2.1")
    assert transport.calls == []
    connection._count_received(100_000)
    assert transport.calls == ["pause"]
    connection.start_request("192.0.2.1")
    assert transport.calls == ["pause", "resume"]
    assert not connection.is_paused


async def test_too_much_data_beside_a_body_ends_its_connection(opened: Opened) -> None:
    connection, transport = opened
    connection.body = body = Mock()
    connection._count_received(66_536)
    body.set_exception.assert_not_called()
    connection._count_received(1)
    (error,) = body.set_exception.call_args.args
    assert (type(error), str(error)) == (web.RequestPayloadError, "too much data beside the body")
    assert (connection.is_stopped, connection.is_paused, transport.calls) == (True, False, ["pause"])
    connection.data_received(GET)
    assert (connection.head_bytes, connection.read_ahead_bytes, connection.received_bytes) == (0, 0, 66_537)
    connection.resume_reading()
    assert transport.calls == ["pause"]


@pytest.mark.parametrize(("is_eof", "messages", "is_told"), ((False, 1, True), (False, 0, False), (True, 1, False)))
async def test_a_body_is_told_of_an_invalid_chunk(opened: Opened, is_eof: bool, messages: int, is_told: bool) -> None:
    """Aiohttp reports it as one more message while a body is read."""
    connection, _ = opened
    connection.body = body = Mock()
    body.is_eof.return_value = is_eof
    connection._messages.extend([Mock()] * messages)
    connection._count_received(1)
    assert [str(told.args[0]) for told in body.set_exception.call_args_list] == ["no chunk"] * is_told
    connection._messages.clear()


@pytest.mark.parametrize(
    ("is_eof", "length", "received", "is_closed"),
    ((True, None, 0, False), (False, None, 0, True), (False, 65_536 + 10, 10, False), (False, 65_536 + 11, 10, True)),
)
async def test_a_connection_ends_after_its_response_unless_little_of_the_body_is_missing(
    opened: Opened, is_eof: bool, length: int | None, received: int, is_closed: bool
) -> None:
    connection, transport = opened
    request, response = Mock(content_length=length, version=HttpVersion11), Mock()
    request.get.return_value = False
    request.content.is_eof.return_value, request.content.total_bytes = is_eof, received
    connection.finish_request(request, response)
    assert (response.force_close.called, connection.is_stopped) == (is_closed, is_closed)
    assert transport.calls == ["pause"] * is_closed


@pytest.mark.parametrize(("is_discarding", "calls"), ((False, []), (True, ["pause"])))
async def test_what_a_client_sends_after_a_close_is_limited(
    opened: Opened, is_discarding: bool, calls: list[str]
) -> None:
    """Before it, aiohttp bounds the messages that wait."""
    connection, transport = opened
    connection.frames = FrameReader(Mock(), 1, Mock())
    connection.frames.is_discarding = is_discarding
    connection._count_received(MAX_DISCARDED_BYTES)
    assert transport.calls == []
    connection._count_received(1)
    assert transport.calls == calls


async def test_only_unexpected_exceptions_are_logged(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    connection, _ = opened
    connection.log_exception("a body", exc_info=web.RequestPayloadError("no chunk"))
    assert caplog.records == []
    with caplog.at_level(logging.ERROR):
        connection.log_exception("a mistake", exc_info=ValueError("mistake"))
    assert [record.getMessage() for record in caplog.records] == ["a mistake"]


async def test_the_kind_of_a_response_lasts_as_long_as_its_handler(opened: Opened) -> None:
    connection, _ = opened
    request: Any = Mock(protocol=connection)
    with reading_body(request):
        assert connection.body is request.content
    assert connection.body is None
    connection.received_bytes = 16_384
    kinds = []
    with streaming_response(request):
        kinds.append(connection.kind)
        start_socket(request)
        kinds.append(connection.kind)
    assert (kinds, connection.kind) == (["stream", "socket"], "response")
    connection.received_bytes = 16_385
    with pytest.raises(Malformed), streaming_response(request):
        pass
    assert connection.kind == "response"


@pytest.mark.parametrize(("unsent", "is_slow"), ((1_000, False), (1_001, True)))
async def test_a_slow_consumer_has_more_to_read_than_its_limit(
    connections: Connections, opened: Opened, unsent: int, is_slow: bool
) -> None:
    """Less is recorded in the budget of all send buffers."""
    connection, transport = opened
    transport.unsent = unsent
    assert is_slow_consumer(Mock(protocol=connection), 1_000) == is_slow
    assert connections.limiter.send_buffers.total == (0 if is_slow else unsent)
