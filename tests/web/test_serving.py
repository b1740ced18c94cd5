"""A stop: open requests are finished, and sockets are closed while the instance still serves."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from unittest.mock import Mock

import aiohttp
import pytest
from aiohttp import web

from service.store.game_store import RedisStore
from service.web import server
from service.web.app import App, HttpRequest
from service.web.limits import Limits
from service.web.server import ShutdownSignal, run_server
from tests.polling import TIMEOUT_S, wait_until
from tests.web.app_server import instance

AT_ONCE = Limits(drain_time_s=0.0, close_window_s=0.0)


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
    monkeypatch.setattr(server, "gc", Mock())


async def test_open_requests_are_finished(store: RedisStore, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, server.__name__)
    arrived, may_answer = asyncio.Event(), asyncio.Event()

    async def answer_later(_request: HttpRequest) -> web.Response:
        arrived.set()
        await may_answer.wait()
        return web.Response()

    async with instance(store, AT_ONCE) as app:
        app.router.add(("GET",), "/later", answer_later)
        async with served(app) as (url, stop, task), aiohttp.ClientSession(url) as session:
            request = asyncio.create_task(session.get("/later"))
            await arrived.wait()
            stop.requested.set()

            async def is_closed() -> bool:
                try:
                    _, writer = await asyncio.open_connection(*url.removeprefix("http://").split(":"))
                except ConnectionRefusedError:
                    return True
                writer.close()
                return False

            await wait_until(is_closed)
            assert not task.done()
            may_answer.set()
            async with await request as response:
                assert response.status == 200
            await task
    assert [line.partition(":")[0] for line in caplog.messages] == ["stopping", "stopped"]


async def test_an_instance_serves_while_it_closes_sockets(store: RedisStore) -> None:
    async with (
        instance(store, AT_ONCE._replace(close_window_s=TIMEOUT_S)) as app,
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
