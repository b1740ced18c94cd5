"""A game's diffs as an event stream (api.md, "Versions and diffs")."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientResponse, HttpVersion10
from redis.asyncio import Redis

from service.store import keys
from service.store.game_store import RedisStore
from service.web.app_keys import DRAINING, HUB
from service.web.limits import Limits
from service.web.routes.websocket import close_streams
from service.web.websocket.streams import STREAMS
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, bearer_header, check_problem, create_game
from tests.web.watcher_client import RECEIVE_TIMEOUT_S, GameCopy, validate_message

STREAM = "text/event-stream"
NOBODYS = "x" * 43


class EventStreamClient:
    """The client of one event stream."""

    def __init__(self, response: ClientResponse) -> None:
        self.response = response
        self.copy = GameCopy()
        self.last_event_id = ""

    async def read_block(self) -> list[str]:
        """Return the lines of the next block, none at the end."""
        lines: list[str] = []
        async with asyncio.timeout(RECEIVE_TIMEOUT_S):
            while line := (await self.response.content.readline()).decode().removesuffix("\n"):
                lines.append(line)
        return lines

    async def receive(self, tag: str | None = None) -> dict[str, Any]:
        """Return the next event, which must be of this type."""
        first, second = await self.read_block()
        assert first.startswith("id: ")
        assert second.startswith("data: ")
        text = second.removeprefix("data: ")
        assert tag in (None, validate_message(text))
        message: dict[str, Any] = json.loads(text)
        self.copy.apply(message)
        self.last_event_id = first.removeprefix("id: ")
        assert self.last_event_id == f"{self.copy.version}-{self.copy.digest}"
        return message


@asynccontextmanager
async def open_event_stream(
    client: Client, game: str, query: str = "", **headers: str
) -> AsyncIterator[EventStreamClient]:
    """Open an event stream."""
    path = f"/v1/games/{game}/diffs{query}"
    async with client.get(path, headers={"Accept": STREAM, **headers}) as response:
        assert response.status == 200, await response.text()
        yield EventStreamClient(response)


@pytest.fixture
async def table(client: Client) -> HTTPGame:
    return await create_game(client)


async def test_a_stream_begins_with_a_snapshot_and_goes_on_with_every_diff(client: Client, table: HTTPGame) -> None:
    async with open_event_stream(client, table.id) as events:
        headers = events.response.headers
        assert headers["Content-Type"] == STREAM
        assert headers["Cache-Control"] == "no-cache"
        assert headers["X-Accel-Buffering"] == "no"
        assert headers["Access-Control-Allow-Origin"] == "*"
        await events.receive("snapshot")
        for _ in range(3):
            acted = await table.act_successfully()
            assert await events.receive("diff") == acted["diffs"][0]
        assert events.copy.game == await table.get_json()


async def test_a_stream_resumes_after_the_last_event(client: Client, table: HTTPGame) -> None:
    async with open_event_stream(client, table.id) as events:
        await events.receive("snapshot")
        await table.act_successfully()
        await events.receive("diff")
    for _ in range(2):
        await table.act_successfully()
    async with open_event_stream(client, table.id, "?since=1", **{"Last-Event-ID": events.last_event_id}) as resumed:
        resumed.copy = events.copy
        for _ in range(2):
            await resumed.receive("diff")
        await table.act_successfully()
        await resumed.receive("diff")
        assert resumed.copy.game == await table.get_json()
        assert resumed.copy.snapshots == 1


@pytest.mark.parametrize(
    ("query", "versions"), (("?since=1", [2, 3]), ("?since=2&limit=1", [3]), ("?since=0", [1, 2, 3]))
)
async def test_a_stream_begins_after_since(client: Client, table: HTTPGame, query: str, versions: list[int]) -> None:
    for _ in range(2):
        await table.act_successfully()
    async with open_event_stream(client, table.id, query, **{"Last-Event-ID": ""}) as events:
        events.copy.version = versions[0] - 1
        if versions[0] > 1:
            whole = await (await client.get(f"{table.path}/diffs?since=0&limit={versions[0] - 1}")).json()
            for diff in whole["diffs"]:
                events.copy.version = diff["version"] - 1
                events.copy.apply(diff)
            events.copy.versions.clear()
        for _ in versions:
            await events.receive("diff")
        assert events.copy.versions == versions
        assert events.copy.game == await table.get_json()


@pytest.mark.parametrize("last", (f"1-{'0' * 32}", f"99-{'0' * 32}"))
async def test_a_stream_with_an_unknown_last_event_begins_with_a_snapshot(
    client: Client, table: HTTPGame, last: str
) -> None:
    async with open_event_stream(client, table.id, **{"Last-Event-ID": last}) as events:
        await events.receive("snapshot")


async def test_errors_are_responses_before_the_stream_begins(client: Client, table: HTTPGame) -> None:
    private = await create_game(client, visibility="private")
    for path, headers, status, code in (
        ("/v1/games/none/diffs", {}, 404, "not_found"),
        (f"{private.path}/diffs", {}, 404, "not_found"),
        (f"{private.path}/diffs", bearer_header(NOBODYS), 404, "not_found"),
        (f"{table.path}/diffs", bearer_header(NOBODYS), 401, "unauthorized"),
        (f"{table.path}/diffs?since=x", {}, 400, "malformed"),
        (f"{table.path}/diffs", {"Last-Event-ID": "17"}, 400, "malformed"),
        (f"{table.path}/diffs", {"Last-Event-ID": f"9999999999-{'0' * 32}"}, 400, "malformed"),
    ):
        await check_problem(await client.get(path, headers={"Accept": STREAM, **headers}), status, code)


async def test_the_stream_of_a_private_game_is_private(client: Client) -> None:
    table = await create_game(client, visibility="private")
    async with open_event_stream(client, table.id, **bearer_header(table.spectator_token)) as events:
        assert events.response.headers["Cache-Control"] == "private, no-cache"
        assert "Authorization" in events.response.headers["Vary"]
        await events.receive("snapshot")


async def test_a_head_request_is_answered_without_a_stream(client: Client, table: HTTPGame) -> None:
    response = await client.head(f"{table.path}/diffs", headers={"Accept": STREAM})
    assert (response.status, response.headers["Content-Type"]) == (200, STREAM)
    assert await (await client.get("/livez")).json() == {"status": "ok"}


async def test_a_client_of_http_1_0_gets_no_chunks(client: Client, table: HTTPGame) -> None:
    session = client.session
    session._version = HttpVersion10
    async with open_event_stream(client, table.id) as events:
        assert "Transfer-Encoding" not in events.response.headers
        await events.receive("snapshot")
        table.client.session._version = HttpVersion10
        await table.act_successfully()
        await events.receive("diff")


async def test_heartbeats_keep_a_stream_alive(store: RedisStore) -> None:
    async with serve(store, Limits(sse_comment_interval_s=0.05)) as client:
        table = await create_game(client)
        async with open_event_stream(client, table.id) as events:
            await events.receive("snapshot")
            assert await events.read_block() == [":"]
            assert await events.read_block() == [":"]


async def test_a_stream_that_disconnects_leaves_nothing_behind(store: RedisStore) -> None:
    async with serve(store, Limits(sse_comment_interval_s=0.05)) as client:
        table = await create_game(client)
        async with open_event_stream(client, table.id) as events:
            await events.receive("snapshot")
            assert (len(client.app[HUB]), len(client.app[STREAMS])) == (1, 1)
        async with asyncio.timeout(5):
            while len(client.app[HUB]) + len(client.app[STREAMS]):  # noqa: ASYNC110  neither gives an event
                await asyncio.sleep(0.01)


async def test_a_stream_ends_with_its_game(store: RedisStore, redis: Redis) -> None:
    async with serve(store, Limits(sweep_interval_s=0.05)) as client:
        table = await create_game(client)
        async with open_event_stream(client, table.id) as events:
            await events.receive("snapshot")
            await redis.delete(keys.game(table.id), keys.log(table.id))
            assert await events.read_block() == []
            assert events.response.content.at_eof()


async def test_a_shutdown_closes_event_streams(client: Client, table: HTTPGame) -> None:
    async with open_event_stream(client, table.id) as events:
        await events.receive("snapshot")
        client.app[DRAINING].set()
        async with open_event_stream(client, table.id) as late:
            await late.receive("snapshot")
        closing = asyncio.create_task(close_streams(client.app))
        (line,) = await events.read_block()
        assert line.startswith("retry: ")
        assert await events.read_block() == []
        await closing


async def test_a_slow_consumer_is_dropped(store: RedisStore) -> None:
    async with serve(store, Limits(max_unsent_bytes=1000)) as client:
        table = await create_game(client)
        async with open_event_stream(client, table.id, "?since=1") as events:
            connection = events.response.connection
            assert connection is not None
            assert connection.transport is not None
            connection.transport.pause_reading()
            (event_stream,) = client.app[HUB]._channels[table.id].subscribers
            transport = event_stream._transport  # type: ignore[attr-defined]
            while not transport.is_closing():
                transport.write(b":" + b"x" * 100_000 + b"\n\n")
                await table.act_successfully()
            async with asyncio.timeout(5):
                while len(client.app[HUB]) + len(client.app[STREAMS]):  # noqa: ASYNC110  neither gives an event
                    await asyncio.sleep(0.01)
