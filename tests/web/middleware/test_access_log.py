"""The access log: addresses, also behind a proxy, and how long streams were open."""

import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from service.store.game_store import RedisStore
from service.web.client_ip import parse_networks
from service.web.limits import Limits
from tests.api_key_fixture import add_api_key, api_key_header
from tests.polling import wait_until
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, serve, wait_until_no_streams
from tests.web.http_game import HTTPGame, bearer_header, create_game
from tests.web.raw_http import send_raw

WITHIN_S = 10.0

ANA, BO = "192.0.2.1", "2001:db8:1:2::7"

BEHIND_A_PROXY = Limits(
    trusted_proxies=parse_networks("127.0.0.1"), sse_comment_interval_s=0.1
)  # it sees then that its client left


@pytest_asyncio.fixture
async def proxied(store: RedisStore, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Client]:
    """Start an instance that trusts this machine as a proxy, with an access log."""
    caplog.set_level(logging.INFO, "service.web.access")
    async with serve(store, BEHIND_A_PROXY) as client:
        yield client


def read_lines(caplog: pytest.LogCaptureFixture, *names: str) -> list[tuple[Any, ...]]:
    """Return these fields of each line of the access log."""
    records = [vars(record) for record in caplog.records if record.name == "service.web.access"]
    return [tuple(record.get(name) for name in names) for record in records]


def forwarded_for(address: str) -> dict[str, str]:
    """Return the header with which a proxy names a client."""
    return {"X-Forwarded-For": address}


async def test_a_line_has_the_client_behind_the_proxy(
    proxied: Client, store: RedisStore, caplog: pytest.LogCaptureFixture
) -> None:
    await proxied.get("/livez", headers=forwarded_for(ANA))
    await proxied.get("/v1/games/none", headers=forwarded_for(BO))
    await proxied.get("/v1/keys/me", headers=api_key_header(await add_api_key(store, "host")) | forwarded_for(ANA))
    assert read_lines(caplog, "message", "method", "route", "status", "address", "api_key") == [
        ("GET /livez 200", "GET", "/livez", 200, ANA, None),
        ("GET /v1/games/{id} 404", "GET", "/v1/games/{id}", 404, "2001:db8:1:2::", None),
        ("GET /v1/keys/me 200", "GET", "/v1/keys/me", 200, ANA, "host"),
    ]
    for (milliseconds,) in read_lines(caplog, "milliseconds"):
        assert 0 < milliseconds == round(milliseconds, 3) < 1000 * WITHIN_S


async def test_without_a_trusted_proxy_a_line_has_the_peer(store: RedisStore, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "service.web.access")
    async with serve(store) as client:
        await client.get("/livez", headers=forwarded_for(ANA))
    assert read_lines(caplog, "address") == [("127.0.0.1",)]


async def test_malformed_http_has_a_line(proxied: Client, caplog: pytest.LogCaptureFixture) -> None:
    await send_raw(proxied, b"NONSENSE\r\n\r\n")
    assert read_lines(caplog, "route", "status") == [("unmatched", 400)]


async def connect(client: Client, game: HTTPGame) -> Any:
    """Open a WebSocket that watches the game."""
    return await client.ws_connect(
        f"{game.path}/ws?since=1", headers={**bearer_header(game.owner_token), **forwarded_for(ANA)}
    )


async def test_a_socket_has_two_lines(proxied: Client, caplog: pytest.LogCaptureFixture) -> None:
    game = await create_game(proxied, visibility="private")
    caplog.clear()
    await (await connect(proxied, game)).close()
    await wait_until_no_streams(proxied)
    route = "/v1/games/{id}/ws"
    assert read_lines(caplog, "kind", "route", "address", "code") == [
        ("socket", route, ANA, None),
        ("socket", route, ANA, 1000),
    ]
    ((opened,), (closed,)) = read_lines(caplog, "seconds")
    assert opened is None
    assert 0 <= closed < WITHIN_S
    assert game.owner_token not in caplog.text


async def test_a_socket_that_is_refused_has_its_code(proxied: Client, caplog: pytest.LogCaptureFixture) -> None:
    async with proxied.ws_connect("/v1/ws", headers={"Authorization": "Bearer §", **forwarded_for(ANA)}) as socket:
        while not socket.closed:
            await socket.receive()
    await wait_until_no_streams(proxied)
    assert read_lines(caplog, "kind", "code") == [("socket", None), ("socket", 4401)]


async def test_a_lost_socket_is_logged_and_counted_as_1006(proxied: Client, caplog: pytest.LogCaptureFixture) -> None:
    before = read_samples()
    socket = await connect(proxied, await create_game(proxied))
    connection = socket._response.connection
    connection.transport.abort()
    await wait_until_no_streams(proxied)
    assert read_lines(caplog, "kind", "code")[-1] == ("socket", 1006)
    assert grown(before, "sockets_closed_total", code="1006") == grown(before, "sockets_closed_total") == 1
    await socket.close()


async def test_an_event_stream_has_two_lines(proxied: Client, caplog: pytest.LogCaptureFixture) -> None:
    game = await create_game(proxied)
    caplog.clear()
    headers = {"Accept": "text/event-stream", **bearer_header(game.owner_token), **forwarded_for(ANA)}
    async with proxied.get(f"{game.path}/diffs?since=1", headers=headers) as response:
        assert response.status == 200
        assert read_lines(caplog, "kind", "address", "seconds") == [("stream", ANA, None)]
    await wait_until_no_streams(proxied)
    await wait_until(lambda: len(read_lines(caplog, "kind")) >= 2)
    ((_, _, _), (kind, address, seconds)) = read_lines(caplog, "kind", "address", "seconds")
    assert (kind, address) == ("stream", ANA)
    assert 0 <= seconds < WITHIN_S
    assert seconds == round(seconds, 3)
    assert game.owner_token not in caplog.text
