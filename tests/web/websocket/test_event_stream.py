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
from tests.web.http_game import Table, bearer, new_table, refused
from tests.web.watcher_client import WITHIN_S, Keeper, decoded

STREAM = "text/event-stream"
NOBODYS = "x" * 43


class Events:
    """What comes over one event stream."""

    def __init__(self, response: ClientResponse) -> None:
        self.response = response
        self.kept = Keeper()
        self.last_id = ""

    async def lines(self) -> list[str]:
        """The lines of the next block; none at the end."""
        lines: list[str] = []
        async with asyncio.timeout(WITHIN_S):
            while line := (await self.response.content.readline()).decode().removesuffix("\n"):
                lines.append(line)
        return lines

    async def hear(self, tag: str | None = None) -> dict[str, Any]:
        """The next event, of this type."""
        first, second = await self.lines()
        assert first.startswith("id: ")
        assert second.startswith("data: ")
        text = second.removeprefix("data: ")
        assert tag in (None, decoded(text))
        message: dict[str, Any] = json.loads(text)
        self.kept.take(message)
        self.last_id = first.removeprefix("id: ")
        assert self.last_id == f"{self.kept.version}-{self.kept.digest}"
        return message


@asynccontextmanager
async def streaming(client: Client, game: str, query: str = "", **headers: str) -> AsyncIterator[Events]:
    """An open event stream."""
    path = f"/v1/games/{game}/diffs{query}"
    async with client.get(path, headers={"Accept": STREAM, **headers}) as response:
        assert response.status == 200, await response.text()
        yield Events(response)


@pytest.fixture
async def table(client: Client) -> Table:
    return await new_table(client)


async def test_a_stream_begins_with_a_snapshot_and_goes_on_with_every_diff(client: Client, table: Table) -> None:
    async with streaming(client, table.id) as events:
        headers = events.response.headers
        assert headers["Content-Type"] == STREAM
        assert headers["Cache-Control"] == "no-cache"
        assert headers["X-Accel-Buffering"] == "no"
        assert headers["Access-Control-Allow-Origin"] == "*"
        await events.hear("snapshot")
        for _ in range(3):
            acted = await table.do()
            assert await events.hear("diff") == acted["diffs"][0]
        assert events.kept.game == await table.json()


async def test_a_stream_resumes_after_the_last_event(client: Client, table: Table) -> None:
    async with streaming(client, table.id) as events:
        await events.hear("snapshot")
        await table.do()
        await events.hear("diff")
    for _ in range(2):
        await table.do()
    async with streaming(client, table.id, "?since=1", **{"Last-Event-ID": events.last_id}) as resumed:
        resumed.kept = events.kept
        for _ in range(2):
            await resumed.hear("diff")
        await table.do()
        await resumed.hear("diff")
        assert resumed.kept.game == await table.json()
        assert resumed.kept.snapshots == 1


@pytest.mark.parametrize(
    ("query", "versions"), (("?since=1", [2, 3]), ("?since=2&limit=1", [3]), ("?since=0", [1, 2, 3]))
)
async def test_a_stream_begins_after_since(client: Client, table: Table, query: str, versions: list[int]) -> None:
    for _ in range(2):
        await table.do()
    async with streaming(client, table.id, query, **{"Last-Event-ID": ""}) as events:
        events.kept.version = versions[0] - 1
        if versions[0] > 1:
            whole = await (await client.get(f"{table.path}/diffs?since=0&limit={versions[0] - 1}")).json()
            for diff in whole["diffs"]:
                events.kept.version = diff["version"] - 1
                events.kept.take(diff)
            events.kept.versions.clear()
        for _ in versions:
            await events.hear("diff")
        assert events.kept.versions == versions
        assert events.kept.game == await table.json()


@pytest.mark.parametrize("last", (f"1-{'0' * 32}", f"99-{'0' * 32}"))
async def test_a_stream_begins_anew_where_the_last_event_is_unknown(client: Client, table: Table, last: str) -> None:
    async with streaming(client, table.id, **{"Last-Event-ID": last}) as events:
        await events.hear("snapshot")


