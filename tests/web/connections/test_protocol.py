"""A connection's counts and timeouts, step by step, on a transport that only records what it is told."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Literal
from unittest.mock import Mock

import pytest
from aiohttp import web

from service.games.errors import Malformed
from service.web import connection as connection_module
from service.web.accounts import Accounts
from service.web.client_ip import UNKNOWN, parse_networks
from service.web.connection import MAX_FRAMING_BYTES, MAX_STREAM_HEAD_BYTES, ClientConnection
from service.web.connection_limiter import ConnectionLimiter
from service.web.event_stream import start_event_stream
from service.web.limits import Limits
from service.web.rate_limiter import check_stream
from service.web.streams import is_slow_consumer
from tests.polling import TIMEOUT_S, run_ready_tasks, wait_until

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
        self.reads_bodies = True
        self.server = web.Server(self._handle, request_factory=self._build_request)
        self.opened: list[ClientConnection] = []

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        await self.may_answer.wait()
        if self.reads_bodies:
            await request.read()
        return web.Response()

    def _build_request(self, message: Any, body: Any, connection: Any, writer: Any, task: Any) -> web.BaseRequest:
        request = web.BaseRequest(message, body, connection, writer, task, asyncio.get_running_loop())
        connection.begin_request(request)
        return request

    def open(self, address: str = "192.0.2.1") -> tuple[ClientConnection, RecordingTransport]:
        """Open a connection, to which data comes before aiohttp begins to wait for it, as with uvloop."""
        connection = ClientConnection(self.server, limiter=self.limiter, loop=asyncio.get_running_loop())
        transport = RecordingTransport(address)
        connection.connection_made(transport)
        if not transport.is_closing():
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


async def test_a_connection_beyond_a_limit_gets_nothing_but_its_refusal(connections: Connections) -> None:
    connections.limiter = ConnectionLimiter(Accounts(Limits(max_connections=0)))
    connection, transport = connections.open()
    assert transport.written.startswith(b"HTTP/1.1 503 ")
    assert (transport.calls[-1], connection.transport) == ("close", None)


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
        pytest.param("10.0.0.1", "stream", [(100, 5), (160.1, 5)], ["abort"], id="a blocked stream"),
    ),
)
async def test_timeouts(
    connections: Connections,
    address: str,
    kind: Literal["response", "socket", "stream"],
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


PARTS = (
    pytest.param([b"\r\n" + GET], 1, id="a head after an empty line"),
    pytest.param([GET + GET[:5]], 1, id="a head and a part of one"),
    pytest.param([GET, GET[:5], GET[5:]], 2, id="a head, and later one in parts"),
    pytest.param([GET * 100], 100, id="heads, more than aiohttp queues"),
    pytest.param([POST + b"12345"], 1, id="a body"),
    pytest.param([POST + b"12", b"34", b"5"], 1, id="a body in parts"),
    pytest.param([CHUNKED], 1, id="chunks"),
    pytest.param([CHUNKED * 40 + GET[:5]], 40, id="chunks, more than aiohttp queues, and a part of a head"),
)
"""What a client sends, in how many responses it ends."""


async def count_answers(connections: Connections, opened: Opened, parts: list[bytes], answers: int) -> None:
    """Send the parts, and wait until they are answered, and the connection is idle."""
    connection, transport = opened
    for part in parts:
        connection.data_received(part)
        await run_ready_tasks()
    connections.may_answer.set()
    await wait_until(lambda: transport.written.count(b"HTTP/1.1 200") == answers and connection.request is None)
    await run_ready_tasks()
    assert transport.written.count(b"HTTP/1.1 ") == answers
    assert not transport.is_closing()
    assert [call for call in transport.calls if call in ("pause", "resume")][-1:] != ["pause"]


@pytest.mark.parametrize(("parts", "answers"), PARTS)
async def test_each_gets_its_answer(connections: Connections, opened: Opened, parts: list[bytes], answers: int) -> None:
    """Then the connection is read on, until it is idle for too long."""
    await count_answers(connections, opened, parts, answers)
    connection, transport = opened
    now = asyncio.get_running_loop().time()
    connection.check_timeouts(now)
    connection.check_timeouts(now + 19)
    assert not transport.is_closing()
    connection.check_timeouts(now + 75.1)
    assert transport.is_closing()


@pytest.mark.parametrize("proxy", ("10.0.0.1", "192.0.2.1"))
@pytest.mark.parametrize(
    ("parts", "answers"),
    (
        pytest.param([GET[:10], GET[10:20]], 0, id="the first"),
        pytest.param([b"\r\n\r\n", b"\r"], 0, id="empty lines"),
        pytest.param([GET + GET[:5], GET[5:10]], 1, id="after a request"),
        pytest.param([POST + b"12345" + GET[:5], GET[5:6]], 1, id="after a body"),
    ),
)
async def test_a_part_of_a_head_must_be_completed_in_time(
    connections: Connections, parts: list[bytes], answers: int, proxy: str
) -> None:
    """From when it is more; without one the connection is idle, which a proxy's may be for ever."""
    connection, transport = opened = connections.open(proxy)
    await count_answers(connections, opened, parts[:-1], answers)
    connection.check_timeouts(asyncio.get_running_loop().time() + 1_000 * (proxy == "10.0.0.1" and answers))
    begun_at = connection.head_started_at
    connection.data_received(parts[-1])
    now = asyncio.get_running_loop().time()
    assert connection.head_started_at == begun_at or not begun_at
    connection.check_timeouts(now + 19)
    assert not transport.is_closing()
    connection.check_timeouts(now + 20.1)
    assert transport.is_closing()


