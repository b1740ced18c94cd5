"""URLs, error replies, probes, checks at the start, and the documented ACL, on real servers."""

import asyncio
import logging
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from prometheus_client import REGISTRY
from redis.asyncio import Redis, RedisCluster
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    OutOfMemoryError,
    RedisError,
    ResponseError,
)

from service import store
from service.games.ports import Committed, StoreUnavailable
from service.store import health, server_check
from service.store.connection import InvalidRedisURL, error_code, parse_url, to_store_error
from service.store.game_store import RedisStore
from service.store.health import PROBE_TTL_S, RETRY_INTERVAL_S
from service.store.pipeline import PipelinedClient, Wait
from service.store.server_check import Finding
from service.store.topology import SOLE_PRIMARY
from service.telemetry import metrics
from tests.polling import INTERVAL_S, TIMEOUT_S, in_background, wait_until
from tests.redis_servers import (
    ACL,
    CLUSTER_ACL,
    SENTINEL_ACL,
    SERVICE_USER,
    cluster,
    connect,
    create_access,
    create_certificate,
    sentinel,
    set_to_1,
    standalone,
)
from tests.store.commits import commit_until_answered, creation
from tests.store.conftest import SingleServer
from tests.store.test_topology import execute_on
from tests.telemetry.metric_samples import grown, read_samples, sum_samples


@pytest.mark.parametrize(
    ("error", "text", "meaning"),
    (
        (OutOfMemoryError("used memory > 'maxmemory'.", status_code="OOM"), "OOM used memory", "has reached maxmemory"),
        (BusyLoadingError("is loading", status_code="LOADING"), "LOADING is loading", "is still loading"),
        (MasterDownError("Link is down", status_code="MASTERDOWN"), "MASTERDOWN Link", "without a link to its primary"),
        (ClusterDownError("not served", status_code="CLUSTERDOWN"), "CLUSTERDOWN not", "slots that no primary serves"),
        (AuthenticationError("required.", status_code="NOAUTH"), "NOAUTH required.", "requires a user and a password"),
        (ResponseError("NOREPLICAS Not enough good replicas"), "NOREPLICAS Not", "fewer replicas than"),
        (ResponseError("ERR wrong number of arguments"), "ERR wrong number", "wrong number"),
        (ResponseError("ERR ACL failure in script: no"), "ERR ACL failure", "check its ACL"),
        (ResponseError("ERR The user executing the script can't"), "ERR The user", "check its ACL"),
    ),
)
def test_error_replies_are_explained(error: RedisError, text: str, meaning: str) -> None:
    assert error_code(error) == text.partition(" ")[0]
    assert meaning in str(to_store_error(error))
    assert text in str(to_store_error(error))


@pytest.fixture
async def restricted_url(tmp_path: Path) -> AsyncIterator[str]:
    """Yield the URL of a server whose user may execute no scripts."""
    async with standalone(tmp_path, access=create_access(tmp_path, f"{ACL} -eval -evalsha")) as deployment:
        yield deployment.url


async def test_a_missing_permission_is_logged_once(restricted_url: str, caplog: pytest.LogCaptureFixture) -> None:
    async with connect(restricted_url) as store:
        await store.ping()
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="check its ACL: NOPERM"):
                await store.commit(creation(is_public=False))
    assert len(caplog.records) == 1
    assert "evalsha" in caplog.text


async def test_a_wrong_password_is_logged_once(restricted_url: str, caplog: pytest.LogCaptureFixture) -> None:
    async with connect(restricted_url.replace("%25@", "@"), timeout_s=3600) as store, asyncio.timeout(TIMEOUT_S):
        store.client.outage_tolerance_s = 3600  # it does not wait for the end of one
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="does not accept this user and password: WRONGPASS"):
                await store.ping()
    assert [record.getMessage().partition(", so")[0] for record in caplog.records] == ["Redis fails commands"]
    assert "p:" not in caplog.text


