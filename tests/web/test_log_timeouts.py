"""A log that cannot be read in time: its subscribers are closed and resume later, other games are served."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from service.games import channel
from service.games import hub as hub_module
from service.games.channel import PAGE_SIZE
from service.games.ports import StoredDiff
from service.store.game_store import RedisStore
from tests.polling import TIMEOUT_S
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, create_game
from tests.web.watcher_client import WatcherClient, connect_watcher, open_event_stream, watch_game

READ_TIMEOUT_S = 1.0


class HangingStore(RedisStore):
    """A store that does not reply when the log of one game is read."""

    game = ""

    async def load_diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        if game == self.game and limit == PAGE_SIZE:
            await asyncio.Event().wait()
        return await super().load_diffs(game, since, limit)


@pytest.fixture
def hanging(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> HangingStore:
    monkeypatch.setattr(channel, "READ_TIMEOUT_S", READ_TIMEOUT_S)
    monkeypatch.setattr(hub_module, "SUBSCRIBE_TIMEOUT_S", READ_TIMEOUT_S)
    return HangingStore(store._client)


@pytest.fixture
async def client(hanging: HangingStore) -> AsyncIterator[Client]:
    async with serve(hanging) as connected_client:
        yield connected_client


@pytest.fixture
async def http_game(client: Client) -> HTTPGame:
    game = await create_game(client)
    for _ in range(3):
        await game.act_successfully()
    return game


async def check_closed_to_resume(watcher: WatcherClient) -> None:
    await watcher.receive("closing")
    assert await watcher.receive_close() == 1001


async def test_a_socket_of_one_game_is_closed_and_resumes(
    client: Client, hanging: HangingStore, http_game: HTTPGame
) -> None:
    async with watch_game(client, http_game.id) as first:
        hanging.game = http_game.id
        async with connect_watcher(client, f"{http_game.path}/ws?since=0") as second:
            await second.receive("subscribed")
            other = await create_game(client)
            await other.act_successfully()
            await first.receive_action(http_game)
            await check_closed_to_resume(second)
        hanging.game = ""
        async with connect_watcher(client, f"{http_game.path}/ws?since=0") as third:
            for tag in ("subscribed", *["diff"] * 5):
                await third.receive(tag)


async def test_a_subscribe_message_gets_an_error(client: Client, hanging: HangingStore, http_game: HTTPGame) -> None:
    async with watch_game(client, http_game.id), connect_watcher(client) as second:
        hanging.game = http_game.id
        await second.send({"type": "subscribe", "id": "s1", "game": http_game.id, "since": 0})
        await second.receive("subscribed")
        error = await second.receive("error")
        assert (error["id"], error["problem"]["code"]) == ("s1", "store_unavailable")
        await check_closed_to_resume(second)


async def test_an_event_stream_ends_with_a_retry_delay(
    client: Client, hanging: HangingStore, http_game: HTTPGame
) -> None:
    async with watch_game(client, http_game.id):
        hanging.game = http_game.id
        async with open_event_stream(client, http_game.id, "?since=0") as events:
            assert await events.read_block() == ["retry: 1000"]
            async with asyncio.timeout(TIMEOUT_S):
                assert await events.response.content.read() == b""
        hanging.game = ""
        async with open_event_stream(client, http_game.id, "?since=0") as events:
            assert [(await events.receive("diff"))["version"] for _ in range(4)] == [1, 2, 3, 4]
