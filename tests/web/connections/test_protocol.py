"""A connection's counts and timeouts, step by step, on a transport that only records what it is told."""

import asyncio
import logging
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Literal
from unittest.mock import Mock

import pytest
from aiohttp import web

from service.games.errors import Malformed
from service.web.accounts import Accounts
from service.web.client_ip import UNKNOWN, parse_networks
from service.web.connections.limiter import ConnectionLimiter
from service.web.connections.protocol import MAX_PENDING_BYTES, MAX_STREAM_HEAD_BYTES, ClientConnection
from service.web.connections.request_reader import MAX_FRAMING_BYTES, MAX_HEAD_BYTES
from service.web.limits import Limits
from service.web.rate_limiter import check_stream
from service.web.streaming import is_slow_consumer, start_event_stream
from tests.polling import run_ready_tasks, wait_until

LIMITS = Limits(
    max_body_bytes=1_000,
    request_timeout_s=20.0,
    response_timeout_s=60.0,
    keep_alive_timeout_s=75.0,
    trusted_proxies=parse_networks("10.0.0.0/8"),
)

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"
CHUNKED_HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKED = CHUNKED_HEAD + b"5\r\n12345\r\n0\r\n\r\n"


class RecordingTransport(asyncio.Transport):
    """A transport that records the calls that change it."""

    def __init__(self, address: str = "192.0.2.1") -> None:
        super().__init__({"peername": (address, 4711)})
        self.unsent = 0
        self.calls: list[str] = []
        self.written = b""
        for name, call in (
            *(("abort",) * 2, ("close",) * 2, ("write_eof", "eof")),
            *(("pause_reading", "pause"), ("resume_reading", "resume")),
        ):
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
        self.limiter = ConnectionLimiter(Accounts(LIMITS))
        self.may_answer = asyncio.Event()
        self.server = web.Server(self._handle)
        self.opened: list[ClientConnection] = []

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        await self.may_answer.wait()
        await request.read()
        return web.Response()

    def open(self, address: str = "192.0.2.1") -> tuple[ClientConnection, RecordingTransport]:
        """Open a connection, to which data comes before aiohttp begins to wait for it, as with uvloop."""
        connection = ClientConnection(self.server, limiter=self.limiter, loop=asyncio.get_running_loop())
        transport = RecordingTransport(address)
        connection.connection_made(transport)
        transport.calls.clear()
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
    return connections.open()


async def test_a_connection_is_counted_until_it_is_lost(connections: Connections, opened: Opened) -> None:
    (connection, transport), limiter = opened, connections.limiter
    account = connection.charge.account
    assert (connection.client, account.client, account.connections) == ("192.0.2.1", "192.0.2.1", 1)
    transport.unsent = 70_000
    connection.pause_writing()
    assert (connection.unsent_bytes(), connection.writing_paused, limiter.send_buffers.total) == (70_000, True, 70_000)
    connection.resume_writing()
    assert (connection.writing_paused, limiter.send_buffers.total) == (False, 0)
    connection.pause_writing()
    connection.connection_lost(None)
    assert (limiter.connections, account.connections, limiter.send_buffers.total) == ({}, 0, 0)
    connection.drop()
    assert (connection.unsent_bytes(), connection.transport, transport.calls) == (0, None, ["close"])


async def test_a_proxy_has_no_client_of_its_own(connections: Connections) -> None:
    connection, _ = connections.open("10.1.2.3")
    assert (connection.client, connection.charge.account.client) == (None, UNKNOWN)


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
    connection, transport = connections.open(address)
    connection.kind = kind
    for now, unsent in steps:
        assert transport.calls == []
        transport.unsent = unsent
        connection.check_timeouts(now)
        assert connections.limiter.send_buffers.total == unsent
    assert transport.calls == calls


