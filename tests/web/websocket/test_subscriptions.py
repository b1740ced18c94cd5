"""Every watcher gets every diff once and in order, whichever instance committed it and whatever happens to Redis."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from redis.asyncio import Redis

from service.store import keys
from service.store.client import connect
from service.store.embedded.server import embedded_server
from service.store.game_store import RedisStore
from service.web.app_keys import HUB
from service.web.limits import Limits
from service.web.websocket.streams import STREAMS
from tests.web.app_server import Client, serve
from tests.web.http_game import Table, new_table
from tests.web.watcher_client import Keeper, Line, connected, watching

QUICK = Limits(sweep_interval_s=0.1)

MOVES = 100


class Deaf(RedisStore):
    """A store whose announcements are all lost."""

    async def notifications(self) -> Any:
        """Nothing, for ever."""
        await asyncio.Event().wait()
        yield ""


@asynccontextmanager
async def instance(url: str, limits: Limits = QUICK, *, deaf: bool = False) -> AsyncIterator[Client]:
    """One instance of the service on this Redis."""
    async with connect(url) as store, AsyncExitStack() as stack:
        used = Deaf(store._client) if deaf else store
        yield await stack.enter_async_context(serve(used, limits))


@pytest.fixture
async def instances(redis: Redis, redis_url: str) -> AsyncIterator[list[Client]]:
    """Two instances on one Redis."""
    del redis  # it has emptied the server
    async with instance(redis_url) as one, instance(redis_url) as two:
        yield [one, two]


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A directory whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="south-seas-") as directory:
        yield Path(directory)


def at(client: Client, table: Table) -> Table:
    """The same table over another instance."""
    return Table(client, table.created)


async def play(tables: list[Table], versions: int, chance: Random) -> None:
    """Play a game over its tables in turn, until it has so many versions or is over."""
    while True:
        table = chance.choice(tables)
        legal = await table.json("/legal-moves")
        if not legal["moves"] or legal["version"] >= versions:
            return
        response = await table.act({"move": chance.choice(legal["moves"])["id"]})
        assert response.status == 200, await response.text()


def check(kept: Keeper, game: dict[str, Any]) -> None:
    """What is kept is the game, and was told without gap or repeat since the one snapshot."""
    assert kept.game == game
    assert kept.snapshots == 1
    assert kept.versions == [*range(kept.versions[0], game["version"] + 1)]


async def test_watchers_on_both_instances_get_all_moves_of_both(instances: list[Client]) -> None:
    """Two games of a hundred moves each, on every socket."""
    games = [await new_table(client, seed=f"both-{number}") for number, client in enumerate(instances)]
    async with AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(connected(client)) for client in instances * 2]
        for line in lines:
            for table in games:
                await line.subscribe(table.id)
        async with asyncio.TaskGroup() as group:
            for number, table in enumerate(games):
                group.create_task(play([at(client, table) for client in instances], MOVES + 1, Random(number)))
            for line in lines:
                group.create_task(hear_all(line, [table.id for table in games]))
        for table in games:
            game = await table.json()
            assert game["version"] == MOVES + 1
            for line in lines:
                check(line.keeper(table.id), game)
                await line.nothing()


async def hear_all(line: Line, games: list[str]) -> None:
    """Hear what these games' moves bring."""
    while any(line.keeper(game).version <= MOVES for game in games):
        await line.hear("diff")


async def test_who_comes_while_the_game_goes_on_misses_nothing(instances: list[Client]) -> None:
    table = await new_table(instances[0], seed="coming")
    tables = [at(client, table) for client in instances]

    async def come(client: Client, query: str) -> Keeper:
        async with connected(client, f"/v1/games/{table.id}/ws{query}") as line:
            assert (await line.hear("subscribed"))["recovered"] is bool(query)
            return await line.reach(table.id, 60)

    async with asyncio.TaskGroup() as group:
        playing = group.create_task(play(tables, 60, Random(2)))
        coming = []
        for _ in range(10):
            coming += [group.create_task(come(client, query)) for client in instances for query in ("", "?since=0")]
            await asyncio.wait([playing], timeout=0.05)
    game = await table.json()
    for task in coming:
        assert task.result().game == game


@pytest.mark.parametrize("deaf", (True, False))
async def test_lost_announcements_are_made_good(redis: Redis, redis_url: str, deaf: bool) -> None:
    """Either all are lost, or those that come while Redis has cut the connection that brings them."""
    async with instance(redis_url, deaf=deaf) as here, instance(redis_url) as there:
        table = await new_table(there, seed="lost")
        async with watching(here, table.id) as line:
            for versions in (5, 10, 15):
                if not deaf:
                    await redis.client_kill_filter(_type="pubsub")
                await play([table], versions, Random(versions))
                await line.reach(table.id, versions)
            check(line.keeper(table.id), await table.json())