@pytest.mark.parametrize(
    ("url", "topology", "addresses", "options"),
    (
        ("redis://localhost", "standalone", [("localhost", 6379)], {}),
        ("REDIS://localhost", "standalone", [("localhost", 6379)], {}),
        ("redis://localhost:6380/3", "standalone", [("localhost", 6380)], {"db": 3}),
        ("redis://:secret@[::1]:6379", "standalone", [("::1", 6379)], {"password": "secret"}),
        (
            "rediss://user:secret@redis.example:6380/0?ssl_ca_path=/&ssl_cert_reqs=required",
            "standalone",
            [("redis.example", 6380)],
            {
                "username": "user",
                "password": "secret",
                "db": 0,
                "ssl": True,
                "ssl_ca_path": "/",
                "ssl_cert_reqs": "required",
            },
        ),
        (
            "redis+sentinel://sentinel-0,sentinel-1:26380,[::1]/games",
            "sentinel",
            [("sentinel-0", 26379), ("sentinel-1", 26380), ("::1", 26379)],
            {},
        ),
        (
            "redis+cluster://user:secret@node-0:7000,node-1:7001",
            "cluster",
            [("node-0", 7000), ("node-1", 7001)],
            {"username": "user", "password": "secret"},
        ),
        (
            "rediss+cluster://node-0:7000/0?ssl_check_hostname=no",
            "cluster",
            [("node-0", 7000)],
            {"db": 0, "ssl": True, "ssl_check_hostname": False},
        ),
        ("unix:///run/redis.sock?db=2", "standalone", [("", 6379)], {"unix_socket_path": "/run/redis.sock", "db": 2}),
        (
            "unix://user:secret@/run/redis.sock",
            "standalone",
            [("", 6379)],
            {"unix_socket_path": "/run/redis.sock", "username": "user", "password": "secret"},
        ),
    ),
)
def test_valid_urls(url: str, topology: str, addresses: list[tuple[str, int]], options: dict[str, object]) -> None:
    parsed = parse_url(url)
    assert (parsed.topology, parsed.addresses, dict(parsed.options)) == (topology, addresses, options)


def test_sentinels_have_a_service_and_a_login_and_no_repr_has_a_password() -> None:
    parsed = parse_url(
        "rediss+sentinel://user:p%40ss@sentinel:26379/games/2?sentinel_username=u&sentinel_password=hush&ssl_cert_reqs=none"
    )
    assert (parsed.service_name, parsed.options["db"]) == ("games", 2)
    assert parsed.sentinel_login == {"username": "u", "password": "hush"}
    assert (parsed.options["username"], parsed.options["password"]) == ("user", "p@ss")
    assert "p@ss" not in repr(parsed)
    assert "hush" not in repr(parsed)


