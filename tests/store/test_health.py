"""Probes of each primary, and what they say of servers that are full, emptied, restored, gone or without slots."""

import logging
import re
import shutil
from contextlib import aclosing
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from redis.asyncio import Redis, RedisCluster
from redis.exceptions import ClusterDownError

from service.games.ports import Committed, StoreUnavailable
from service.store import health
from service.store.game_store import RedisStore
from service.store.health import PROBE_TTL_S, RETRY_INTERVAL_S
from service.store.pipeline import PipelinedClient
from service.telemetry import metrics
from tests.polling import INTERVAL_S, in_background, wait_until
from tests.redis_servers import ACL, cluster, connect, create_access, sentinel, set_to_1, standalone
from tests.store.commits import creation
from tests.store.conftest import SingleServer
from tests.store.test_topology import execute_on
from tests.telemetry.metric_samples import grown, read_samples, sum_samples


def gauge(name: str, primary: str = "primary") -> float | None:
    return read_samples().get((f"south_seas_{name}", frozenset({("primary", primary)})))


async def test_each_primary_of_every_deployment_is_probed(store: RedisStore, redis: Redis | RedisCluster) -> None:
    """With the rights of the documented ACL; what a probe writes is gone before the next one."""
    del redis
    assert await store.health.probe()
    for primary in store.client.topology.primaries():
        for name in ("redis_writable", "redis_rdb_save_ok", "redis_aof_write_ok"):
            assert gauge(name, primary) == 1, (name, primary)
    assert PROBE_TTL_S < RETRY_INTERVAL_S
    left = list[str]()

    async def are_markers() -> bool:
        left[:] = [name async for page in store.client.scan("*", 100) for name in page]
        return len(left) == 2 * len(store.client.topology.primaries())

    await wait_until(are_markers)
    assert all(name.endswith((":marker", ":at")) for name in left), left
    assert await store.health.probe()


async def test_a_full_server_is_not_writable_and_one_line_says_when_it_is_again(
    single_server: SingleServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "PROBE_INTERVAL_S", 3600.0)
    monkeypatch.setattr(health, "RETRY_INTERVAL_S", INTERVAL_S)
    store = single_server.store
    await store.commit(creation())
    assert await store.health.probe()
    async with set_to_1(single_server.redis):
        for _ in range(3):
            assert not await store.health.probe()
            assert await store.load("g") is not None
        assert gauge("redis_writable") == 0
    async with in_background(store.health.run()):
        await wait_until(lambda: gauge("redis_writable") == 1 and not store.client.outages.is_open)
    begin, end = [line for line in caplog.messages if line.startswith(("Redis f", "Redis t"))]
    assert begin.startswith(
        "Redis fails commands, so requests get 503, and bots, deadlines and webhooks wait: Redis has"
    )
    assert end.startswith("Redis takes writes again after ")


async def test_a_disk_that_cannot_be_written_fails_commits_and_is_a_gauge(single_server: SingleServer) -> None:
    store, redis = single_server.store, single_server.redis
    in_the_way = Path(str((await redis.config_get("dir"))["dir"])) / "dump.rdb"

    async def is_saving_nothing() -> bool:
        persistence = await redis.info("persistence")
        return not persistence["rdb_bgsave_in_progress"] and not persistence["aof_rewrite_in_progress"]

    async def is_seen() -> bool:
        await store.health.probe()
        return gauge("redis_rdb_save_ok") == 0

    await wait_until(is_saving_nothing)
    in_the_way.mkdir()
    await redis.config_set("save", "3600 1")
    try:
        await redis.bgsave()
        await wait_until(is_seen)
        assert gauge("redis_aof_write_ok") == 1
        with pytest.raises(StoreUnavailable, match="cannot write to its disk"):
            await store.commit(creation())
    finally:
        await redis.config_set("save", "")
        in_the_way.rmdir()
        await wait_until(is_saving_nothing)
        await redis.save()
        in_the_way.unlink()
    await store.commit(creation())


@pytest.mark.parametrize("missing", ("evalsha", "xadd", "hset", "expire"))
async def test_a_right_that_commits_need_is_missed(tmp_path: Path, missing: str) -> None:
    denied = "-evalsha -eval" if missing == "evalsha" else f"-{missing}"
    access = create_access(tmp_path, f"{ACL} {denied}")
    async with standalone(tmp_path, access=access) as deployment, connect(deployment.url) as store:
        assert not await store.health.probe()
        assert gauge("redis_writable") == 0


async def test_without_the_right_to_read_info_only_the_gauges_of_the_disk_are_missing(tmp_path: Path) -> None:
    access = create_access(tmp_path, f"{ACL} -info")
    async with standalone(tmp_path, access=access) as deployment, connect(deployment.url) as store:
        for _ in range(2):
            assert (await store.health.probe(), gauge("redis_writable")) == (True, 1)
        async with aclosing(deployment.nodes[0].client()) as admin:
            assert [(one["object"], one["count"]) for one in await admin.acl_log()] == [("info", 1)]


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