@pytest.mark.parametrize("proxy", ("10.0.0.1", "192.0.2.1"))
@pytest.mark.parametrize(
    ("parts", "answers", "is_partial"),
    (
        pytest.param([GET[:10], GET[10:20]], 0, True, id="a part of a head"),
        pytest.param([b"\r\n\r\n", b"\r"], 0, False, id="empty lines"),
        pytest.param([b"\r\n" + GET], 1, False, id="a head after an empty line"),
        pytest.param([GET[:-1], GET[-1:]], 1, False, id="a head in parts"),
        pytest.param([GET[:-1], GET[-1:] + GET[:1]], 1, True, id="a head in parts and a part of one"),
        pytest.param([GET + GET[:5]], 1, True, id="a head and a part of one"),
        pytest.param([GET, GET[:5]], 1, True, id="a head, and later a part of one"),
        pytest.param([GET, GET[:5], GET[5:]], 2, False, id="a head, and later one in parts"),
        pytest.param([GET * 100], 100, False, id="heads, more than aiohttp queues"),
        pytest.param([GET * 3 + GET[:16]], 3, True, id="heads and a line"),
        pytest.param([POST + b"12345"], 1, False, id="a body"),
        pytest.param([POST + b"12", b"34", b"5"], 1, False, id="a body in parts"),
        pytest.param([POST + b"1\r\n\r\n"], 1, False, id="a body like the end of a head"),
        pytest.param([POST + b"\r\n\r\n5" + GET[:5]], 1, True, id="such a body and a part of a head"),
        pytest.param([POST + b"12", b"345" + GET * 2], 3, False, id="a body in parts and heads"),
        pytest.param([POST + b"12345", GET[:5]], 1, True, id="a body, and later a part of a head"),
        pytest.param([CHUNKED], 1, False, id="chunks"),
        pytest.param([CHUNKED[:70], CHUNKED[70:]], 1, False, id="chunks in parts"),
        pytest.param([CHUNKED[:-1], b"\n" + GET[:5]], 1, True, id="chunks whose end is divided, and a part of a head"),
        pytest.param([CHUNKED * 40 + GET[:5]], 40, True, id="chunks, more than aiohttp queues, and a part of a head"),
    ),
)
async def test_each_request_is_answered_and_a_part_of_a_head_must_be_completed_in_time(
    connections: Connections, parts: list[bytes], answers: int, is_partial: bool, proxy: str
) -> None:
    """From when the service waits for it; without one the connection is idle, which a proxy's may be for ever."""
    connection, transport = connections.open(proxy)
    for part in parts:
        connection.data_received(part)
        await asyncio.sleep(0)
        assert len(connection._messages) <= 32
    connections.may_answer.set()
    await wait_until(lambda: transport.written.count(b"HTTP/1.1 200") == answers and connection.requests.is_waiting())
    now = asyncio.get_running_loop().time()
    connection.check_timeouts(now)
    connection.check_timeouts(now + 19)
    assert not transport.is_closing()
    connection.check_timeouts(now + 20.1)
    assert transport.is_closing() == is_partial


async def test_a_connection_that_is_served_is_not_idle(connections: Connections, opened: Opened) -> None:
    connection, transport = opened
    connection.check_timeouts(100)
    connection.data_received(GET * 2)
    assert (
        connection.requests.received_bytes,
        connection.requests.head_started_at,
        bytes(connection.requests.pending),
    ) == (len(GET), 0.0, GET)
    connection.check_timeouts(9_999)
    connections.may_answer.set()
    await wait_until(connection.requests.is_waiting)
    connection.check_timeouts(20_000)
    connection.check_timeouts(20_075)
    assert not transport.is_closing()
    connection.check_timeouts(20_075.1)
    assert transport.is_closing()


@pytest.mark.parametrize("more", (0, 1))
@pytest.mark.parametrize("cut", (1_000, 70_000))
async def test_the_bytes_of_a_head_are_limited(connections: Connections, opened: Opened, cut: int, more: int) -> None:
    """In one part or two, and what came before it is answered."""
    connection, _ = opened
    lines = b"".join(b"X-%d: %s\r\n" % (number, b"x" * 1_100) for number in range(58))
    data = GET[:-2] + lines
    data += b"Y: " + b"x" * (MAX_HEAD_BYTES - len(data) - 7 + more) + b"\r\n\r\n"
    connections.may_answer.set()
    connection.data_received(GET)
    await wait_until(connection.requests.is_waiting)
    connection.data_received(data[:cut])
    if data[cut:]:
        connection.data_received(data[cut:])
    (message, _) = connection._messages[0]
    assert ("ErrInfo" in type(message).__name__) == bool(more)