async def test_what_is_refused_is_refused_before_the_stream(client: Client, table: Table) -> None:
    private = await new_table(client, visibility="private")
    for path, headers, status, code in (
        ("/v1/games/none/diffs", {}, 404, "not_found"),
        (f"{private.path}/diffs", {}, 404, "not_found"),
        (f"{private.path}/diffs", bearer(NOBODYS), 404, "not_found"),
        (f"{table.path}/diffs", bearer(NOBODYS), 401, "unauthorized"),
        (f"{table.path}/diffs?since=x", {}, 400, "malformed"),
        (f"{table.path}/diffs", {"Last-Event-ID": "17"}, 400, "malformed"),
        (f"{table.path}/diffs", {"Last-Event-ID": f"9999999999-{'0' * 32}"}, 400, "malformed"),
    ):
        await refused(await client.get(path, headers={"Accept": STREAM, **headers}), status, code)


async def test_a_private_stream_is_nobody_elses(client: Client) -> None:
    table = await new_table(client, visibility="private")
    async with streaming(client, table.id, **bearer(table.spectator)) as events:
        assert events.response.headers["Cache-Control"] == "private, no-cache"
        assert "Authorization" in events.response.headers["Vary"]
        await events.hear("snapshot")


async def test_a_head_request_is_answered_without_a_stream(client: Client, table: Table) -> None:
    response = await client.head(f"{table.path}/diffs", headers={"Accept": STREAM})
    assert (response.status, response.headers["Content-Type"]) == (200, STREAM)
    assert await (await client.get("/livez")).json() == {"status": "ok"}


async def test_a_client_of_http_1_0_gets_no_chunks(client: Client, table: Table) -> None:
    session = client.session
    session._version = HttpVersion10
    async with streaming(client, table.id) as events:
        assert "Transfer-Encoding" not in events.response.headers
        await events.hear("snapshot")
        table.client.session._version = HttpVersion10
        await table.do()
        await events.hear("diff")


async def test_comments_keep_a_stream_alive(store: RedisStore) -> None:
    async with serve(store, Limits(sse_comment_interval_s=0.05)) as client:
        table = await new_table(client)
        async with streaming(client, table.id) as events:
            await events.hear("snapshot")
            assert await events.lines() == [":"]
            assert await events.lines() == [":"]


async def test_whoever_has_gone_leaves_nothing_behind(store: RedisStore) -> None:
    async with serve(store, Limits(sse_comment_interval_s=0.05)) as client:
        table = await new_table(client)
        async with streaming(client, table.id) as events:
            await events.hear("snapshot")
            assert (len(client.app[HUB]), len(client.app[STREAMS])) == (1, 1)
        async with asyncio.timeout(5):
            while len(client.app[HUB]) + len(client.app[STREAMS]):  # noqa: ASYNC110  neither gives an event
                await asyncio.sleep(0.01)


async def test_a_stream_ends_with_its_game(store: RedisStore, redis: Redis) -> None:
    async with serve(store, Limits(sweep_interval_s=0.05)) as client:
        table = await new_table(client)
        async with streaming(client, table.id) as events:
            await events.hear("snapshot")
            await redis.delete(keys.game(table.id), keys.log(table.id))
            assert await events.lines() == []
            assert events.response.content.at_eof()


async def test_streams_are_sent_away_when_the_instance_stops(client: Client, table: Table) -> None:
    async with streaming(client, table.id) as events:
        await events.hear("snapshot")
        client.app[DRAINING].set()
        async with streaming(client, table.id) as late:
            await late.hear("snapshot")
        closing = asyncio.create_task(close_streams(client.app))
        (line,) = await events.lines()
        assert line.startswith("retry: ")
        assert await events.lines() == []
        await closing


async def test_a_client_that_cannot_keep_up_is_cut_off(store: RedisStore) -> None:
    async with serve(store, Limits(max_unsent_bytes=1000)) as client:
        table = await new_table(client)
        async with streaming(client, table.id, "?since=1") as events:
            connection = events.response.connection
            assert connection is not None
            assert connection.transport is not None
            connection.transport.pause_reading()
            (follower,) = client.app[HUB]._channels[table.id].subscribers
            transport = follower._transport  # type: ignore[attr-defined]
            while not transport.is_closing():
                transport.write(b":" + b"x" * 100_000 + b"\n\n")
                await table.do()
            async with asyncio.timeout(5):
                while len(client.app[HUB]) + len(client.app[STREAMS]):  # noqa: ASYNC110  neither gives an event
                    await asyncio.sleep(0.01)
