"""The probe of Redis: a gauge of each primary's writes and of its disk, and a marker that shows lost data."""

import logging
from contextlib import aclosing
from pathlib import Path

import pytest
from redis.asyncio import Redis, RedisCluster
from redis.exceptions import ClusterDownError

from service.games.ports import StoreUnavailable
from service.store.game_store import RedisStore, connect
from service.store.health import PROBE_TTL_S, RETRY_INTERVAL_S
from tests.polling import wait_until
from tests.redis_servers import cluster, create_access, standalone
from tests.redis_servers.access import ACL
from tests.redis_servers.node import execute_text
from tests.store.commits import creation
from tests.store.conftest import SingleServer
from tests.telemetry.metric_samples import grown, read_samples


def gauge(name: str, primary: str = "primary") -> float | None:
    return read_samples().get((f"south_seas_{name}", frozenset({("primary", primary)})))


async def test_each_primary_of_every_deployment_is_probed(store: RedisStore, redis: Redis | RedisCluster) -> None:
    """With the rights of the documented ACL; what a probe writes is gone before the next one."""
    del redis
    assert await store.health.probe()
    for primary in store._client.topology.primaries():
        for name in ("redis_writable", "redis_rdb_save_ok", "redis_aof_write_ok"):
            assert gauge(name, primary) == 1, (name, primary)
    assert PROBE_TTL_S < RETRY_INTERVAL_S
    left = list[str]()

    async def are_markers() -> bool:
        left[:] = [name async for page in store._client.scan("*", 100) for name in page]
        return len(left) == len(store._client.topology.primaries())

    await wait_until(are_markers)
    assert all(name.endswith(":marker") for name in left), left
    assert await store.health.probe()


async def test_a_full_server_is_not_writable_and_one_line_says_when_it_is_again(
    single_server: SingleServer, caplog: pytest.LogCaptureFixture
) -> None:
    store = single_server.store
    await store.commit(creation())
    assert await store.health.probe()
    await single_server.redis.config_set("maxmemory", 1)
    try:
        for _ in range(3):
            assert not await store.health.probe()
            assert await store.load("g") is not None
        assert gauge("redis_writable") == 0
    finally:
        await single_server.redis.config_set("maxmemory", 0)
    assert await store.health.probe()
    assert gauge("redis_writable") == 1
    begin, end = [line for line in caplog.messages if line.startswith(("Redis f", "Redis t"))]
    assert begin.startswith(
        "Redis fails commands, so requests get 503, and bots, deadlines and webhooks wait: Redis has"
    )
    assert end.startswith("Redis takes writes again after ")


async def test_a_disk_that_is_full_by_rdb_is_a_gauge(single_server: SingleServer) -> None:
    directory = Path(str((await single_server.redis.config_get("dir"))["dir"]))
    in_the_way = directory / "dump.rdb"
    redis = single_server.redis

    async def is_saving_nothing() -> bool:
        persistence = await redis.info("persistence")
        return not persistence["rdb_bgsave_in_progress"] and not persistence["aof_rewrite_in_progress"]

    await wait_until(is_saving_nothing)
    in_the_way.mkdir()
    try:
        await redis.bgsave()

        async def is_seen() -> bool:
            await single_server.store.health.probe()
            return gauge("redis_rdb_save_ok") == 0

        await wait_until(is_seen)
        assert gauge("redis_aof_write_ok") == 1
    finally:
        in_the_way.rmdir()
        await wait_until(is_saving_nothing)
        await redis.save()
        in_the_way.unlink()


@pytest.mark.parametrize("missing", ("evalsha", "xadd", "hset", "expire"))
async def test_a_right_that_commits_need_is_missed(tmp_path: Path, missing: str) -> None:
    denied = "-evalsha -eval" if missing == "evalsha" else f"-{missing}"
    access = create_access(tmp_path, f"{ACL} {denied}")
    async with standalone(tmp_path, access=access) as deployment, connect(deployment.url) as store:
        assert not await store.health.probe()
        assert gauge("redis_writable") == 0


async def test_without_the_right_to_read_info_only_the_gauges_of_the_disk_are_missing(tmp_path: Path) -> None:
    for name in ("redis_rdb_save_ok", "redis_aof_write_ok"):
        assert gauge(name, "primary") in (None, 1, 0)
    access = create_access(tmp_path, f"{ACL} -info")
    async with standalone(tmp_path, access=access) as deployment, connect(deployment.url) as store:
        assert await store.health.probe()
        assert gauge("redis_writable") == 1
        assert await store.health.probe()


async def test_a_server_that_was_emptied_is_logged_and_counted_by_every_instance(
    single_server: SingleServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with connect(single_server.url) as other:
        before = read_samples()
        for _ in range(2):
            await single_server.store.health.probe()
            await other.health.probe()
        assert grown(before, "redis_emptied_total") == 0
        assert caplog.messages == ["Redis (primary) is new to this service"]
        await single_server.redis.flushall()
        await single_server.store.health.probe()
        await other.health.probe()
        assert grown(before, "redis_emptied_total") == 2
        assert caplog.messages[1:] == [
            "Redis (primary) was emptied: its marker is gone",
            "Redis (primary) has other data than before: its marker is another",
        ]
        await single_server.store.health.probe()
        assert grown(before, "redis_emptied_total") == 2


async def test_a_failover_of_a_cluster_keeps_the_marker_and_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with cluster(tmp_path, primaries=3, replicas=1) as deployment, connect(deployment.url) as store:
        await store.health.probe()
        await wait_until(store.health.probe)
        before = read_samples()
        killed = await deployment.primary()
        replica, *_ = await deployment.replicas(killed)
        async with aclosing(replica.client()) as client:
            await execute_text(client, "CLUSTER", "FAILOVER")
        await deployment.wait_for_promotion(killed)

        async def is_followed() -> bool:  # a node may tell of the former primary for a moment
            await store._client.topology.refresh()
            is_writable = await store.health.probe()
            return is_writable and gauge("redis_writable", killed.address) is None

        await wait_until(is_followed)
        assert grown(before, "redis_failovers_total") == 1
        assert grown(before, "redis_emptied_total") == 0
        assert f"the primary changed from {killed.address} to {replica.address}" in caplog.text
        assert gauge("redis_writable", replica.address) == 1


async def test_of_a_cluster_only_the_primary_that_is_down_is_not_writable(tmp_path: Path) -> None:
    async with cluster(tmp_path, replicas=0) as deployment, connect(deployment.url) as store:
        await wait_until(store.health.probe)
        killed = await deployment.primary()
        killed.kill()
        assert not await store.health.probe()
        assert {node.address: gauge("redis_writable", node.address) for node in deployment.nodes} == {
            node.address: float(node is not killed) for node in deployment.nodes
        }


async def test_a_cluster_without_slots_is_not_writable_until_it_has_them(tmp_path: Path) -> None:
    async with cluster(tmp_path, primaries=3, replicas=0) as deployment, connect(deployment.url, timeout_s=1) as store:
        await wait_until(store.health.probe)
        for node in deployment.nodes:
            async with aclosing(node.client()) as client:
                await client.flushall()
                await execute_text(client, "CLUSTER", "RESET", "HARD")
        with pytest.raises(ClusterDownError, match="the Cluster has no slots"):
            await store._client.topology.refresh()
        assert not await store.health.probe()
        with pytest.raises(StoreUnavailable, match="no primary of the Cluster is known"):
            await store.load("g")
        async with aclosing(deployment.nodes[0].client()) as client:
            await execute_text(client, "CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        await wait_until(store.health.probe)
        assert gauge("redis_writable", deployment.nodes[0].address) == 1
