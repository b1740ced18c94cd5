"""The topology of a Cluster follows slots and nodes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from pathlib import Path

import pytest
from redis.crc import key_slot

from service.games.ports import ChangeNotification, Committed, Revision, StoreUnavailable
from service.store import keys
from service.store.game_store import connect
from tests.polling import wait_until
from tests.redis_servers import Deployment, Node, cluster
from tests.redis_servers.node import execute_text
from tests.store.commits import action, commit_until_answered, creation, diff, digest, key_hash, load_record
from tests.store.notification_recorder import record_notifications

GAMES = [f"g{number}" for number in range(8)]


@pytest.fixture
async def unreplicated_cluster(tmp_path: Path) -> AsyncIterator[Deployment]:
    async with cluster(tmp_path, replicas=0) as running:
        yield running


async def test_a_cluster_is_discovered_again_after_all_nodes_went_down(unreplicated_cluster: Deployment) -> None:
    async with connect(unreplicated_cluster.url, timeout_s=1.5) as store:
        await store.ping()
        for node in unreplicated_cluster.nodes:
            node.kill()
        with pytest.raises(StoreUnavailable):
            await store.ping()
        assert not store._client.is_up()
        for node in unreplicated_cluster.nodes:
            node.start()
        async with asyncio.timeout(40):
            while True:
                with suppress(StoreUnavailable):
                    await store.ping()
                    break


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
        assert await recorder.next_notification() == ChangeNotification("g", 1, diffs=[diff(1)])
        source = await unreplicated_cluster.primary("g")
        target = next(node for node in unreplicated_cluster.nodes if node is not source)
        await set_slot(target, "IMPORTING", await read_node_id(source))
        await set_slot(source, "MIGRATING", await read_node_id(target))
        committing = asyncio.create_task(store.commit(action(1)))
        await migrate_keys(source, target)
        loaded = await load_record(store, "g", key_hash("key"))
        assert (loaded.revision.version, await store.load_versions(["g"])) == (1, [(Revision(1, digest(1)), "")])
        assert not committing.done()
        for node in (target, source):
            await set_slot(node, "NODE", await read_node_id(target))
        assert await committing == Committed()
        assert await store.commit(action(2)) == Committed()
        while (await recorder.next_notification()).version not in (3, None):
            pass
        assert await unreplicated_cluster.primary("g") is target
        topology, known = store._client.topology, f"127.0.0.1:{target.port}"  # after the first MOVED
        await wait_until(lambda: topology.primary_for_key(keys.game("g")) == known)
        async with aclosing(target.client()) as client:
            assert await client.exists(keys.game("g"))


async def test_a_store_may_be_created_before_its_cluster_replies(unreplicated_cluster: Deployment) -> None:
    for node in unreplicated_cluster.nodes:
        node.pause()
    async with connect(unreplicated_cluster.url) as store:
        pinging = asyncio.create_task(store.ping())
        await wait_until(lambda: store._client.topology._refreshing is not None)
        for node in unreplicated_cluster.nodes:
            node.resume()
        await pinging


async def test_a_primary_without_replica_affects_only_its_own_games(tmp_path: Path) -> None:
    async with (
        cluster(tmp_path, replicas=0) as deployment,
        connect(deployment.url, timeout_s=2.0) as store,
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


async def test_a_primary_that_loses_its_replicas_takes_none_from_another(tmp_path: Path) -> None:
    async with cluster(tmp_path, replicas=2) as deployment:
        orphaned, *others = deployment.nodes[:3]
        for replica in await deployment.replicas(orphaned):
            replica.kill()
        await asyncio.sleep(9)  # else one moves after 5 s, and does not come back
        assert [len(await deployment.replicas(primary)) for primary in others] == [2, 2]
