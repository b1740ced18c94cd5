"""After a failover, acknowledged commits are still there, and commands and notifications continue."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path

import pytest
from redis.asyncio.sentinel import SentinelManagedConnection
from redis.crc import key_slot
from redis.exceptions import ConnectionError as RedisConnectionError

from service.games.ports import ChangeNotification, Committed, StoreUnavailable
from service.store import keys
from service.store.client import connect
from service.store.connection.sentinel import SentinelTopology
from service.store.game_store import RedisStore
from tests.redis_servers import SERVICE_NAME, Deployment, Node, cluster, sentinel
from tests.redis_servers.node import execute_text
from tests.store.commits import action, creation, diff, key_hash
from tests.store.connection.test_outages import commit_until_answered
from tests.store.test_notifications import record_notifications

GAMES = [f"g{number}" for number in range(8)]


@pytest.fixture(params=("sentinel", "cluster"))
async def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Deployment]:
    deploying = sentinel(tmp_path, sentinels=3) if request.param == "sentinel" else cluster(tmp_path)
    async with deploying as running:
        yield running


@asynccontextmanager
async def play_games(store: RedisStore) -> AsyncIterator[dict[str, int]]:
    """Commit to games continually, and yield the last acknowledged version of each."""
    versions = dict.fromkeys(GAMES, 1)

    async def play(game: str) -> None:
        while True:
            assert await commit_until_answered(store, action(versions[game], game)) == Committed()
            versions[game] += 1
            await asyncio.sleep(0.005)

    await asyncio.gather(*(store.commit(creation(game)) for game in GAMES))
    playing = [asyncio.create_task(play(game)) for game in GAMES]
    try:
        yield versions
    finally:
        for task in playing:
            task.cancel()
        ended = await asyncio.gather(*playing, return_exceptions=True)
        assert {type(end) for end in ended} == {asyncio.CancelledError}


async def wait_for_progress(versions: dict[str, int], count: int = 10) -> None:
    """Wait until every game has `count` more versions."""
    goal = {game: version + count for game, version in versions.items()}
    async with asyncio.timeout(40):
        while any(versions[game] < goal[game] for game in goal):  # noqa: ASYNC110  the players set no event
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("fault", (Node.kill, Node.pause), ids=("killed", "hung"))
async def test_failover_loses_no_acknowledged_commit(deployment: Deployment, fault: Callable[[Node], None]) -> None:
    async with connect(deployment.url) as store, connect(deployment.url) as other:
        async with record_notifications(other._notifications, *GAMES) as recorder, play_games(store) as versions:
            await wait_for_progress(versions)
            old = await deployment.primary(GAMES[0])
            fault(old)
            assert await deployment.wait_for_promotion(old, GAMES[0]) is not old
            await wait_for_progress(versions)
            while not recorder.queue.empty():
                recorder.queue.get_nowait()
            goal = {(game, version + 5) for game, version in versions.items()}
            while goal:
                notification = await recorder.next_notification()
                goal -= {
                    (game, version)
                    for game, version in goal
                    if game == notification.game and (notification.version or 0) >= version
                }
        for game, version in versions.items():
            log = await store.load_diffs(game, 0, 10_000)
            assert len(log) >= version
            assert log == [diff(number) for number in range(1, len(log) + 1)]


async def test_a_manual_failover_while_the_old_primary_replies(tmp_path: Path) -> None:
    async with sentinel(tmp_path) as deployment, connect(deployment.url) as store:
        await store.commit(creation("before"))
        old = await deployment.primary()
        async with aclosing(deployment.sentinels[0].client()) as client:
            await execute_text(client, "SENTINEL", "FAILOVER", SERVICE_NAME)
        new = await deployment.wait_for_promotion(old)
        async with asyncio.timeout(20), aclosing(new.client()) as client:
            number = 0
            while not await client.exists(keys.game(f"g{number}")):
                number += 1
                await commit_until_answered(store, creation(f"g{number}"))
        assert old.is_serving


async def test_an_outdated_sentinel_is_outvoted(tmp_path: Path) -> None:
    async with sentinel(tmp_path) as deployment:
        primary = await deployment.primary()
        (other, *_) = await deployment.replicas(primary)
        async with aclosing(deployment.sentinels[0].client()) as client:
            await execute_text(client, "SENTINEL", "REMOVE", SERVICE_NAME)
            await execute_text(client, "SENTINEL", "MONITOR", SERVICE_NAME, "127.0.0.1", other.port, 2)
        async with connect(deployment.url) as store:
            for game in GAMES:
                assert await store.commit(creation(game)) == Committed()
            topology = store._client.topology
            assert isinstance(topology, SentinelTopology)
            named = await asyncio.gather(*(topology._sentinel.discover_master(SERVICE_NAME) for _ in range(5)))
            assert {*named} == {("127.0.0.1", primary.port)}


async def test_a_late_answer_with_an_old_address_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sentinel(tmp_path) as deployment, connect(deployment.url) as store:
        await store.commit(creation())
        topology = store._client.topology
        assert isinstance(topology, SentinelTopology)
        sentinels, now = topology._sentinel, ("127.0.0.1", 7)
        answers = iter([sentinels.last_address, now])

        async def most_named(_: str) -> tuple[str, int]:
            address = next(answers)
            if address != now:  # meanwhile a concurrent call learns the new address
                sentinels.last_address, sentinels._answers = now, sentinels._answers + 1
            assert address is not None
            return address

        monkeypatch.setattr(sentinels, "_majority_address", most_named)
        assert await sentinels.discover_master(SERVICE_NAME) == now


async def test_a_connection_fails_if_the_primary_changes_while_it_connects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sentinel(tmp_path) as deployment, connect(deployment.url) as store:
        await store.commit(creation())
        topology = store._client.topology
        assert isinstance(topology, SentinelTopology)
        connect_to = SentinelManagedConnection.connect_to
        sentinels = topology._sentinel

        async def overtaken(connection: SentinelManagedConnection, address: tuple[str, int]) -> None:
            await connect_to(connection, address)  # type: ignore[no-untyped-call]
            sentinels.last_address = ("127.0.0.1", 7)

        monkeypatch.setattr(SentinelManagedConnection, "connect_to", overtaken)
        connection = topology._pool.make_connection()  # type: ignore[no-untyped-call]
        with pytest.raises(RedisConnectionError, match="is no longer the primary"):
            await connection.connect()
        assert not connection.is_connected


async def test_one_sentinel_of_three_is_enough(tmp_path: Path) -> None:
    async with sentinel(tmp_path) as deployment, connect(deployment.url) as store:
        killed, paused, _ = deployment.sentinels
        killed.kill()
        paused.pause()
        assert await commit_until_answered(store, creation()) == Committed()
        paused.resume()


async def test_a_cluster_is_discovered_again_after_all_nodes_went_down(unreplicated_cluster: Deployment) -> None:
    async with connect(unreplicated_cluster.url, timeout_s=0.5) as store:
        await store.ping()
        for node in unreplicated_cluster.nodes:
            node.kill()
        with pytest.raises(StoreUnavailable):
            await store.ping()
        for node in unreplicated_cluster.nodes:
            node.start()
        async with asyncio.timeout(40):
            while True:
                with suppress(StoreUnavailable):
                    await store.ping()
                    break


@pytest.fixture
async def unreplicated_cluster(tmp_path: Path) -> AsyncIterator[Deployment]:
    async with cluster(tmp_path, replicas=0) as running:
        yield running


async def read_node_id(node: Node) -> str:
    async with aclosing(node.client()) as client:
        return await execute_text(client, "CLUSTER", "MYID")


async def set_slot(node: Node, *words: str | int) -> None:
    async with aclosing(node.client()) as client:
        await execute_text(client, "CLUSTER", "SETSLOT", key_slot(b"g"), *words)


async def migrate_keys(source: Node, target: Node) -> None:
    """Migrate all keys of the game's slot."""
    async with aclosing(source.client()) as client:
        names = await client.execute_command("CLUSTER", "GETKEYSINSLOT", key_slot(b"g"), 100)  # type: ignore[no-untyped-call]
        login = ("AUTH2", source.access.admin_options()["username"], source.access.admin_password)
        await execute_text(client, "MIGRATE", "127.0.0.1", target.port, "", 0, 5000, *login, "KEYS", *names)


