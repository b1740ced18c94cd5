"""Listening, stopping without failed requests, and a game's diffs as event streams."""

import asyncio
import errno
import logging
import select
import signal
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import HttpVersion10, web
from redis.asyncio import Redis

from service.games.ports import StoreUnavailable
from service.store import keys
from service.store.game_store import RedisStore
from service.web import streams as module
from service.web.app import DRAINING, HUB, App, HttpRequest
from service.web.limits import Limits
from service.web.server import ShutdownSignal, StartFailed, bind, format_listening_url, run_server
from service.web.streams import StreamRegistry
from service.web.websocket import close_streams
from tests.polling import TIMEOUT_S, wait_until
from tests.server_process import ServerProcess, start_server
from tests.tools import run_program
from tests.web.app_server import Client, instance, serve
from tests.web.http_game import HTTPGame, bearer_header, check_problem, create_game
from tests.web.watcher_client import EVENT_STREAM, GameCopy, open_event_stream

ALL_IPV4 = "0.0.0.0"  # noqa: S104

BOTH = ["127.0.0.1", "::1"]


def listening(host: str) -> tuple[list[str], str]:
    """Listen on a host; return the loopback addresses that reach it, and its URL without the port."""
    with ExitStack() as opened:
        sockets = [opened.enter_context(one) for one in bind(host, 0)]
        (port,) = {one.getsockname()[1] for one in sockets}
        url, _, port_of_url = format_listening_url(sockets, host).rpartition(":")
        assert port_of_url == str(port)
        return [address for address in BOTH if reaches(address, port) and are_reached(sockets)], url


def reaches(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), TIMEOUT_S).close()
    except OSError:
        return False
    return True


def are_reached(sockets: Sequence[socket.socket]) -> bool:
    """Accept a connection; without one, another server has the same port of the other family."""
    readable, _, _ = select.select(sockets, [], [], 0)
    for one in readable:
        one.accept()[0].close()
    return bool(readable)


@pytest.fixture
def no_family(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that takes a family of addresses from the machine, with an error that machines have for it."""
    create = socket.create_server

    def take(families: Sequence[socket.AddressFamily], error: int) -> None:
        def create_server(address: Any, *, family: socket.AddressFamily, backlog: int) -> socket.socket:
            if family in families:
                raise OSError(error, "no such family")
            return create(address, family=family, backlog=backlog)

        monkeypatch.setattr(socket, "create_server", create_server)

    return take


@pytest.mark.parametrize(
    ("host", "addresses", "url"),
    (
        ("localhost", BOTH, "http://127.0.0.1"),
        ("::", BOTH, "http://127.0.0.1"),
        (ALL_IPV4, ["127.0.0.1"], "http://127.0.0.1"),
        ("127.0.0.1", ["127.0.0.1"], "http://127.0.0.1"),
        ("::1", ["::1"], "http://[::1]"),
    ),
)
def test_a_host_stands_for_addresses_and_its_url_can_be_opened(host: str, addresses: list[str], url: str) -> None:
    assert listening(host) == (addresses, url)


@pytest.mark.parametrize("error", (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL))
@pytest.mark.parametrize("host", ("localhost", "::"))
def test_a_machine_may_have_one_family_of_addresses(no_family: Any, host: str, error: int) -> None:
    no_family([socket.AF_INET6], error)
    assert listening(host) == (["127.0.0.1"], "http://127.0.0.1")
    no_family([socket.AF_INET], error)
    assert listening(host) == (["::1"], "http://[::1]")
    no_family([socket.AF_INET, socket.AF_INET6], error)
    with pytest.raises(StartFailed, match=f"cannot listen on {host}:0: no such family"):
        bind(host, 0)


def test_the_name_of_a_host_is_that_of_its_url() -> None:
    with ExitStack() as opened:
        sockets = [opened.enter_context(one) for one in bind("127.0.0.1", 0)]
        port = sockets[0].getsockname()[1]
        assert format_listening_url(sockets, "game.example") == f"http://game.example:{port}"
        with pytest.raises(StartFailed, match=f"cannot listen on localhost:{port}: "):
            bind("localhost", port)


def test_an_empty_host_is_refused() -> None:
    with pytest.raises(StartFailed, match="the host to listen on is empty"):
        bind("", 0)


AT_ONCE = ("--drain-time-s", "0.2", "--close-window-s", "0")


@pytest_asyncio.fixture
async def server(short_path: Path) -> AsyncIterator[ServerProcess]:
    """Start an instance with its embedded server, which stops without a pause."""
    async with start_server(short_path, None, *AT_ONCE) as process:
        yield process


def port_of(url: str) -> int:
    """Return the port of an instance's URL."""
    return int(url.rpartition(":")[2])


BODY = b'{"players": [{"name": "Ann"}, {"name": "Ben"}]}'.ljust(200)
HEAD = b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)
CHUNKS = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
CHUNKED = HEAD.replace(b"Content-Length: %d" % len(BODY), b"Transfer-Encoding: chunked") + CHUNKS


