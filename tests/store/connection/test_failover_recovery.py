"""After a failover, commits are acknowledged as soon as enough replicas follow the new primary."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest
from redis.exceptions import ResponseError

from service.games.ports import Committed, StoreUnavailable
from service.store.game_store import RedisStore, connect
from service.store.pipeline import Wait
from tests.redis_servers import SERVICE_NAME, Deployment, Node, sentinel
from tests.redis_servers.node import execute_text
from tests.store.commits import action, creation
from tests.tools import REDIS_CLI, require

START_SCRIPT = Path(__file__).parents[3] / "deploy" / "container" / "redis-behind-sentinels.sh"

COMMAND_TIMEOUT_S = 0.5

MAX_FAILURES = 8
"""How many attempts of COMMAND_TIMEOUT_S may fail after Redis can replicate a write: Sentinel's 10 s would be 20."""

WAIT_MS = 300

MIN_REPLICAS = ("min-replicas-to-write 1", "min-replicas-max-lag 1")


@asynccontextmanager
async def deploy(directory: Path, replicas: int, wait: int) -> AsyncIterator[tuple[Deployment, RedisStore]]:
    """Run a primary with replicas and sentinels, and a store that waits for `wait` replicas."""
    async with (
        sentinel(directory, replicas=replicas, settings=MIN_REPLICAS) as deployment,
        connect(deployment.url, timeout_s=COMMAND_TIMEOUT_S, wait=Wait(wait, WAIT_MS)) as store,
    ):
        await wait_until_replicated(await deployment.primary(), replicas)
        assert await store.commit(creation()) == Committed()
        yield deployment, store


async def wait_until_replicated(node: Node, replicas: int) -> None:
    """Wait until a write to a node is acknowledged by this number of replicas.

    The node rejects it while none has reported for `min-replicas-max-lag`, as on a busy machine.
    """
    async with asyncio.timeout(40):
        while True:
            async with aclosing(node.client()) as client:
                try:
                    await client.set("plain", "")
                except ResponseError as error:
                    if not str(error).startswith("NOREPLICAS"):
                        raise
                    await asyncio.sleep(0.1)
                    continue
                if int(await execute_text(client, "WAIT", replicas, 100)) >= replicas:
                    return


async def repeat_until_acknowledged(store: RedisStore) -> list[str]:
    """Repeat a commit until it is acknowledged, and return why each earlier attempt failed."""
    once, failures = action(1), list[str]()
    async with asyncio.timeout(40):
        while True:
            try:
                assert await store.commit(once) == Committed()
            except StoreUnavailable as unavailable:
                failures.append(str(unavailable))
            else:
                return failures


@pytest.mark.parametrize("fault", ("kill", "pause", "isolate"))
async def test_with_a_spare_replica_commits_do_not_wait_for_the_old_primary(tmp_path: Path, fault: str) -> None:
    async with deploy(tmp_path, replicas=2, wait=1) as (deployment, store):
        old = await deployment.primary()
        match fault:
            case "kill":
                old.kill()
            case "pause":
                old.pause()
            case _:
                await old.isolate()
        new = await deployment.wait_for_promotion(old)
        await wait_until_replicated(new, 1)
        assert (await repeat_until_acknowledged(store))[MAX_FAILURES:] == []
        if fault == "kill":
            assert not old.is_serving


async def test_waiting_for_all_replicas_includes_the_old_primary(tmp_path: Path) -> None:
    async with deploy(tmp_path, replicas=2, wait=2) as (deployment, store):
        old = await deployment.primary()
        old.kill()
        new = await deployment.wait_for_promotion(old)
        await wait_until_replicated(new, 1)
        once, reason = action(1), ""
        async with asyncio.timeout(40):
            while "1 of 2 replicas" not in reason:
                with pytest.raises(StoreUnavailable) as unavailable:
                    await store.commit(once)
                reason = str(unavailable.value)


def count_demotions(deployment: Deployment) -> int:
    """Return how often the sentinels have demoted a server that took itself for a primary."""
    logs = ((node.directory / "log").read_text() for node in deployment.sentinels)
    return sum(log.count("+convert-to-slave") for log in logs)


@pytest.fixture
def starter() -> Path:
    require(REDIS_CLI)
    return START_SCRIPT


def start_with_script(starter: Path, deployment: Deployment, node: Node) -> None:
    """Restart a server with the start script of the documentation."""
    sentinels = " ".join(node.address for node in deployment.sentinels)
    node.start(
        (starter,),
        SENTINELS=sentinels,
        MASTER=SERVICE_NAME,
        OWN=node.address,
        REDISCLI_AUTH=deployment.access.admin_password,
    )


async def test_the_start_script_makes_the_old_primary_a_replica_at_once(tmp_path: Path, starter: Path) -> None:
    async with deploy(tmp_path, replicas=2, wait=2) as (deployment, store):
        old = await deployment.primary()
        old.kill()
        new = await deployment.wait_for_promotion(old)
        start_with_script(starter, deployment, old)
        await wait_until_replicated(new, 2)
        assert (await repeat_until_acknowledged(store))[MAX_FAILURES:] == []
        assert old in await deployment.replicas(new)
        assert count_demotions(deployment) == 0  # the start script was faster than the sentinels


async def test_the_start_script_restarts_the_primary_as_primary(tmp_path: Path, starter: Path) -> None:
    async with sentinel(tmp_path, down_after_ms=60_000) as deployment:
        primary = await deployment.primary()
        primary.kill()
        start_with_script(starter, deployment, primary)
        await primary.wait_until_ready()
        await deployment.wait_until_healthy()
        assert await deployment.primary() is primary


async def test_without_a_majority_the_start_script_follows_the_configuration(tmp_path: Path, starter: Path) -> None:
    async with sentinel(tmp_path, down_after_ms=60_000) as deployment:
        primary = await deployment.primary()
        (replica, *_) = await deployment.replicas(primary)
        for node in deployment.sentinels[:2]:
            node.kill()
        for node in (primary, replica):
            node.kill()
            start_with_script(starter, deployment, node)
            await node.wait_until_ready()
        assert replica in await deployment.replicas(primary)
