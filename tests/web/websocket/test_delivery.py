"""Every subscriber gets every diff once and in order, whichever instance commits it and whatever happens to Redis."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from redis.asyncio import Redis

from service.store.embedded import embedded_server
from service.store.game_store import connect
from service.web.app import HUB
from service.web.limits import Limits
from tests.polling import rounds, wait_until
from tests.web.app_server import Client, serve, wait_until_no_streams
from tests.web.http_game import HTTPGame, create_game
from tests.web.watcher_client import GameCopy, WatcherClient, client_transport, connect_watcher, watch_game

QUICK = Limits(sweep_interval_s=0.1)

MOVES = 100


@asynccontextmanager
async def instance(url: str) -> AsyncIterator[Client]:
    async with connect(url) as store, serve(store, QUICK) as client:
        yield client


@pytest.fixture
async def instances(redis: Redis, redis_url: str) -> AsyncIterator[list[Client]]:
    del redis  # it has emptied the server
    async with instance(redis_url) as one, instance(redis_url) as two:
        yield [one, two]


def via_instance(client: Client, http_game: HTTPGame) -> HTTPGame:
    """Return the same game over another instance."""
    return HTTPGame(client, http_game.created)


async def play(http_games: list[HTTPGame], versions: int, chance: Random) -> None:
    """Play a game over random instances until it has this many versions or is finished."""
    for _ in rounds():
        http_game = chance.choice(http_games)
        legal = await http_game.get_json("/legal-moves")
        if not legal["moves"] or legal["version"] >= versions:
            return
        response = await http_game.act({"move": chance.choice(legal["moves"])["id"]})
        assert response.status == 200, await response.text()


def check_copy(copy: GameCopy, game: dict[str, Any]) -> None:
    """Check that a copy is the game, after one snapshot and every later diff."""
    assert copy.game == game
    assert copy.snapshots == 1
    assert copy.versions == [*range(copy.versions[0], game["version"] + 1)]


async def test_watchers_on_both_instances_get_all_moves_of_both(instances: list[Client]) -> None:
    """Two games of a hundred moves each, on every socket."""
    games = [await create_game(client, seed=f"both-{number}") for number, client in enumerate(instances)]
    async with AsyncExitStack() as stack:
        watchers = [await stack.enter_async_context(connect_watcher(client)) for client in instances * 2]
        for watcher in watchers:
            for http_game in games:
                await watcher.subscribe(http_game.id)
        async with asyncio.TaskGroup() as group:
            for number, http_game in enumerate(games):
                group.create_task(
                    play([via_instance(client, http_game) for client in instances], MOVES + 1, Random(number))
                )
            for watcher in watchers:
                group.create_task(receive_all_moves(watcher, [http_game.id for http_game in games]))
        for http_game in games:
            game = await http_game.get_json()
            assert game["version"] == MOVES + 1
            for watcher in watchers:
                check_copy(watcher.copy_of(http_game.id), game)
                await watcher.expect_nothing()


async def receive_all_moves(watcher: WatcherClient, games: list[str]) -> None:
    while any(watcher.copy_of(game).version <= MOVES for game in games):
        await watcher.receive("diff")


async def test_a_redis_that_was_restarted_costs_no_diff(short_path: Path) -> None:
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(AsyncExitStack())
        url = (await first.enter_async_context(embedded_server(short_path))).url
        clients = [await stack.enter_async_context(instance(url)) for _ in range(2)]
        http_game = await create_game(clients[0], seed="restart")
        http_games = [via_instance(client, http_game) for client in clients]
        watchers = [await stack.enter_async_context(watch_game(client, http_game.id)) for client in clients]
        await play(http_games, 20, Random(3))
        await watchers[0].receive_until(http_game.id, 20)
        await first.aclose()
        assert (await http_game.act({"action": {"type": "pass"}})).status == 503
        error = await watchers[0].request_error({"type": "sync", "game": http_game.id}, "store_unavailable")
        assert error["problem"]["retry_after_s"] > 0
        assert error["problem"]["detail"].endswith("; nothing was changed: retry")
        act = {"type": "act", "game": http_game.id, "action": {"type": "pass"}}
        for more, outcome in (({}, "check that before you send it again"), ({"key": "k"}, "retry with the same key")):
            error = await watchers[0].request_error({**act, **more}, "store_unavailable")
            assert error["problem"]["detail"].endswith(f"; the request may have been applied: {outcome}")
        await first.enter_async_context(embedded_server(short_path))
        await wait_until_served(http_games)
        await play(http_games, 40, Random(4))
        game = await http_game.get_json()
        for watcher in watchers:
            check_copy(await watcher.receive_until(http_game.id, game["version"]), game)
        await stack.aclose()


async def wait_until_served(http_games: list[HTTPGame]) -> None:
    async def are_served() -> bool:
        return {(await http_game.get()).status for http_game in http_games} == {200}

    await wait_until(are_served)


async def test_sockets_that_disconnect_leave_nothing_behind(client: Client, http_game: HTTPGame) -> None:
    async with AsyncExitStack() as stack:
        watchers: list[WatcherClient] = [
            await stack.enter_async_context(watch_game(client, http_game.id)) for _ in range(10)
        ]
        assert len(client.app[HUB]) == 1
        for watcher in watchers[:9]:
            client_transport(watcher.socket).abort()
        await http_game.act_successfully()
        await watchers[9].receive("diff")
        client_transport(watchers[9].socket).abort()
        await wait_until_no_streams(client)