async def test_requests_that_arrive_slowly_are_answered_and_idle_connections_are_closed(server: ServerProcess) -> None:
    """A body, a head and a chunk are arriving when the service is told to stop."""
    slow = ((HEAD + BODY, len(HEAD)), (HEAD + BODY, 10), (CHUNKED, CHUNKED.index(BODY)))
    connections = [await asyncio.open_connection("127.0.0.1", port_of(server.url)) for _ in range(len(slow) + 3)]
    for (request, first), (_, writer) in zip(slow, connections, strict=False):
        writer.write(request[:first])
        await writer.drain()
    for reader, writer in connections[len(slow) :]:
        writer.write(b"HEAD /v1/bots HTTP/1.1\r\nHost: x\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n")  # what came before has been read, too
    server.process.send_signal(signal.SIGTERM)
    for reader, writer in connections[len(slow) :]:
        assert await reader.read() == b""
        writer.close()
    for (request, first), (reader, writer) in zip(slow, connections, strict=False):
        writer.write(request[first:])
        _, _, response = (await reader.read()).partition(b"HTTP/1.1 201 ")
        assert b"\r\nConnection: close\r\n" in response
        writer.close()
    assert await server.process.wait() == 0


async def test_a_response_that_is_read_slowly_is_sent_whole(server: ServerProcess) -> None:
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", port_of(server.url)))
        client.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
        response = await asyncio.to_thread(client.recv, 1)
        server.process.send_signal(signal.SIGTERM)
        await wait_until(lambda: not reaches("127.0.0.1", port_of(server.url)))
        while piece := await asyncio.to_thread(client.recv, 65_536):
            response += piece
    head, _, body = response.partition(b"\r\n\r\n")
    assert b"\r\nContent-Length: %d\r\n" % len(body) in head
    assert await server.process.wait() == 0


STUCK = """
    import asyncio, uvloop
    from service.web.server import ShutdownSignal, handle_signals

    async def spin():
        with handle_signals(ShutdownSignal(), 0.5):
            print("spinning", flush=True)
            while True:
                pass

    uvloop.run(spin())
"""


WITHOUT_MEMORY = """
    import asyncio, uvloop
    from service.web.server import exit_without_memory

    def allocate():
        raise MemoryError

    async def serve():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(exit_without_memory)
        loop.call_soon(allocate)
        await asyncio.sleep(600)

    uvloop.run(serve())
"""


async def test_a_process_without_memory_ends() -> None:
    finished = await run_program(sys.executable, "-c", dedent(WITHOUT_MEMORY))
    assert (finished.returncode, finished.stderr) == (1, "south-seas: out of memory: the process ends at once\n")


async def test_a_process_ends_although_its_event_loop_is_stuck() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", dedent(STUCK), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    process.terminate()
    async with asyncio.timeout(TIMEOUT_S):
        _, errors = await process.communicate()
    assert process.returncode == 1
    assert b"stopping takes too long" in errors


