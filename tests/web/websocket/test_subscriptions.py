"""Subscriptions of WebSockets get every diff once and in order, whatever happens to instances and Redis."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random

import pytest
from redis.asyncio import Redis

from service.store import keys
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore
from service.web.app import HUB
from service.web.limits import Limits
from tests.polling import wait_until
from tests.redis_servers import connect
from tests.web.app_server import Client, serve, wait_until_no_streams
from tests.web.http_game import HTTPGame, create_game
from tests.web.watcher_client import WatcherClient, client_transport, connect_watcher, watch_game


async def test_the_welcome_tells_the_limits(store: RedisStore) -> None:
    async with serve(store, Limits(ping_interval_s=30.5)) as client, client.ws_connect("/v1/ws") as socket:
        welcome = await WatcherClient(socket).receive("welcome")
    assert (welcome["ping_interval_ms"], welcome["max_message_bytes"]) == (30_500, 65_536)
    assert welcome["now"].endswith("Z")


@pytest.mark.parametrize("with_digest", (True, False))
@pytest.mark.parametrize("since", (2, 4))
async def test_a_socket_resumes_from_a_state_in_the_log(
    client: Client, http_game: HTTPGame, since: int, with_digest: bool
) -> None:
    async with watch_game(client, http_game.id) as watcher:
        before = watcher.copy_of(http_game.id)
        for _ in range(since - 1):
            await watcher.receive_action(http_game)
    for _ in range(4 - since):
        await http_game.act_successfully()
    query = f"?since={since}" + (f"&digest={before.digest}" if with_digest else "")
    async with connect_watcher(client, f"/v1/games/{http_game.id}/ws{query}") as watcher:
        watcher.copies[http_game.id] = before
        subscribed = await watcher.receive("subscribed")
        assert subscribed["recovered"] is True
        assert subscribed["version"] == 4
        await watcher.receive_until(http_game.id, 4)
        assert before.digest == subscribed["digest"]
        assert before.game == await http_game.get_json()
        await watcher.expect_nothing()
        await watcher.receive_action(http_game)


async def test_a_state_before_the_log_gets_a_snapshot(client: Client, http_game: HTTPGame, redis: Redis) -> None:
    for _ in range(3):
        await http_game.act_successfully()
    await redis.xtrim(keys.log(http_game.id), minid="3", approximate=False)
    async with watch_game(client, http_game.id, "?since=1") as watcher:
        assert watcher.copy_of(http_game.id).snapshots == 1
    async with connect_watcher(client, f"/v1/games/{http_game.id}/ws?since=2") as watcher:
        assert (await watcher.receive("subscribed"))["recovered"] is True


async def test_subscribing_again_repeats_nothing(http_game: HTTPGame, watcher: WatcherClient) -> None:
    await watcher.subscribe(http_game.id)
    await watcher.receive_action(http_game)
    await watcher.subscribe(http_game.id)
    assert (await watcher.subscribe(http_game.id, since=2))["recovered"] is True
    await watcher.receive_action(http_game)
    await watcher.expect_nothing()


async def test_sync_sends_a_snapshot(http_game: HTTPGame, watcher: WatcherClient) -> None:
    await watcher.request({"type": "sync", "game": http_game.id}, "snapshot")
    await http_game.act_successfully()
    await watcher.expect_nothing()
    await watcher.subscribe(http_game.id)
    await watcher.receive_action(http_game)
    await watcher.request({"type": "sync", "game": http_game.id, "id": "y"}, "snapshot")
    await watcher.receive_action(http_game)
    assert watcher.copy_of(http_game.id).game == await http_game.get_json()


async def test_snapshots_and_diffs_keep_their_order_during_play(http_game: HTTPGame, watcher: WatcherClient) -> None:
    await watcher.subscribe(http_game.id)
    for _ in range(30):
        await watcher.send({"type": "sync", "game": http_game.id})
    for _ in range(20):
        await http_game.act_successfully()
    copy = watcher.copy_of(http_game.id)
    while copy.snapshots < 31 or copy.version < 21:
        await watcher.receive()
    assert copy.versions == sorted(set(copy.versions))
    assert copy.game == await http_game.get_json()


async def test_unsubscribe_ends_the_diffs(http_game: HTTPGame, watcher: WatcherClient) -> None:
    await watcher.subscribe(http_game.id)
    ack = await watcher.request({"type": "unsubscribe", "game": http_game.id, "id": "u"}, "ack")
    assert ack == {"type": "ack", "id": "u", "game": http_game.id, "version": None, "digest": None, "legal_moves": None}
    await http_game.act_successfully()
    await watcher.expect_nothing()
    assert (await watcher.request({"type": "unsubscribe", "game": http_game.id}, "ack"))["id"] is None


async def test_one_socket_watches_many_games(client: Client, watcher: WatcherClient) -> None:
    http_games = [await create_game(client) for _ in range(20)]
    for http_game in http_games:
        await watcher.subscribe(http_game.id)
    for http_game in [*http_games, *reversed(http_games)]:
        await http_game.act_successfully()
        assert (await watcher.receive("diff"))["game"] == http_game.id
    assert len(client.app[HUB]) == 20
    for http_game in http_games:
        assert watcher.copy_of(http_game.id).game == await http_game.get_json()
        await watcher.request({"type": "unsubscribe", "game": http_game.id}, "ack")
    assert len(client.app[HUB]) == 0


async def test_subscriptions_and_tokens_of_a_socket_are_limited(store: RedisStore) -> None:
    async with serve(store, Limits(max_subscriptions=2)) as client, connect_watcher(client) as watcher:
        http_games = [await create_game(client) for _ in range(3)]
        for http_game in http_games[:2]:
            await watcher.subscribe(http_game.id)
            await watcher.request({"type": "auth", "game": http_game.id, "token": http_game.owner_token}, "ack")
        for kind, more in (("subscribe", {}), ("auth", {"token": http_games[2].owner_token})):
            error = await watcher.request_error(
                {"type": kind, "game": http_games[2].id, "id": kind, **more}, "rate_limited"
            )
            assert (error["id"], error["game"]) == (kind, http_games[2].id)
        await watcher.subscribe(http_games[1].id)
        await watcher.request({"type": "auth", "game": http_games[1].id, "token": http_games[1].spectator_token}, "ack")
        await watcher.request({"type": "unsubscribe", "game": http_games[0].id}, "ack")
        await watcher.subscribe(http_games[2].id)


async def test_pings_are_answered_in_turn(http_game: HTTPGame, watcher: WatcherClient) -> None:
    for number in range(10):
        await watcher.send({"type": "sync", "game": http_game.id})
        await watcher.send({"type": "ping", "id": str(number)})
    for number in range(10):
        await watcher.receive("snapshot")
        assert await watcher.receive("pong") == {"type": "pong", "id": str(number)}
    assert await watcher.request({"type": "ping"}, "pong") == {"type": "pong", "id": None}


async def test_a_game_that_ends_leaves_the_socket_open(client: Client, watcher: WatcherClient) -> None:
    http_game = await create_game(client)
    await watcher.subscribe(http_game.id)
    await http_game.delete()
    await watcher.receive("diff")
    assert watcher.copy_of(http_game.id).game["status"] == "aborted"
    await watcher.expect_nothing()
    assert await watcher.request({"type": "ping"}, "pong") == {"type": "pong", "id": None}


async def test_a_game_that_disappears_ends_its_subscription(store: RedisStore, redis: Redis) -> None:
    limits = Limits(sweep_interval_s=0.05, max_subscriptions=2)
    async with serve(store, limits) as client, connect_watcher(client) as watcher:
        http_game, other, later = [await create_game(client) for _ in range(3)]
        await watcher.subscribe(http_game.id)
        await watcher.subscribe(other.id)
        await redis.delete(keys.game(http_game.id), keys.log(http_game.id))
        error = await watcher.receive("error")
        assert (error["id"], error["game"], error["problem"]["code"]) == (None, http_game.id, "not_found")
        assert len(client.app[HUB]) == 1
        await watcher.receive_action(other)
        await watcher.subscribe(later.id)


QUICK = Limits(sweep_interval_s=0.1)


@asynccontextmanager
async def instance(url: str) -> AsyncIterator[Client]:
    async with connect(url) as store, serve(store, QUICK) as client:
        yield client


async def test_a_redis_that_was_restarted_costs_no_diff(short_path: Path) -> None:
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(AsyncExitStack())
        url = (await first.enter_async_context(embedded_server(short_path))).url
        clients = [await stack.enter_async_context(instance(url)) for _ in range(2)]
        http_game = await create_game(clients[0], seed="restart")
        http_games = [HTTPGame(client, http_game.created) for client in clients]
        watchers = [await stack.enter_async_context(watch_game(client, http_game.id)) for client in clients]
        for instance_game, versions in zip(http_games, (10, 20), strict=True):
            await instance_game.play_randomly(Random(3), versions)
        await watchers[0].receive_until(http_game.id, 20)
        await first.aclose()
        assert (await http_game.act({"action": {"type": "pass"}})).status == 503
        error = await watchers[0].request_error({"type": "sync", "game": http_game.id}, "store_unavailable")
        assert error["problem"]["retry_after_s"] > 0
        await first.enter_async_context(embedded_server(short_path))

        async def are_served() -> bool:
            return {(await instance_game.get()).status for instance_game in http_games} == {200}

        await wait_until(are_served)
        for instance_game, versions in zip(http_games, (30, 40), strict=True):
            await instance_game.play_randomly(Random(4), versions)
        game = await http_game.get_json()
        for watcher in watchers:
            copy = await watcher.receive_until(http_game.id, game["version"])
            assert (copy.game, copy.snapshots) == (game, 1)
            assert copy.versions == [*range(copy.versions[0], game["version"] + 1)]
        await stack.aclose()


async def test_sockets_that_disconnect_leave_nothing_behind(client: Client, http_game: HTTPGame) -> None:
    async with AsyncExitStack() as stack:
        watchers = [await stack.enter_async_context(watch_game(client, http_game.id)) for _ in range(10)]
        assert len(client.app[HUB]) == 1
        for watcher in watchers[:9]:
            client_transport(watcher.socket).abort()
        await http_game.act_successfully()
        await watchers[9].receive("diff")
        client_transport(watchers[9].socket).abort()
        await wait_until_no_streams(client)
