"""Slow clients: with a request's head or body, with reading a response, or idle."""

import asyncio
from contextlib import AsyncExitStack
from types import SimpleNamespace

import pytest

from service.store.game_store import RedisStore
from service.web import connection_limiter as limiter_module
from service.web.connection_limiter import CONNECTION_LIMITER
from service.web.limits import Limits
from tests.polling import TIMEOUT_S, wait_until
from tests.security.limited_client import open_client_at, read_status
from tests.web.app_server import Client, serve
from tests.web.raw_http import make_head, open_connection, read_to_end
from tests.web.watcher_client import client_transport
from tests.web.webhook_receiver import OffsetClock

pytestmark = pytest.mark.usefixtures("short_linger")


HEAD = b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> OffsetClock:
    """Return the clock by which connections are checked, which is done often."""
    later = OffsetClock(lambda: asyncio.get_running_loop().time())
    checking = {**vars(asyncio), "get_running_loop": lambda: SimpleNamespace(time=later)}
    monkeypatch.setattr(limiter_module, "asyncio", SimpleNamespace(**checking))
    monkeypatch.setattr(limiter_module, "SWEEP_INTERVAL_S", 0.02)
    return later


async def test_an_incomplete_head_times_out(client: Client, clock: OffsetClock) -> None:
    """Also one of which more comes."""
    async with open_connection(client) as (reader, writer):
        writer.write(make_head("/v1/bots") + b"GET /livez")
        received = await reader.readuntil(b"\r\n\r\n")
        (connection,) = client.connections
        writer.write(b"a")
        await wait_until(lambda: connection.head_started_at > 0)
        clock.offset_s = Limits().request_timeout_s + 1
        received += await read_to_end(reader)
        assert received.count(b"HTTP/1.1 200") == 1
    clock.offset_s = 0
    assert await read_status(await client.get("/livez")) == 200


@pytest.mark.parametrize("begin", (b"Content-Length: 10000\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"))
async def test_a_slow_body_times_out(store: RedisStore, begin: bytes) -> None:
    async with (
        serve(store, Limits(request_timeout_s=1.0)) as client,
        open_connection(client) as (reader, writer),
        asyncio.TaskGroup() as tasks,
    ):
        writer.write(HEAD + begin)
        answer = tasks.create_task(reader.readuntil(b"\r\n\r\n"))

        def sends_more_in_vain() -> bool:
            writer.write(b"0")
            return answer.done()

        await wait_until(sends_more_in_vain)
        assert answer.result().startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    ("limits", "refusal", "elsewhere"),
    (
        (Limits(max_connections_per_address=3), 429, 200),
        (Limits(max_connections=3, rate_limits=False), 503, 503),
    ),
)
async def test_the_connections_of_an_address_and_of_an_instance_are_limited(
    store: RedisStore, limits: Limits, refusal: int, elsewhere: int
) -> None:
    async with serve(store, limits) as client, AsyncExitStack() as stack:
        limiter = client.app[CONNECTION_LIMITER]
        for _ in range(3):
            await stack.enter_async_context(open_connection(client))
        await wait_until(lambda: len(limiter.connections) == 3)
        async with open_connection(client) as (reader, _):
            assert (await read_to_end(reader)).startswith(b"HTTP/1.1 %d" % refusal)
        async with open_client_at(client, "127.0.0.2") as other:
            assert await read_status(await other.get("/livez", headers={"Connection": "close"})) == elsewhere
        await stack.aclose()
        await wait_until(lambda: not limiter.connections and not limiter.accounts.get("127.0.0.1").connections)
        assert await read_status(await client.get("/livez")) == 200


async def test_a_socket_that_stops_within_a_message_is_closed(store: RedisStore) -> None:
    async with (
        serve(store, Limits(ping_interval_s=1.0)) as client,
        client.ws_connect("/v1/ws", autoping=False, autoclose=False) as socket,
    ):
        client_transport(socket).write(b"\x81\xfe\xff\xff\x00\x00\x00\x00{")
        async with asyncio.timeout(TIMEOUT_S):
            while (message := await socket.receive()).type.name in {"TEXT", "PING"}:
                pass
        assert message.data == 4408