async def test_an_act_after_lost_announcements_comes_after_what_was_lost(redis: Redis, redis_url: str) -> None:
    del redis
    never = Limits(sweep_interval_s=1000)
    async with instance(redis_url, never, deaf=True) as here, instance(redis_url) as there:
        table = await new_table(there, seed="gap")
        async with watching(here, table.id, token=table.owner) as line:
            await play([table], 4, Random(4))
            move = (await table.moves())[0]["id"]
            await line.say({"type": "act", "game": table.id, "move": move})
            kept = await line.reach(table.id, 5)
            assert (await line.hear("ack"))["version"] == 5
            assert kept.versions == [2, 3, 4, 5]


async def test_a_redis_that_was_restarted_costs_no_diff(data_dir: Path) -> None:
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(AsyncExitStack())
        url = (await first.enter_async_context(embedded_server(data_dir))).url
        clients = [await stack.enter_async_context(instance(url)) for _ in range(2)]
        table = await new_table(clients[0], seed="restart")
        tables = [at(client, table) for client in clients]
        lines = [await stack.enter_async_context(watching(client, table.id)) for client in clients]
        await play(tables, 20, Random(3))
        await lines[0].reach(table.id, 20)
        await first.aclose()
        assert (await table.act({"action": {"type": "pass"}})).status == 503
        error = await lines[0].refused({"type": "sync", "game": table.id}, "store_unavailable")
        assert error["problem"]["retry_after_s"] > 0
        await first.enter_async_context(embedded_server(data_dir))
        await settled(tables)
        await play(tables, 40, Random(4))
        game = await table.json()
        for line in lines:
            check(await line.reach(table.id, game["version"]), game)
        await stack.aclose()


async def settled(tables: list[Table]) -> None:
    """Return when every instance reads again."""
    async with asyncio.timeout(8):
        for table in tables:
            while (await table.get()).status != 200:  # noqa: ASYNC110  an instance gives no event
                await asyncio.sleep(0.05)


async def test_watchers_begin_anew_where_history_is_lost(instances: list[Client], redis: Redis) -> None:
    """A failover may lose what was acknowledged: then another history takes its place."""
    table = await new_table(instances[0], seed="history")
    tables = [at(client, table) for client in instances]
    names = (keys.game(table.id), keys.log(table.id))
    async with watching(instances[0], table.id) as here, watching(instances[1], table.id) as there:
        game = await table.json()
        for again in (1, 2):
            before = game["version"]
            stored = [await redis.dump(name) for name in names]
            await play(tables, before + 3, Random(again))
            for line in (here, there):
                await line.reach(table.id, before + 3)
            for name, value in zip(names, stored, strict=True):
                await redis.restore(name, 0, value or b"", replace=True)
            if again == 2:  # the other history is as long as the lost one before anybody looks
                await play(tables, before + 3, Random(9))
            game = await table.json()
            for line in (here, there):
                kept = line.keeper(table.id)
                while kept.snapshots <= again or kept.game != game:
                    await line.hear()
        await play(tables, game["version"] + 3, Random(5))
        for line in (here, there):
            await line.reach(table.id, game["version"] + 3)
            assert line.keeper(table.id).game == await table.json()


async def test_a_game_with_a_lost_end_is_resumed_with_a_snapshot(instances: list[Client], redis: Redis) -> None:
    table = await new_table(instances[0], seed="lost-end")
    names = (keys.game(table.id), keys.log(table.id))
    stored = [await redis.dump(name) for name in names]
    acted = await table.do()
    for name, value in zip(names, stored, strict=True):
        await redis.restore(name, 0, value or b"", replace=True)
    async with watching(instances[1], table.id, f"?since=2&digest={acted['digest']}") as line:
        assert (line.keeper(table.id).snapshots, line.keeper(table.id).version) == (1, 1)


async def test_nobody_who_has_gone_leaves_anything_behind(client: Client) -> None:
    table = await new_table(client)
    async with AsyncExitStack() as stack:
        lines: list[Line] = [await stack.enter_async_context(watching(client, table.id)) for _ in range(10)]
        assert len(client.app[HUB]) == 1
        for line in lines[:9]:
            vanish(line)
        await table.do()
        await lines[9].hear("diff")
        vanish(lines[9])
        async with asyncio.timeout(5):
            while len(client.app[HUB]) + len(client.app[STREAMS]):  # noqa: ASYNC110  neither gives an event
                await asyncio.sleep(0.01)


def vanish(line: Line) -> None:
    """Lose the connection without a word."""
    response = line.socket._response
    assert response.connection is not None
    assert response.connection.transport is not None
    response.connection.transport.abort()
