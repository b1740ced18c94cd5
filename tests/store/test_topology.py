"""The topologies follow a Cluster's slots and Sentinel's primary, and a failover loses nothing acknowledged."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
from redis.asyncio import Redis
from redis.asyncio.sentinel import SentinelManagedConnection
from redis.crc import key_slot
from redis.exceptions import ConnectionError as RedisConnectionError

from service.games.ports import ChangeNotification, Committed, Revision, StoreUnavailable
from service.store import keys
from service.store.game_store import RedisStore
from service.store.notifications import SILENCE_TIMEOUT_S
from service.store.topology import SOLE_PRIMARY, SentinelTopology
from tests.polling import TIMEOUT_S, run_ready_tasks, wait_until
from tests.redis_servers import SERVICE_NAME, Deployment, Node, cluster, connect, execute_text, sentinel
from tests.store.commits import action, commit_until_answered, creation, diff, digest, key_hash, load_record
from tests.store.test_notifications import record_notifications

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
        assert store.unreachable_s() > 0
        for node in unreplicated_cluster.nodes:
            node.start()
        assert await commit_until_answered(store, creation()) == Committed()


async def execute_on(node: Node, *command: str | int) -> str:
    """Execute a command on one server of a deployment, or on a sentinel, and return the reply as text."""
    async with aclosing(node.client()) as client:
        return await execute_text(client, *command)


async def set_slot(node: Node, *words: str | int) -> None:
    await execute_on(node, "CLUSTER", "SETSLOT", key_slot(b"g"), *words)


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
        record_notifications(other.change_notifications, "g") as recorder,
    ):
        await store.commit(creation())
        assert await recorder.next_notification() == ChangeNotification("g", [diff(1)])
        source = await unreplicated_cluster.primary("g")
        target = next(node for node in unreplicated_cluster.nodes if node is not source)
        source_id, target_id = [await execute_on(node, "CLUSTER", "MYID") for node in (source, target)]
        await set_slot(target, "IMPORTING", source_id)
        await set_slot(source, "MIGRATING", target_id)
        committing = asyncio.create_task(store.commit(action(1)))
        await migrate_keys(source, target)
        loaded = await load_record(store, "g", key_hash("key"))
        assert (loaded.revision.version, await store.load_versions(["g"])) == (1, [(Revision(1, digest(1)), "")])
        assert not committing.done()
        for node in (target, source):
            await set_slot(node, "NODE", target_id)
        assert await committing == Committed()
        assert await store.commit(action(2)) == Committed()
        while (diffs := (await recorder.next_notification()).diffs) and diffs[-1].version != 3:
            pass
        assert await unreplicated_cluster.primary("g") is target
        topology, known = store.client.topology, f"127.0.0.1:{target.port}"  # after the first MOVED
        await wait_until(lambda: topology.primary_for_key(keys.game("g")) == known)
        assert await execute_on(target, "EXISTS", keys.game("g")) == "1"


async def test_a_store_may_be_created_before_its_cluster_replies(unreplicated_cluster: Deployment) -> None:
    for node in unreplicated_cluster.nodes:
        node.pause()
    async with connect(unreplicated_cluster.url) as store:
        pinging = asyncio.create_task(store.ping())
        await wait_until(lambda: store.client.topology.refreshing is not None)
        for node in unreplicated_cluster.nodes:
            node.resume()
        await pinging


async def test_a_primary_without_replica_affects_only_its_own_games(tmp_path: Path) -> None:
    async with cluster(tmp_path, replicas=0) as deployment, connect(deployment.url, timeout_s=2.0) as store:
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


@pytest.fixture
async def deployment(tmp_path: Path) -> AsyncIterator[Deployment]:
    async with sentinel(tmp_path, down_after_ms=1000) as running:
        yield running


@pytest.fixture
async def store(deployment: Deployment) -> AsyncIterator[RedisStore]:
    async with connect(deployment.url) as store:
        yield store


@pytest.fixture
async def topology(store: RedisStore) -> SentinelTopology:
    """Return a topology with a connection to the primary."""
    await store.commit(creation())
    assert isinstance(store.client.topology, SentinelTopology)
    return store.client.topology


async def test_a_manual_failover_while_the_old_primary_replies(deployment: Deployment, store: RedisStore) -> None:
    await store.commit(creation("before"))
    old = await deployment.primary()
    await execute_on(deployment.sentinels[0], "SENTINEL", "FAILOVER", SERVICE_NAME)
    new = await deployment.primary(instead_of=old)
    async with asyncio.timeout(TIMEOUT_S), aclosing(new.client()) as client:
        number = 0
        while not await client.exists(keys.game(f"g{number}")):
            number += 1
            await commit_until_answered(store, creation(f"g{number}"))
    assert old.is_serving


async def test_an_outdated_sentinel_is_outvoted(deployment: Deployment) -> None:
    primary = await deployment.primary()
    (other, *_) = await deployment.replicas(primary)
    await execute_on(deployment.sentinels[0], "SENTINEL", "REMOVE", SERVICE_NAME)
    await execute_on(deployment.sentinels[0], "SENTINEL", "MONITOR", SERVICE_NAME, "127.0.0.1", other.port, 2)
    async with connect(deployment.url) as store:
        for game in GAMES:
            assert await store.commit(creation(game)) == Committed()
        topology = store.client.topology
        assert isinstance(topology, SentinelTopology)
        for late in deployment.sentinels[1:]:
            late.pause()
        discovering = asyncio.create_task(topology._sentinel.discover_master(SERVICE_NAME))
        await asyncio.sleep(0.2)  # the outdated one answers first
        for late in deployment.sentinels[1:]:
            late.resume()
        assert await discovering == ("127.0.0.1", primary.port)


async def test_a_late_answer_with_an_old_address_does_not_replace_a_newer_one(
    topology: SentinelTopology, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = ("127.0.0.1", 7), ("127.0.0.1", 8)
    answered = asyncio.Event()
    asked: list[str] = []

    async def answer(name: str) -> tuple[str, int]:
        asked.append(name)
        if len(asked) > 1:
            return new
        await answered.wait()
        return old

    monkeypatch.setattr(topology._sentinel, "_majority_address", answer)
    late = asyncio.create_task(topology.refresh())
    await wait_until(lambda: asked)
    newer = asyncio.create_task(topology.refresh())
    await run_ready_tasks()
    answered.set()
    await asyncio.gather(late, newer)
    assert topology._pool.master_address == new


async def test_connections_in_use_are_closed_when_the_sentinels_name_another_primary(
    topology: SentinelTopology, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pool, (host, port) = topology._pool, await topology.address(SOLE_PRIMARY)
    connection = await pool.get_connection()  # type: ignore[no-untyped-call]
    assert connection.is_connected
    monkeypatch.setattr(topology._sentinel, "_majority_address", AsyncMock(return_value=("127.0.0.1", 7)))
    await topology.refresh()
    assert not connection.is_connected
    assert f"the primary changed from {host}:{port} to 127.0.0.1:7" in caplog.text
    await pool.release(connection)


async def test_a_connection_fails_if_the_primary_changes_while_it_connects(
    topology: SentinelTopology, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_to = SentinelManagedConnection.connect_to
    pool = topology._pool

    async def overtaken(connection: SentinelManagedConnection, address: tuple[str, int]) -> None:
        await connect_to(connection, address)  # type: ignore[no-untyped-call]
        pool.master_address = ("127.0.0.1", 7)

    monkeypatch.setattr(SentinelManagedConnection, "connect_to", overtaken)
    connection = pool.make_connection()  # type: ignore[no-untyped-call]
    with pytest.raises(RedisConnectionError, match="is no longer the primary"):
        await connection.connect()
    assert not connection.is_connected


async def test_one_sentinel_of_three_is_enough(deployment: Deployment, store: RedisStore) -> None:
    killed, paused, _ = deployment.sentinels
    killed.kill()
    paused.pause()
    assert await commit_until_answered(store, creation()) == Committed()
    paused.resume()


@pytest.fixture(params=("sentinel", "cluster"))
async def replicated(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Deployment]:
    deploying = sentinel(tmp_path, down_after_ms=1000) if request.param == "sentinel" else cluster(tmp_path)
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
    await wait_until(lambda: not any(versions[game] < goal[game] for game in goal))


@pytest.mark.parametrize("fault", (Node.kill, Node.pause), ids=("killed", "hung"))
async def test_failover_loses_no_acknowledged_commit(replicated: Deployment, fault: Callable[[Node], None]) -> None:
    async with connect(replicated.url) as store, connect(replicated.url) as other:
        recording = record_notifications(other.change_notifications, *GAMES, silence_s=SILENCE_TIMEOUT_S)
        async with recording as recorder, play_games(store) as versions:
            await wait_for_progress(versions)
            old = await replicated.primary(GAMES[0])
            fault(old)
            assert await replicated.primary(GAMES[0], old) is not old
            await wait_for_progress(versions)
            while not recorder.queue.empty():
                recorder.queue.get_nowait()
            goal = {(game, version + 5) for game, version in versions.items()}
            while goal:
                notification = await recorder.next_notification()
                goal -= {
                    (game, version)
                    for game, version in goal
                    if game == notification.game and any(one.version >= version for one in notification.diffs)
                }
        for game, version in versions.items():
            log = await store.load_diffs(game, 0, 100_000)
            assert len(log) >= version
            assert log == [diff(number) for number in range(1, len(log) + 1)]


async def dump_game(redis: Redis, game: str) -> dict[str, bytes]:
    """Return what a server has of a game, by key."""
    return {key: await redis.dump(key) or b"" for key in (keys.game(game), keys.log(game))}


async def restore_game(redis: Redis, dumped: dict[str, bytes]) -> None:
    """Replace a game by what a server had of it."""
    for key, value in dumped.items():
        await redis.restore(key, 0, value, replace=True)


class Failover:
    """Replaces a game by what the promoted replica has of it, after the first reply that concerns it."""

    def __init__(self, store: RedisStore, redis: Redis, promoted: dict[str, bytes]) -> None:
        self.has_happened = False
        self._redis = redis
        self._promoted = promoted
        self._execute = store.client.execute
        store.client.execute = self._execute_before  # type: ignore[method-assign]  # there is one client, in use

    def _execute_before(self, *arguments: Any, **options: Any) -> asyncio.Future[Any]:
        reply = self._execute(*arguments, **options)
        return reply if self.has_happened else asyncio.ensure_future(self._fail_over(arguments, reply))

    async def _fail_over(self, arguments: tuple[Any, ...], reply: asyncio.Future[Any]) -> Any:
        received = await reply
        if not self.has_happened and not self._promoted.keys().isdisjoint(arguments):
            self.has_happened = True
            await restore_game(self._redis, self._promoted)
        return received