async def test_a_slot_migrates_during_a_game(unreplicated_cluster: Deployment) -> None:
    async with (
        connect(unreplicated_cluster.url) as store,
        connect(unreplicated_cluster.url) as other,
        record_notifications(other._notifications, "g") as recorder,
    ):
        await store.commit(creation())
        assert await recorder.next_notification() == ChangeNotification("g", 1)
        source = await unreplicated_cluster.primary("g")
        target = next(node for node in unreplicated_cluster.nodes if node is not source)
        await set_slot(target, "IMPORTING", await read_node_id(source))
        await set_slot(source, "MIGRATING", await read_node_id(target))
        committing = asyncio.create_task(store.commit(action(1)))
        await migrate_keys(source, target)
        loaded = await store.load("g", key_hash("key"))
        assert loaded is not None
        assert (loaded.version, await store.load_versions(["g"])) == (1, [(1, "digest-1")])
        assert not committing.done()
        for node in (target, source):
            await set_slot(node, "NODE", await read_node_id(target))
        assert await committing == Committed()
        assert await store.commit(action(2)) == Committed()
        while (await recorder.next_notification()).version not in (3, None):
            pass
        assert await unreplicated_cluster.primary("g") is target
        async with aclosing(target.client()) as client:
            assert await client.exists(keys.game("g"))


async def test_a_store_may_be_created_before_its_cluster_replies(unreplicated_cluster: Deployment) -> None:
    for node in unreplicated_cluster.nodes:
        node.pause()
    async with connect(unreplicated_cluster.url) as store:
        pinging = asyncio.create_task(store.ping())
        await asyncio.sleep(0.2)
        for node in unreplicated_cluster.nodes:
            node.resume()
        await pinging


async def test_a_primary_without_replica_affects_only_its_own_games(tmp_path: Path) -> None:
    settings = ["cluster-require-full-coverage no"]
    async with (
        cluster(tmp_path, replicas=0, settings=settings) as deployment,
        connect(deployment.url, timeout_s=0.7) as store,
    ):
        plain = [creation(game, is_public=False) for game in GAMES]
        assert await asyncio.gather(*(store.commit(one) for one in plain)) == [Committed()] * len(GAMES)
        killed = await deployment.primary(GAMES[0])
        owners = [await deployment.primary(game) for game in GAMES]
        killed.kill()
        outcomes = await asyncio.gather(*(store.load_versions([game]) for game in GAMES), return_exceptions=True)
        assert {owner is killed for owner in owners} == {True, False}
        for owner, outcome in zip(owners, outcomes, strict=True):
            assert isinstance(outcome, StoreUnavailable if owner is killed else list)
        killed.start()
        assert await commit_until_answered(store, action(1, GAMES[0])) == Committed()