@pytest.mark.parametrize(
    ("kind", "size", "calls"),
    (
        ("response", MAX_PENDING_BYTES, []),
        ("response", MAX_PENDING_BYTES + 1, ["pause"]),
        ("stream", MAX_STREAM_HEAD_BYTES, []),
        ("stream", MAX_STREAM_HEAD_BYTES + 1, ["abort"]),
    ),
)
async def test_what_a_client_sends_ahead_is_limited(
    connections: Connections, opened: Opened, kind: Literal["response", "stream"], size: int, calls: list[str]
) -> None:
    connection, transport = opened
    connection.data_received(GET)
    connection.kind = kind
    connection.data_received(bytes(size))
    assert (len(connection.requests.pending), connection.requests.received_bytes, transport.calls) == (
        size,
        len(GET),
        calls,
    )
    if calls == ["pause"]:
        connections.may_answer.set()
        await wait_until(lambda: len(connection.requests.pending) < size)
        assert transport.calls[:2] == ["pause", "resume"]


async def test_a_client_that_is_too_far_ahead_is_not_read_when_its_body_is(opened: Opened) -> None:
    connection, transport = opened
    connection.data_received(POST)
    connection.pause_reading()
    connection.data_received(bytes(5 + MAX_PENDING_BYTES + 1))
    connection.resume_reading(resume_parser=False)
    assert (connection.is_paused, transport.calls[-1]) == (True, "pause")
    connection.data_received(b"")
    assert (len(connection.requests.pending), connection.is_paused) == (MAX_PENDING_BYTES + 1, True)


@pytest.mark.parametrize(
    ("rest", "error"),
    (
        (b"5\r\n12345\r\n", None),
        (b"5\r\n12345\r\nx\r\n", "no chunk"),
        (b"5;" + b"x" * MAX_FRAMING_BYTES + b"\r\n1", None),
        (b"5;" + b"x" * (MAX_FRAMING_BYTES + 1_000) + b"\r\n1", "too much data beside the body"),
        (None, "the body ended early"),
    ),
)
async def test_a_body_that_cannot_end_is_told_so(opened: Opened, rest: bytes | None, error: str | None) -> None:
    """Aiohttp reports an invalid chunk as one more message while a body is read."""
    connection, _ = opened
    connection.data_received(CHUNKED_HEAD)
    body = connection.requests.body
    if rest is None:
        assert connection.eof_received()
    else:
        connection.data_received(rest)
    assert (str(body.exception()) if body.exception() else None) == error


async def test_after_the_last_response_the_rest_is_discarded_until_the_client_closes(
    connections: Connections, opened: Opened
) -> None:
    """Else TCP could reset the connection before the response is read."""
    connection, transport = opened
    connection.data_received(GET[:-2] + b"Connection: close\r\n\r\n" + GET)
    connections.may_answer.set()
    await wait_until(lambda: connection.is_discarding)
    connection.data_received(GET)
    assert (transport.calls[-2:], bytes(connection.requests.pending)) == (["eof", "resume"], b"")
    assert not connection.eof_received()
    await wait_until(transport.is_closing)
    assert transport.written.count(b"HTTP/1.1 200") == 1


async def test_only_unexpected_exceptions_are_logged(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    connection, _ = opened
    with caplog.at_level(logging.ERROR):
        connection.log_exception("a body", exc_info=web.RequestPayloadError("no chunk"))
        connection.log_exception("a mistake", exc_info=ValueError("mistake"))
    assert [record.getMessage() for record in caplog.records] == ["a mistake"]


async def test_a_stream_lasts_as_long_as_its_handler_or_its_client(opened: Opened) -> None:
    connection, _ = opened
    request: Any = Mock(protocol=connection)
    connection.requests.received_bytes = MAX_STREAM_HEAD_BYTES
    check_stream(request)
    assert connection.kind == "response"
    ended = start_event_stream(request)
    assert (connection.kind, ended.done()) == ("stream", False)
    assert not connection.eof_received()
    assert ended.done()
    for has_ended, received_bytes in ((True, 0), (False, MAX_STREAM_HEAD_BYTES + 1)):
        connection.has_ended, connection.requests.received_bytes = has_ended, received_bytes
        with pytest.raises(Malformed):
            check_stream(request)
    await run_ready_tasks()


@pytest.mark.parametrize(("unsent", "is_slow"), ((1_000, False), (1_001, True)))
async def test_a_slow_consumer_has_more_to_read_than_its_limit(
    connections: Connections, opened: Opened, unsent: int, is_slow: bool
) -> None:
    """Less is recorded in the budget of all send buffers."""
    connection, transport = opened
    transport.unsent = unsent
    assert is_slow_consumer(Mock(protocol=connection), 1_000) == is_slow
    assert connections.limiter.send_buffers.total == (0 if is_slow else unsent)