async def test_a_connection_that_is_served_is_not_idle(connections: Connections, opened: Opened) -> None:
    connection, transport = opened
    connection.check_timeouts(100)
    connection.data_received(GET * 2)
    await wait_until(lambda: connection.request is not None)
    assert (connection.received_bytes, connection.head_started_at) == (2 * len(GET), 0.0)
    connection.check_timeouts(9_999)
    await count_answers(connections, opened, [], 2)
    assert connection.is_pipelined
    connection.check_timeouts(20_000)
    connection.check_timeouts(20_075)
    await count_answers(connections, opened, [GET], 3)
    assert (connection.is_pipelined, connection.received_bytes) == (False, 0)
    connection.check_timeouts(20_076)
    connection.check_timeouts(20_151)
    assert not transport.is_closing()
    connection.check_timeouts(20_151.1)
    assert transport.is_closing()


@pytest.mark.parametrize(
    ("kind", "size", "calls"),
    (
        ("response", 1, ["pause"]),
        ("stream", MAX_STREAM_HEAD_BYTES - len(GET), []),
        ("stream", MAX_STREAM_HEAD_BYTES - len(GET) + 1, ["abort"]),
    ),
)
async def test_what_a_client_sends_ahead_is_limited(
    connections: Connections, opened: Opened, kind: Literal["response", "stream"], size: int, calls: list[str]
) -> None:
    connection, transport = opened
    connection.data_received(GET)
    await wait_until(lambda: connection.request is not None)
    connection.kind = kind
    connection.data_received(b"\r" * size)
    assert transport.calls == calls
    if calls == ["pause"]:
        connections.may_answer.set()
        await wait_until(lambda: transport.calls == ["pause", "resume"])
        assert connection.received_bytes == 0


async def test_the_body_of_a_request_that_was_sent_ahead_is_read(connections: Connections, opened: Opened) -> None:
    connection, transport = opened
    connection.data_received(GET)
    await wait_until(lambda: connection.request is not None)
    connection.data_received(POST)
    connections.may_answer.set()
    await wait_until(lambda: transport.calls == ["pause", "resume"])
    await count_answers(connections, opened, [b"12345"], 2)


@pytest.mark.parametrize(
    ("rest", "error"),
    (
        (b"5\r\n12345\r\n", None),
        (b"5;" + b"x" * MAX_FRAMING_BYTES + b"\r\n1", None),
        (b"5;" + b"x" * (MAX_FRAMING_BYTES + 1_000) + b"\r\n1", "too much data beside the body"),
        (b"zz\r\n", "the body is not encoded correctly"),
        (None, "the body ended early"),
    ),
)
@pytest.mark.parametrize("is_begun", (True, False))
async def test_an_endless_body_is_told(opened: Opened, rest: bytes | None, error: str | None, is_begun: bool) -> None:
    connection, _ = opened
    connection.data_received(CHUNKED_HEAD)
    if is_begun or (rest and rest[:1] == b"5"):
        await wait_until(lambda: connection.request is not None)
    if rest is None:
        assert connection.eof_received()
    else:
        connection.data_received(rest)
    await wait_until(lambda: connection.request is not None)
    assert connection.request is not None
    body_error = connection.request.content.exception()
    assert (str(body_error) if body_error else None) == error