async def test_a_server_with_older_files_is_noticed_by_whoever_plays_over_http_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with standalone(tmp_path) as deployment, connect(deployment.url) as store, connect(deployment.url) as other:
        (node,) = deployment.nodes
        files, copy = node.directory / "appendonlydir", tmp_path / "copy"
        assert await store.health.probe()
        shutil.copytree(files, copy)
        assert await store.health.probe()
        assert await other.health.probe()
        before = read_samples()
        await node.stop()
        assert not await store.health.probe()
        assert not await other.health.probe()
        metrics.REDIS_KEYS.remove("primary")
        shutil.rmtree(files)
        copy.rename(files)
        node.start()
        await node.wait_until_ready()
        execute = PipelinedClient.execute

        async def unconfirmed(client: PipelinedClient, *command: Any, **options: Any) -> Any:
            reply = await execute(client, *command, **options)
            if options.get("wait_for_replicas"):
                raise StoreUnavailable("no replica has it in time")
            return reply

        with monkeypatch.context() as patched:
            patched.setattr(PipelinedClient, "execute", unconfirmed)
            await store.health.probe()
        await wait_until(store.health.probe)
        await wait_until(other.health.probe)
        assert await store.health.probe()
        assert (grown(before, "redis_went_back_total"), grown(before, "redis_emptied_total")) == (2, 0)
        assert gauge("redis_keys")
        lines = [line for line in caplog.messages if "went back" in line]
        assert re.fullmatch(r"Redis \(primary\) went back by [0-9.]+ s: what .* is lost", lines[0])
        assert lines[1].startswith("Redis (primary) went back by a time that only its clock knows")


async def test_what_expires_a_day_after_a_probe_tells_that_the_clock_of_redis_was_ahead(
    single_server: SingleServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = single_server.store
    assert await store.health.probe()
    before, (own,) = read_samples(), await single_server.redis.keys("*:at")
    assert 86_000 < await single_server.redis.ttl(own) <= 86_400
    assert grown(before, "redis_clock_wrong_total") == 0
    with monkeypatch.context() as clocks:
        clocks.setattr(health, "time", SimpleNamespace(time=lambda: 0.0))
        for _ in range(2):
            assert await store.health.probe()
    assert grown(before, "redis_clock_wrong_total") == 2
    (line,) = [line for line in caplog.messages if "clock" in line]
    assert re.fullmatch(r"Redis' clock \(primary\) is \d+ days, .* ahead of this machine's, so .*", line)
    await single_server.redis.delete(own)
    assert await store.health.probe()
    assert await store.transfer.load_emptied() > 0  # games may have expired with it
    assert (grown(before, "redis_clock_wrong_total"), grown(before, "redis_went_back_total")) == (2, 1)


async def test_what_a_primary_says_of_itself_is_a_gauge(single_server: SingleServer) -> None:
    """Of the database that the URL names, too."""
    redis = single_server.redis
    async with connect(f"{single_server.url}?db=1") as store:
        assert await store.commit(creation()) == Committed()
        assert await store.health.probe()
        assert (gauge("redis_keys") or 0) >= 4
        assert (gauge("redis_policy_ok"), gauge("redis_replicas")) == (1, 0)
        await redis.config_set("maxmemory-policy", "allkeys-random")
        evicted = gauge("redis_evicted_keys")

        async def evicts() -> bool:
            await store.health.probe()
            return gauge("redis_evicted_keys") != evicted

        async with set_to_1(redis):
            await wait_until(evicts)
        await redis.config_set("maxmemory-policy", "noeviction")
        assert gauge("redis_policy_ok") == 0


async def test_sentinels_and_replicas_that_are_gone_are_gauges(tmp_path: Path) -> None:
    running = sentinel(tmp_path, down_after_ms=1000, access=create_access(tmp_path, ACL))
    async with running as deployment, connect(deployment.url) as store:

        async def are(replicas: int, sentinels_down: int) -> bool:
            await store.health.probe()
            down = sum_samples(read_samples(), "redis_sentinels_down")
            return (gauge("redis_replicas"), down) == (replicas, sentinels_down)

        await wait_until(partial(are, 2, 0))
        for node in (*deployment.sentinels, deployment.nodes[1]):
            node.kill()
        await wait_until(partial(are, 1, 3))
        for node in (*deployment.sentinels, deployment.nodes[1]):
            node.start()
        await wait_until(partial(are, 2, 0))


async def test_a_clusters_failover_keeps_its_marker_and_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with cluster(tmp_path, primaries=3, replicas=1) as deployment, connect(deployment.url) as store:
        await store.health.probe()
        await wait_until(store.health.probe)
        before = read_samples()
        killed = await deployment.primary()
        replica, *_ = await deployment.replicas(killed)
        await execute_on(replica, "CLUSTER", "FAILOVER")
        await deployment.primary(instead_of=killed)

        async def is_followed() -> bool:  # a node may tell of the former primary for a moment
            await store.client.topology.refresh()
            is_writable = await store.health.probe()
            return is_writable and gauge("redis_writable", killed.address) is None

        await wait_until(is_followed)
        assert (grown(before, "redis_failovers_total"), grown(before, "redis_emptied_total")) == (1, 0)
        assert f"the primary changed from {killed.address} to {replica.address}" in caplog.text
        assert gauge("redis_writable", replica.address) == 1


async def test_of_a_cluster_only_the_primary_that_is_down_is_not_writable(tmp_path: Path) -> None:
    async with cluster(tmp_path, replicas=0) as deployment, connect(deployment.url, timeout_s=5) as store:
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
            await execute_on(node, "FLUSHALL")
            await execute_on(node, "CLUSTER", "RESET", "HARD")
        with pytest.raises(ClusterDownError, match="the Cluster has no slots"):
            await store.client.topology.refresh()
        assert not await store.health.probe()
        with pytest.raises(StoreUnavailable, match="no primary of the Cluster is known"):
            await store.load("g")
        await execute_on(deployment.nodes[0], "CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        await wait_until(store.health.probe)
        assert gauge("redis_writable", deployment.nodes[0].address) == 1
