"""A failover just after the first read of a game: clients whom diffs bring up to date are not sent the whole game."""

from redis.asyncio import Redis

from service.store.game_store import RedisStore
from tests.store.test_topology import Failover, dump_game
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame
from tests.web.watcher_client import GameCopy, connect_watcher, open_event_stream


async def fail_over_during_the_next_read(game: HTTPGame, store: RedisStore, redis: Redis) -> tuple[Failover, GameCopy]:
    """Return a failover that will take back version 3, and the copy of a client that has version 2."""
    copy = GameCopy(2, (await game.act_successfully())["digest"])
    promoted = await dump_game(redis, game.id)
    await game.act_successfully()
    return Failover(store, redis, promoted), copy


async def test_a_socket_resumes(client: Client, http_game: HTTPGame, store: RedisStore, redis: Redis) -> None:
    failover, copy = await fail_over_during_the_next_read(http_game, store, redis)
    path = f"/v1/games/{http_game.id}/ws?since=2&digest={copy.digest}"
    async with connect_watcher(client, path) as watcher:
        watcher.copies[http_game.id] = copy
        assert (await watcher.receive("subscribed"))["recovered"] is True
        assert failover.has_happened
        await watcher.receive_action(http_game)
    assert (copy.versions, copy.snapshots) == ([3], 0)


async def test_an_event_stream_resumes(client: Client, http_game: HTTPGame, store: RedisStore, redis: Redis) -> None:
    failover, copy = await fail_over_during_the_next_read(http_game, store, redis)
    async with open_event_stream(client, http_game.id, **{"Last-Event-ID": f"2-{copy.digest}"}) as events:
        assert failover.has_happened
        events.copy = copy
        await events.receive_action(http_game)
    assert (copy.versions, copy.snapshots) == ([3], 0)
