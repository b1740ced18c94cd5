"""A game's diffs as event streams, and streams that end one after the other when an instance stops."""

import asyncio
import logging
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import HttpVersion10
from redis.asyncio import Redis

from service.games.ports import StoreUnavailable
from service.store import keys
from service.store.game_store import RedisStore
from service.web import streams as module
from service.web.app import DRAINING, HUB
from service.web.limits import Limits
from service.web.streams import StreamRegistry
from service.web.websocket import close_streams
from tests.polling import TIMEOUT_S
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, bearer_header, check_problem, create_game
from tests.web.watcher_client import EVENT_STREAM, GameCopy, open_event_stream

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
