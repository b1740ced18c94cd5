"""`Expect: 100-continue`: a client that waits with its body is told to send it only if it would be accepted."""

import json
from functools import partial

import pytest

from service.store.game_store import RedisStore
from service.web.connection_limiter import CONNECTION_LIMITER
from tests.polling import wait_until
from tests.security.limited_client import count_admitted, make_limits, request_game
from tests.web.app_server import Client, serve
from tests.web.http_game import JSON, TWO_PLAYERS, create_game
from tests.web.raw_http import make_head, open_connection, read_raw, read_to_end

pytestmark = pytest.mark.usefixtures("short_linger")

BODY = json.dumps({"players": TWO_PLAYERS}).encode()


def expecting(path: str, *lines: str, length: int = len(BODY), media_type: str = JSON) -> bytes:
    return make_head(
        path,
        *("Expect: 100-continue", f"Content-Type: {media_type}", f"Content-Length: {length}"),
        *lines,
        method="POST",
    )


async def test_a_request_that_is_accepted_is_continued(client: Client) -> None:
    async with open_connection(client) as (reader, writer):
        for _ in range(2):
            writer.write(expecting("/v1/games"))
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
            writer.write(BODY)
            assert (await read_raw(reader)).status == 201


async def test_a_body_that_comes_at_once_is_not_waited_for(client: Client) -> None:
    async with open_connection(client) as (reader, writer):
        writer.write(expecting("/v1/games") + BODY)
        assert (await read_raw(reader)).status == 201


@pytest.mark.parametrize("line", ("Expect: 200-ok", "Expect:"))
async def test_any_other_expectation_is_ignored(client: Client, line: str) -> None:
    async with open_connection(client) as (reader, writer):
        writer.write(expecting("/v1/games").replace(b"Expect: 100-continue", line.encode()))
        connections = client.app[CONNECTION_LIMITER].connections
        await wait_until(lambda: any(one._current_request is not None for one in connections))
        writer.write(BODY)
        assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 201")


async def test_http_1_0_has_no_interim_response(client: Client) -> None:
    async with open_connection(client) as (reader, writer):
        writer.write(expecting("/v1/games").replace(b"HTTP/1.1", b"HTTP/1.0"))
        writer.write(BODY)
        assert (await read_to_end(reader)).startswith(b"HTTP/1.0 201")


async def test_what_would_be_rejected_is_rejected_instead(client: Client) -> None:
    """The connection closes, since nobody knows whether the body still comes."""
    public, private = await create_game(client), await create_game(client, visibility="private")
    unknown = "Authorization: Bearer unknown"
    rejected = (
        (expecting("/nowhere"), 404),
        (expecting("/livez"), 405),
        (expecting(f"{public.path}/actions"), 401),
        (expecting(f"{public.path}/actions", unknown), 401),
        (expecting(f"{public.path}/actions", "Authorization: none"), 401),
        (expecting(f"{public.path}/seats", unknown), 401),
        (expecting(f"{private.path}/actions", unknown), 404),
        (expecting(f"{private.path}/seats"), 404),
        (expecting("/v1/games/none/undo", unknown), 404),
        (expecting("/v1/keys/me/webhooks"), 401),
        (expecting("/v1/games", length=1_000_000), 413),
        (expecting("/v1/games", media_type="text/plain"), 415),
        (expecting("/v1/games", "Content-Encoding: gzip"), 415),
    )
    for request, status in rejected:
        async with open_connection(client) as (reader, writer):
            writer.write(request)
            response = await read_raw(reader)
            assert (response.status, response.getheader("Connection")) == (status, "close")


async def test_a_client_above_its_limit_is_not_continued(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_creations=2)) as client, open_connection(client) as (reader, writer):
        await count_admitted(10, partial(request_game, client), status=201)
        writer.write(expecting("/v1/games"))
        assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 429")