@pytest.mark.parametrize(
    ("url", "reason"),
    (
        ("", "has an unsupported scheme"),
        ("localhost:6379", "has an unsupported scheme"),
        ("http://:secret@localhost", "has an unsupported scheme"),
        ("redis://", "has no host"),
        ("redis:///0", "has no host"),
        ("redis://:secret@localhost:port", "is not a URL"),
        ("redis://:secret@localhost:70000", "is not a URL"),
        ("redis://[::1", "is not a URL"),
        ("redis://:secret/word@localhost", "is not a URL"),
        ("redis://localhost?secret=word@localhost", "an unsupported option"),
        ("redis://:secret@localhost/games", "a database that is not a number"),
        ("redis://localhost?db=x", "an option with an invalid value"),
        ("redis://:secret#word@localhost", "a # that is not percent-encoded"),
        ("redis://:secret@localhost?protocol=2", r"an unsupported option \(not db, password, username"),
        ("unix://", "has no path of a socket"),
        ("redis://one,two", "has several hosts"),
        ("redis+sentinel://:secret@one,two", "has no SERVICE"),
        ("redis+sentinel://:secret@one,,two/games", "has no host"),
        ("redis+sentinel://one/games/secret", "a database that is not a number"),
        ("redis+sentinel://one/games?ssl_cert_reqs=none", "not db, password, sentinel_password, sentinel_user"),
        ("redis+cluster://:secret@one,two:port", "is not a URL"),
        ("redis+cluster://one/1", "a database other than 0"),
        ("redis+cluster://one?sentinel_password=secret", r"an unsupported option \(not db, password, username"),
        ("rediss://localhost?ssl_keyfile=/dev/null", "TLS options that cannot be used: certfile should be"),
        ("rediss://localhost?ssl_certfile=/dev/null", "TLS options that cannot be used: .SSL. PEM lib"),
        (
            "rediss://localhost?ssl_ca_certs=/dev/null",
            "TLS options that cannot be used: .* no certificate or crl found",
        ),
        ("rediss://localhost?ssl_cert_reqs=perhaps", "TLS options that cannot be used: Invalid SSL Cert.* perhaps"),
        ("rediss://localhost?ssl_ca_certs=/nowhere/ca.pem", "TLS options that cannot be used: .* No such file"),
        ("redis://localhost?ssl_cert_reqs=none", r"an unsupported option \(not db, password, username"),
    ),
)
async def test_invalid_urls(url: str, reason: str) -> None:
    with pytest.raises(InvalidRedisURL, match=reason) as raised:
        async with connect(url):
            pass
    assert "secret" not in str(raised.value)


