"""`south-seas redis failover` loses nothing that was acknowledged, and refuses when it is not safe."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.main import cli
from service.store.connection import parse_url
from service.store.game_store import connect
from service.store.pipeline import Wait
from service.store.planned_failover import PlannedFailoverError, fail_over
from tests.polling import TIMEOUT_S, wait_until
from tests.redis_servers import SERVICE_NAME, Deployment, Node, cluster, sentinel, standalone
from tests.redis_servers.node import execute_text
from verification.durability.writers import Writers, count_losses

pytestmark = pytest.mark.timeout(180)

CONNECT = "+auth +hello +select"
SENTINEL_OPERATOR = f"user operator on >secret {CONNECT} +failover +info +config|get +config|set +config|rewrite"
CLUSTER_OPERATOR = f"user operator on >secret {CONNECT} +info +cluster|info +cluster|failover"
"""With no other rights than docs/operating.md names."""


async def failover(deployment: Deployment, *flags: str) -> Result:
    """Run the command as an operator."""
    url = deployment.url.replace(deployment.access.userinfo, "operator:secret@")
    arguments = ["redis", "failover", "--redis-url", url, *flags]
    return await asyncio.to_thread(CliRunner().invoke, cli, arguments)


@asynccontextmanager
async def writing(deployment: Deployment) -> AsyncIterator[Writers]:
    """Write under WAIT 1, and check at the end that nothing acknowledged is lost, and that requests waited."""
    async with connect(deployment.url, timeout_s=TIMEOUT_S, wait=Wait(1)) as store:
        writers = Writers(store, 8, 0.004)
        writers.start()
        await writers.wait_for(500, TIMEOUT_S)
        yield writers
        await writers.wait_for_all(TIMEOUT_S)
        await writers.stop()
        losses = await count_losses(store, writers)
        assert (losses.lost_commits, losses.duplicates, losses.gaps, writers.failures) == ([], 0, 0, 0)


async def read_priority(node: Node) -> str:
    async with aclosing(node.client()) as client:
        return str((await client.config_get("replica-priority"))["replica-priority"])


async def test_behind_sentinels_nothing_is_lost(
    short_path: Path, program: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "south_seas.audit")
    settings = ["min-replicas-to-write 1", "min-replicas-max-lag 2", SENTINEL_OPERATOR]
    async with sentinel(short_path, program=program, settings=settings) as deployment:
        old = await deployment.primary()
        async with writing(deployment):
            result = await failover(deployment)
            assert result.exit_code == 0, result.output
            new = await deployment.primary()
            assert new is not old
        end = f"{new.address} is the primary, and all other servers are its replicas"
        assert result.stdout.splitlines()[-1] == end
        (line,) = [one.getMessage() for one in caplog.records if one.name == "south_seas.audit"]
        assert re.fullmatch(rf"\S+@\S+ made Redis fail over at \S+Z: {re.escape(end)}", line)
        assert {*await deployment.replicas(new)} == {*deployment.nodes} - {new}
        assert [await read_priority(node) for node in deployment.nodes] == ["100"] * 3


async def test_in_a_cluster_nothing_is_lost(short_path: Path) -> None:
    async with cluster(short_path, replicas=1, settings=[CLUSTER_OPERATOR]) as deployment:
        old = await deployment.primary()
        assert "name the primary" in (await failover(deployment)).output
        async with writing(deployment):
            result = await failover(deployment, "--primary", old.address)
        assert result.exit_code == 0, result.output
        assert await deployment.primary() is not old
        refused = await failover(deployment, "--primary", old.address)
        assert (refused.exit_code, f"{old.address} is no primary" in refused.output) == (1, True)


async def test_a_single_server_is_refused(tmp_path: Path) -> None:
    async with standalone(tmp_path) as deployment:
        with pytest.raises(PlannedFailoverError, match="a single server has no replica"):
            await fail_over(parse_url(deployment.admin_url), None, print)


async def refusal(deployment: Deployment, primary: str | None = None) -> str:
    """Return why a failover is refused."""
    before = await deployment.primaries()
    with pytest.raises(PlannedFailoverError) as refused:
        await fail_over(parse_url(deployment.admin_url), primary, print)
    assert await deployment.primaries() == before
    return str(refused.value)


async def test_whatever_is_not_safe_is_refused(short_path: Path) -> None:
    async with sentinel(short_path, down_after_ms=60_000) as deployment:
        primary = await deployment.primary()
        replica, other = await deployment.replicas(primary)
        assert f"the primary is {primary.address}" in await refusal(deployment, other.address)
        replica.pause()
        await asyncio.sleep(4)
        assert f"the replica {replica.address} is not in sync" in await refusal(deployment)
        replica.resume()
        await deployment.wait_until_healthy()
        deployment.sentinels[2].kill()
        assert f"the Sentinel {deployment.sentinels[2].address} cannot tell" in await refusal(deployment)
        deployment.sentinels[2].start()
        await deployment.sentinels[2].wait_until_ready()
        async with aclosing(deployment.sentinels[1].client()) as client:
            await execute_text(client, "SENTINEL", "REMOVE", SERVICE_NAME)
            await execute_text(client, "SENTINEL", "MONITOR", SERVICE_NAME, "127.0.0.1", other.port, 2)
        assert await refusal(deployment)


async def test_a_replica_that_does_not_catch_up_changes_nothing(short_path: Path) -> None:
    async with sentinel(short_path, replicas=1, sentinels=1, down_after_ms=60_000) as deployment:
        primary = await deployment.primary()
        (replica,) = await deployment.replicas(primary)
        async with connect(deployment.url) as store:
            writers = Writers(store, 4, 0.004)
            writers.start()
            await writers.wait_for(100, TIMEOUT_S)
            replica.pause()
            reason = await refusal(deployment)
            replica.resume()
            await writers.wait_for_all(TIMEOUT_S)
            await writers.stop()
        assert "nothing has changed" in reason or "Timeout" in reason or "not in sync" in reason
        await wait_until(deployment.primaries)
        assert await deployment.primary() is primary
