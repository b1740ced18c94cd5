"""Checks of Redis at the start, and the documented ACL, on real servers."""

import asyncio
import re
from pathlib import Path

import pytest

from service import store
from service.store import server_check
from service.store.pipeline import Wait
from service.store.server_check import Finding
from tests.polling import TIMEOUT_S, wait_until
from tests.redis_servers import (
    ACL,
    CLUSTER_ACL,
    SENTINEL_ACL,
    SERVICE_USER,
    cluster,
    connect,
    create_access,
    sentinel,
    standalone,
)
from tests.store.test_topology import execute_on
from tests.telemetry.metric_samples import read_samples


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
