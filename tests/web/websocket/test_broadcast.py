"""Subscribers see no difference if a broadcast takes more than one tick."""

from contextlib import AsyncExitStack
from random import Random

import pytest

from service.games import channel
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, create_game
from tests.web.watcher_client import WatcherClient, watch_game

WATCHERS = 12


@pytest.fixture(autouse=True)
def _one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Serve one subscriber per tick."""
    monkeypatch.setattr(channel, "BATCH_SIZE", 1)


@pytest.fixture
async def http_game(client: Client) -> HTTPGame:
    return await create_game(client, seed="many")


async def open_watchers(stack: AsyncExitStack, client: Client, http_game: HTTPGame) -> list[WatcherClient]:
    """Connect all watchers, half of them with compression."""
    compressions = [15 * (number % 2) for number in range(WATCHERS)]
    opened = [watch_game(client, http_game.id, token=http_game.owner_token, compress=each) for each in compressions]
    return [await stack.enter_async_context(watcher) for watcher in opened]


async def test_every_watcher_gets_everything_in_order(client: Client, http_game: HTTPGame) -> None:
    async with AsyncExitStack() as stack:
        watchers = await open_watchers(stack, client, http_game)
        for _ in range(30):
            await http_game.act_successfully()
        game = await http_game.get_json()
        for watcher in watchers:
            copy = await watcher.receive_until(http_game.id, game["version"])
            assert (copy.game, copy.snapshots) == (game, 1)
            await watcher.expect_nothing()


async def test_an_actor_gets_its_own_diff_before_the_ack(client: Client, http_game: HTTPGame) -> None:
    chance = Random(1)
    async with AsyncExitStack() as stack:
        watchers = await open_watchers(stack, client, http_game)
        for version in range(2, 20):
            move = chance.choice(await http_game.legal_moves())["id"]
            watcher = chance.choice(watchers)
            await watcher.send({"type": "act", "game": http_game.id, "move": move})
            await watcher.receive_until(http_game.id, version)
            assert (await watcher.receive("ack"))["version"] == version
        for watcher in watchers:
            await watcher.receive_until(http_game.id, 19)
            await watcher.expect_nothing()