async def test_a_connection_that_was_closed_is_opened_by_its_pool(
    single_server: SingleServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By itself it would go back to the address that it had, which may be a former primary's."""
    store = single_server.store
    await store.load("unknown")
    pool = store.client.topology.client_for(SOLE_PRIMARY).connection_pool
    monkeypatch.setattr(pool, "ensure_connection", ensure := AsyncMock(wraps=pool.ensure_connection))
    await pool.disconnect()
    assert await store.load("unknown") is None
    assert ensure.await_count == 1


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


async def test_a_name_that_moves_to_the_promoted_server_is_followed_while_the_old_one_lives(short_path: Path) -> None:
    """The name is of a unix socket, which a link takes to another server."""
    one, two = short_path / "one", short_path / "two"
    one.mkdir()
    two.mkdir()
    settings = (f"unixsocket {short_path}/one.sock",), (f"unixsocket {short_path}/two.sock",)
    async with standalone(one, settings=settings[0]) as former, standalone(two, settings=settings[1]) as promoted:
        name = short_path / "name.sock"
        name.symlink_to("one.sock")
        async with connect(f"unix://{former.access.userinfo}{name}") as store:
            assert await store.commit(creation(is_public=False)) == Committed()
            await execute_on(former.nodes[0], "REPLICAOF", "127.0.0.1", promoted.nodes[0].port)
            await execute_on(promoted.nodes[0], "ACL", "SETUSER", SERVICE_USER, "on", f">{former.access.password}")
            committing = asyncio.create_task(store.commit(creation("h", is_public=False)))
            await wait_until(lambda: store.client.topology.refreshing is not None)
            name.unlink()
            name.symlink_to("two.sock")
            assert await committing == Committed()


@pytest.mark.parametrize(
    "start",
    (standalone, partial(sentinel, replicas=1, sentinels=1), cluster),
    ids=("standalone", "sentinel", "cluster"),
)
async def test_a_new_certificate_authority_is_read_without_a_restart(
    tmp_path: Path, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "MEASURE_INTERVAL_S", INTERVAL_S)
    metrics.REDIS_CERTIFICATE_END.set(0)
    end = partial(REGISTRY.get_sample_value, "south_seas_redis_certificate_end_seconds")
    access = create_access(tmp_path, tls=True)
    async with (
        start(tmp_path, access=access) as servers,
        connect(servers.url) as store,
        in_background(store.monitor.run()),
    ):
        await wait_until(end)
        first = end() or 0
        create_certificate(tmp_path, days=9)  # another one in the same file
        for node in (*servers.nodes, *servers.sentinels):
            node.kill()
        for node in (*servers.nodes, *servers.sentinels):
            node.start()
        assert await commit_until_answered(store, creation()) == Committed()
        await wait_until(lambda: (end() or 0) > first)


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


async def check(url: str, wait: Wait | None = None) -> list[Finding]:
    """Check the Redis at a URL."""
    async with connect(url, wait=wait, log_outages=False) as store:
        return await store.check_server()


def assert_found(findings: list[Finding], level: str, *texts: str) -> None:
    """Check that each text is found, at this level, and nothing else."""
    assert {finding.level for finding in findings} == {level}, findings
    assert len(findings) == len(texts), findings
    for finding, text in zip(findings, texts, strict=True):
        assert text in finding.text


@pytest.mark.parametrize(
    ("allowed", "missing"),
    (
        (ACL.replace(" +xadd", "").replace(" +hset", ""), "denies its user hset, xadd:"),
        (ACL.replace(" +eval ", " "), "denies its user eval:"),
        (ACL.replace("&south-seas:*", "&other:*"), "denies its user publish, subscribe:"),
        (ACL.replace(" +xadd", "").replace(" +info", ""), "denies its user info, xadd:"),
    ),
    ids=("commands", "scripts", "channels", "and no INFO"),
)
async def test_a_denied_command_is_named(tmp_path: Path, allowed: str, missing: str) -> None:
    async with standalone(tmp_path, access=create_access(tmp_path, allowed)) as server:
        findings = await check(server.url)
    assert findings[0].level == "error"
    assert missing in findings[0].text


async def test_the_documented_user_is_enough(tmp_path: Path) -> None:
    async with standalone(tmp_path, access=create_access(tmp_path, ACL)) as server:
        assert_found(await check(server.url), "ok", "as they should be")
        assert_found(await check(server.url, Wait(2)), "unavailable", "has 0 replicas, but 2 must acknowledge")
        assert_found(await check(server.url.replace("s%25", "x")), "error", "does not accept this user and password")
        other = server.url.replace("redis://", "redis+cluster://").removesuffix("/0")
        assert_found(await check(other), "error", "Cluster mode is not enabled")
    assert_found(await check(server.url), "unavailable", "Connect call failed")


async def test_a_server_that_loses_games_or_cannot_take_any_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ("maxmemory-policy allkeys-lru", "appendonly no")
    async with standalone(tmp_path, settings=settings) as server:
        loses = await check(server.url)
        assert_found(loses, "warning", "set maxmemory-policy noeviction", "set appendonly yes")
        await execute_on(server.nodes[0], "REPLICAOF", "127.0.0.1", 1)
        *before, found = await check(server.url)
        assert before == loses
        assert_found([found], "unavailable", "is a replica, which takes no writes")
        monkeypatch.setattr(server_check, "MIN_VERSION", (99, 0))
        assert_found(await check(server.url), "error", "is too old")


async def test_tls_on_one_side_only_is_reported_as_the_connection_fails(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    async with standalone(tmp_path, access=create_access(tmp_path, tls=True)) as server:
        assert_found(await check(server.url), "ok", "as they should be")
        plain = server.url.replace("rediss://", "redis://").partition("?")[0]
        assert_found(await check(plain), "unavailable", "Connection")
    async with standalone(tmp_path / "plain") as server:
        url = server.url.replace("redis://", "rediss://")
        assert_found(await check(url), "unavailable", "Timeout connecting to server")


async def test_a_sentinel_is_not_taken_for_a_server(tmp_path: Path) -> None:
    async with sentinel(tmp_path, replicas=1, sentinels=1) as servers:
        assert_found(await check(servers.url, Wait(1)), "ok", "as they should be")
        url = f"redis://:{servers.access.admin_password}@{servers.sentinels[0].address}/0"
        assert_found(await check(url), "error", "runs as sentinel, but the URL says standalone")
        assert_found(await check(servers.url.replace("/the-games/", "/the-gmaes/")), "error", "they do not know it")
        assert_found(await check(servers.url.partition("?")[0]), "error", "HELLO must be called")
        servers.sentinels[0].kill()
        assert_found(await check(servers.url), "unavailable", "no sentinel names a primary")


async def test_each_primary_of_a_cluster_is_checked(tmp_path: Path) -> None:
    async with cluster(tmp_path, replicas=0, access=create_access(tmp_path, CLUSTER_ACL)) as servers:
        assert_found(await check(servers.url), "ok", *["as they should be"] * 3)
        await execute_on(servers.nodes[1], "ACL", "SETUSER", SERVICE_USER, "-ssubscribe")
        findings = [finding for finding in await check(servers.url) if finding.level == "error"]
        assert_found(findings, "error", f"({servers.nodes[1].address}) denies its user ssubscribe:")


async def test_slots_without_a_primary_are_unavailable(tmp_path: Path) -> None:
    async with cluster(tmp_path, replicas=0) as servers:
        for node in servers.nodes:
            await execute_on(node, "CLUSTER", "DELSLOTS", 1)
        *primaries, missing = await check(servers.url)
        assert_found(primaries, "ok", *["as they should be"] * 3)
        assert_found([missing], "unavailable", "the Cluster has no primary for 1 slots")
        async with connect(servers.url) as store:
            assert not await store.health.probe()
            assert read_samples()["south_seas_redis_writable", frozenset({("primary", "unknown")})] == 0
            await execute_on(servers.nodes[0], "CLUSTER", "ADDSLOTS", 1)
            await wait_until(store.health.probe)
            assert ("south_seas_redis_writable", frozenset({("primary", "unknown")})) not in read_samples()


async def test_a_cluster_without_slots_is_waited_for(tmp_path: Path) -> None:
    async with standalone(tmp_path, settings=("cluster-enabled yes",)) as server:
        assert_found(await check(server.url), "error", "runs as cluster, but the URL says standalone")
        url = server.url.replace("redis://", "redis+cluster://").removesuffix("/0")
        assert_found(await check(url), "unavailable", "the Cluster has no slots")
        async with connect(url) as store:
            pinging = asyncio.create_task(store.ping())
            await asyncio.sleep(0.5)
            await execute_on(server.nodes[0], "CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            async with asyncio.timeout(TIMEOUT_S):
                await pinging


FOLDER = Path(store.__path__[0])

CONTAINERS = {"cluster", "sentinel"}
"""Commands of which only some subcommands are allowed."""


def allowed(acl: str) -> set[str]:
    return {word.removeprefix("+") for word in acl.split() if word.startswith("+")}


def test_every_command_in_the_source_is_allowed() -> None:
    commands = {
        word.lower()
        for file in (*FOLDER.rglob("*.lua"), *FOLDER.rglob("*.py"))
        for word in re.findall(r"""(?:call\(|execute\()['"]([A-Z]{3,})['"]""", file.read_text())
    }
    assert {"hmget", "zadd", "xadd", "scan"} <= commands
    assert commands - CONTAINERS <= allowed(ACL)


def test_no_administrative_command_is_allowed() -> None:
    risky = {"keys", "flushall", "flushdb", "config", "debug", "shutdown", "acl", "client", "monitor", "replicaof"}
    assert not allowed(CLUSTER_ACL) & risky
    assert not [word for word in CLUSTER_ACL.split() if word.startswith("+@")]
    assert CLUSTER_ACL.startswith("~south-seas:* &south-seas:* -@all ")


async def test_the_sentinel_acl_is_sufficient(tmp_path: Path) -> None:
    async with sentinel(tmp_path, replicas=1, sentinels=1) as deployment:
        await execute_on(
            deployment.sentinels[0], "ACL", "SETUSER", "asking", "on", ">secret", "-@all", *SENTINEL_ACL.split()
        )
        url = deployment.url.partition("?")[0]
        async with connect(f"{url}?sentinel_username=asking&sentinel_password=secret") as store:
            await store.ping()