async def test_after_the_last_response_the_rest_is_discarded_until_the_client_closes(
    connections: Connections, opened: Opened
) -> None:
    """Else TCP could reset the connection before the response is read."""
    connection, transport = opened
    connection.data_received(GET[:-2] + b"Connection: close\r\n\r\n")
    connections.may_answer.set()
    await wait_until(lambda: connection.is_discarding)
    connection.data_received(GET)
    assert transport.calls[-2:] == ["eof", "resume"]
    assert not connection.eof_received()
    await wait_until(transport.is_closing)
    assert transport.written.count(b"HTTP/1.1 200") == 1


async def test_a_stop_waits_for_a_body_until_its_connection_is_lost(connections: Connections, opened: Opened) -> None:
    connection, transport = opened
    connection.data_received(POST)
    await wait_until(lambda: connection.request is not None)
    connection.close()
    stopping = asyncio.create_task(connection.shutdown())
    connection.data_received(b"12345")
    connections.may_answer.set()
    await wait_until(transport.is_closing)
    assert b" 200 " in transport.written
    connection.connection_lost(None)
    await wait_until(stopping.done)


async def test_nothing_is_awaited_of_a_connection_that_is_dropped(opened: Opened) -> None:
    connection, transport = opened
    connection.drop()
    await connection.discard_rest()
    assert transport.calls == ["abort"]


@pytest.mark.parametrize(("rest", "calls"), ((b"2345", []), (b"", ["close"])))
async def test_the_rest_of_a_body_that_nobody_reads_is_read_after_the_response(
    connections: Connections, opened: Opened, monkeypatch: pytest.MonkeyPatch, rest: bytes, calls: list[str]
) -> None:
    """It is no head of another request; the connection closes if it does not come."""
    monkeypatch.setattr(connection_module, "LINGER_TIMEOUT_S", TIMEOUT_S if rest else 0.1)
    monkeypatch.setattr(connections, "reads_bodies", False)
    connections.may_answer.set()
    connection, transport = opened
    connection.data_received(POST + b"1")
    await wait_until(lambda: b" 200 " in transport.written)
    connection.data_received(rest)
    await wait_until(lambda: connection.request is None)
    assert (connection.head_started_at, [call for call in transport.calls if call != "resume"]) == (0.0, calls)


@pytest.mark.parametrize("turns", range(12))
async def test_a_half_closed_client_gets_all_answers(connections: Connections, opened: Opened, turns: int) -> None:
    """Whatever aiohttp is just doing."""
    connections.may_answer.set()
    connection, transport = opened
    connection.data_received(GET * 5)
    for _ in range(turns):
        await asyncio.sleep(0)
    assert connection.eof_received()
    await wait_until(transport.is_closing)
    assert transport.written.count(b"HTTP/1.1 200") == 5


async def test_a_client_that_reads_nothing_is_dropped_although_its_next_head_is_late(opened: Opened) -> None:
    connection, transport = opened
    connection.data_received(GET[:5])
    transport.unsent = 5
    now = asyncio.get_running_loop().time()
    for after_s in (21, 82):
        connection.check_timeouts(now + after_s)
    assert transport.calls == ["close", "abort"]


async def test_a_stream_lasts_as_long_as_its_handler_or_its_client(opened: Opened) -> None:
    connection, _ = opened
    request: Any = Mock(protocol=connection)
    connection.received_bytes = MAX_STREAM_HEAD_BYTES
    check_stream(request)
    assert connection.kind == "response"
    ended = start_event_stream(request)
    assert (connection.kind, ended.done()) == ("stream", False)
    assert not connection.eof_received()
    assert ended.done()
    for has_ended, received_bytes in ((True, 0), (False, MAX_STREAM_HEAD_BYTES + 1)):
        connection.has_ended, connection.received_bytes = has_ended, received_bytes
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