FREED = """
    import os, signal, uvloop
    from service.web.server import ShutdownSignal, handle_signals

    class Freed:
        def __del__(self, write=os.write, left=signal.getitimer, timer=signal.ITIMER_REAL):
            write(1, b"%r" % (left(timer),))

    async def serve():
        stop = ShutdownSignal()
        with handle_signals(stop, 600):
            signal.raise_signal(signal.SIGTERM)
            await stop.requested.wait()

    uvloop.run(serve())
    freed = Freed()
"""


async def test_a_process_that_has_stopped_has_all_the_time_to_free_its_memory() -> None:
    finished = await run_program(sys.executable, "-c", dedent(FREED))
    assert (finished.returncode, finished.stdout) == (0, "(0.0, 0.0)")


CLOSED_AT_ONCE = Limits(drain_time_s=0.0, close_window_s=0.0)


@asynccontextmanager
async def served(app: App) -> AsyncIterator[tuple[str, ShutdownSignal, asyncio.Task[None]]]:
    """Run a server of the application; yields its URL, what stops it, and its task."""
    stop, ready = ShutdownSignal(), asyncio.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    task = asyncio.create_task(run_server(app, [listener], stop, ready.set))
    await ready.wait()
    try:
        yield f"http://127.0.0.1:{port}", stop, task
    finally:
        stop.requested.set()
        stop.forced.set()
        await task


