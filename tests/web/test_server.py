"""Listening, and stopping without failed requests."""

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
from typing import Any
from unittest.mock import Mock

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web

from service.store.game_store import RedisStore
from service.web.app import App, HttpRequest
from service.web.limits import Limits
from service.web.server import ShutdownSignal, StartFailed, bind, format_listening_url, run_server
from tests.polling import TIMEOUT_S, wait_until
from tests.server_process import ServerProcess, start_server
from tests.tools import run_program
from tests.web.app_server import instance

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