@pytest.fixture(autouse=True)
def collector(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the garbage collector of the tests as it is."""
    monkeypatch.setattr("service.web.server.gc", Mock())


async def test_open_requests_are_finished(store: RedisStore, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "service.web.server")
    arrived, may_answer = asyncio.Event(), asyncio.Event()

    async def answer_later(_request: HttpRequest) -> web.Response:
        arrived.set()
        await may_answer.wait()
        return web.Response()

    async with instance(store, CLOSED_AT_ONCE) as app:
        app.router.add(("GET",), "/later", answer_later)
        async with served(app) as (url, stop, task), aiohttp.ClientSession(url) as session:
            request = asyncio.create_task(session.get("/later"))
            await arrived.wait()
            stop.requested.set()
            await wait_until(lambda: not reaches("127.0.0.1", port_of(url)))
            assert not task.done()
            may_answer.set()
            async with await request as response:
                assert response.status == 200
            await task
    assert [line.partition(":")[0] for line in caplog.messages] == ["stopping", "stopped"]


async def test_an_instance_serves_while_it_closes_sockets(store: RedisStore) -> None:
    async with (
        instance(store, CLOSED_AT_ONCE._replace(close_window_s=TIMEOUT_S)) as app,
        served(app) as (url, stop, _),
        aiohttp.ClientSession(url) as session,
    ):
        sockets = [await session.ws_connect("/v1/ws") for _ in range(20)]
        for one in sockets:
            await one.receive()  # the welcome
        closed = {asyncio.create_task(one.receive()) for one in sockets}
        stop.requested.set()
        _, still_open = await asyncio.wait(closed, return_when=asyncio.FIRST_COMPLETED)
        async with aiohttp.ClientSession(url) as other, other.get("/readyz") as response:
            assert (response.status, (await response.json())["code"]) == (503, "draining")
        assert still_open
        stop.forced.set()
        await asyncio.wait(still_open)


NOBODYS = "x" * 43


async def test_a_stream_begins_with_a_snapshot_and_goes_on_with_every_diff(client: Client, http_game: HTTPGame) -> None:
    async with open_event_stream(client, http_game.id) as events:
        headers = events.response.headers
        assert headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert (headers["Cache-Control"], headers["X-Accel-Buffering"]) == ("no-cache", "no")
        assert headers["Access-Control-Allow-Origin"] == "*"
        await events.receive("snapshot")
        for _ in range(3):
            acted = await http_game.act_successfully()
            assert await events.receive("diff") == acted["diffs"][0]
        assert events.copy.game == await http_game.get_json()


async def test_a_stream_resumes_after_the_last_event(client: Client, http_game: HTTPGame) -> None:
    async with open_event_stream(client, http_game.id) as events:
        await events.receive("snapshot")
        await events.receive_action(http_game)
    for _ in range(2):
        await http_game.act_successfully()
    last = {"Last-Event-ID": events.last_event_id}
    async with open_event_stream(client, http_game.id, "?since=1", **last) as resumed:
        resumed.copy = events.copy
        for _ in range(2):
            await resumed.receive("diff")
        await resumed.receive_action(http_game)
        assert resumed.copy.game == await http_game.get_json()
        assert resumed.copy.snapshots == 1


@pytest.mark.parametrize(
    ("query", "versions"), (("?since=1", [2, 3]), ("?since=2&limit=1", [3]), ("?since=0", [1, 2, 3]))
)
async def test_streams_begin_after_since(client: Client, http_game: HTTPGame, query: str, versions: list[int]) -> None:
    for _ in range(2):
        await http_game.act_successfully()
    async with open_event_stream(client, http_game.id, query, **{"Last-Event-ID": ""}) as events:
        events.copy = GameCopy(versions[0] - 1)
        for _ in versions:
            await events.receive("diff")
        assert events.copy.versions == versions


@pytest.mark.parametrize("last", (f"1-{'0' * 32}", f"99-{'0' * 32}"))
async def test_an_unknown_last_event_begins_with_a_snapshot(client: Client, http_game: HTTPGame, last: str) -> None:
    async with open_event_stream(client, http_game.id, **{"Last-Event-ID": last}) as events:
        await events.receive("snapshot")


async def test_errors_are_responses_before_the_stream_begins(client: Client, http_game: HTTPGame) -> None:
    private = await create_game(client, visibility="private")
    for path, headers, status, code in (
        ("/v1/games/none/diffs", {}, 404, "not_found"),
        (f"{private.path}/diffs", {}, 404, "not_found"),
        (f"{private.path}/diffs", bearer_header(NOBODYS), 404, "not_found"),
        (f"{http_game.path}/diffs", bearer_header(NOBODYS), 401, "unauthorized"),
        (f"{http_game.path}/diffs?since=x", {}, 400, "malformed"),
        (f"{http_game.path}/diffs", {"Last-Event-ID": "17"}, 400, "malformed"),
        (f"{http_game.path}/diffs", {"Last-Event-ID": f"9999999999-{'0' * 32}"}, 400, "malformed"),
    ):
        await check_problem(await client.get(path, headers={"Accept": EVENT_STREAM, **headers}), status, code)


async def test_the_stream_of_a_private_game_is_private(client: Client) -> None:
    http_game = await create_game(client, visibility="private")
    async with open_event_stream(client, http_game.id, **bearer_header(http_game.spectator_token)) as events:
        assert events.response.headers["Cache-Control"] == "private, no-cache"
        assert "Authorization" in events.response.headers["Vary"]
        await events.receive("snapshot")


async def test_a_head_request_is_answered_without_a_stream(client: Client, http_game: HTTPGame) -> None:
    response = await client.head(f"{http_game.path}/diffs", headers={"Accept": EVENT_STREAM})
    assert (response.status, response.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
    assert await (await client.get("/livez")).json() == {"status": "ok"}


async def test_a_client_of_http_1_0_gets_no_chunks_and_reads_to_the_end(client: Client, http_game: HTTPGame) -> None:
    client.session._version = HttpVersion10
    async with open_event_stream(client, http_game.id, Connection="keep-alive") as events:
        assert "Transfer-Encoding" not in events.response.headers
        await events.receive("snapshot")
        await events.receive_action(http_game)
        await close_streams(client.app)
        assert b"retry: " in await events.response.content.read()


async def test_heartbeats_keep_a_stream_alive(store: RedisStore) -> None:
    async with serve(store, Limits(sse_comment_interval_s=0.05)) as client:
        http_game = await create_game(client)
        async with open_event_stream(client, http_game.id) as events:
            await events.receive("snapshot")
            assert await events.read_block() == [":"]
            assert await events.read_block() == [":"]


async def test_a_stream_ends_with_its_game(store: RedisStore, redis: Redis) -> None:
    async with serve(store, Limits(sweep_interval_s=0.05)) as client:
        http_game = await create_game(client)
        async with open_event_stream(client, http_game.id) as events:
            await events.receive("snapshot")
            await redis.delete(keys.game(http_game.id), keys.log(http_game.id))
            assert await events.read_block() == []
            assert events.response.content.at_eof()


async def test_a_stream_that_cannot_be_read_reconnects_when_the_store_says(
    client: Client, http_game: HTTPGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client.app[HUB], "subscribe", AsyncMock(side_effect=StoreUnavailable("out of reach", 3)))
    async with open_event_stream(client, http_game.id) as events:
        await events.receive("snapshot")
        assert await events.read_block() == ["retry: 3000"]
        assert await events.read_block() == []


async def test_a_shutdown_closes_event_streams(client: Client, http_game: HTTPGame) -> None:
    async with open_event_stream(client, http_game.id) as events:
        await events.receive("snapshot")
        client.app[DRAINING].set()
        async with open_event_stream(client, http_game.id) as late:
            await late.receive("snapshot")
            assert late.response.headers["Connection"] == "close"
        closing = asyncio.create_task(close_streams(client.app))
        (line,) = await events.read_block()
        assert line.startswith("retry: ")
        assert await events.read_block() == []
        await closing


def make_stream(kind: str = "socket", close_code: int | None = 1000) -> Any:
    """Return a stream that only records that it is to close."""
    return Mock(kind=kind, close_code=close_code)


@pytest.fixture
def registry() -> StreamRegistry:
    return StreamRegistry(Limits(close_window_s=2.0))


async def test_streams_are_told_to_reconnect_one_after_the_other(
    registry: StreamRegistry, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One that fails does not keep the others open, and one that has left meanwhile is told nothing."""
    streams = [make_stream() for _ in range(4)]
    for stream in streams:
        registry.add(stream)
        stream.request_reconnect.side_effect = lambda _ms, stream=stream: registry.remove(stream)
    failing, leaving = streams[1], streams[3]
    failing.request_reconnect.side_effect = ZeroDivisionError
    clock, pauses = [1_000.0], []

    async def sleep(delay_s: float) -> None:
        pauses.append(delay_s)
        clock[0] += delay_s
        if len(pauses) == 3:
            registry.remove(leaving)
            registry.remove(failing)

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        paused = SimpleNamespace(**{**vars(asyncio), "sleep": sleep})
        patch.setattr(module, "asyncio", paused)  # not of asyncio itself: other loops of this process use it
        patch.setattr(asyncio.get_running_loop(), "time", lambda: clock[0])
        await registry.close_all()
    assert pauses == [0.5, 0.5, 0.5]
    assert [stream.request_reconnect.call_args for stream in streams[:3]] == [((100,),), ((600,),), ((1_100,),)]
    leaving.request_reconnect.assert_not_called()
    assert [record.getMessage() for record in caplog.records] == ["closing a socket failed; closing the others"]


async def test_closing_waits_for_streams_a_while(registry: StreamRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CLOSE_TIMEOUT_S", -0.99)
    silent, late = make_stream(), make_stream()
    registry.add(silent)
    await registry.close_all()
    assert registry.is_closing
    silent.request_reconnect.assert_called_once_with(100)
    await registry.close_all()
    silent.request_reconnect.assert_called_once_with(100)
    registry.add(late)
    ((delay_ms,), _) = late.request_reconnect.call_args
    assert 100 <= delay_ms < 2_100


async def test_closing_ends_when_the_last_stream_has(registry: StreamRegistry) -> None:
    stream = make_stream()
    registry.add(stream)
    closing = asyncio.create_task(registry.close_all())
    await asyncio.sleep(0)
    assert not closing.done()
    registry.remove(stream)
    async with asyncio.timeout(TIMEOUT_S):
        await closing


async def test_without_streams_closing_takes_no_time(registry: StreamRegistry) -> None:
    registry._all_closed = Mock()
    await registry.close_all()
    assert registry.is_closing
