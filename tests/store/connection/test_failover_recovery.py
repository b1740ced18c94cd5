"""After the loss of a primary the store acknowledges as soon as Redis can: when as many replicas follow the new one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from service.games.ports import Committed, StoreUnavailable
from service.store.client import Wait, connect
from service.store.game_store import RedisStore
from tests.redis_servers import SERVICE_NAME, Deployment, Node, sentinel
from tests.redis_servers.node import execute_text
from tests.store.commits import action, creation
from tests.tools import REDIS_CLI, require

STARTER = Path(__file__).parents[3] / "deploy" / "container" / "redis-behind-sentinels.sh"

PATIENCE_S = 0.5

FEW = 8
"""So many attempts may fail after Redis itself could confirm a write, PATIENCE_S each. Sentinel's 10 s would be 20."""

WAIT_MS = 300

ALONE = ("min-replicas-to-write 1", "min-replicas-max-lag 1")


@asynccontextmanager
async def deployed(directory: Path, replicas: int, wait: int) -> AsyncIterator[tuple[Deployment, RedisStore]]:
    """A primary with replicas and sentinels, and a store that waits for so many replicas."""
    async with (
        sentinel(directory, replicas=replicas, settings=ALONE) as deployment,
        connect(deployment.url, timeout_s=PATIENCE_S, wait=Wait(wait, WAIT_MS)) as store,
    ):
        await confirmed(await deployment.primary(), replicas)
        assert await store.commit(creation()) == Committed()
        yield deployment, store


async def confirmed(node: Node, replicas: int) -> None:
    """Return when a plain client's write there is on so many replicas."""
    async with asyncio.timeout(40):
        while True:
            async with aclosing(node.client()) as client:
                await client.set("plain", "")
                if int(await execute_text(client, "WAIT", replicas, 100)) >= replicas:
                    return


async def acknowledged(store: RedisStore) -> int:
    """Commit until that is acknowledged; gives how often it was not."""
    once, failures = action(1), 0
    async with asyncio.timeout(40):
        while True:
            try:
                assert await store.commit(once) == Committed()
            except StoreUnavailable:
                failures += 1
            else:
                return failures


async def isolate(node: Node) -> None:
    await node.isolate()


async def kill(node: Node) -> None:
    node.kill()


async def pause(node: Node) -> None:
    node.pause()


@pytest.mark.parametrize("fault", (kill, pause, isolate), ids=lambda fault: fault.__name__)
async def test_with_one_replica_more_than_is_waited_for_nobody_waits_for_the_old_primary(
    tmp_path: Path, fault: Callable[[Node], Awaitable[None]]
) -> None:
    async with deployed(tmp_path, replicas=2, wait=1) as (deployment, store):
        old = await deployment.primary()
        await fault(old)
        new = await deployment.wait_for_promotion(old)
        await confirmed(new, 1)
        assert await acknowledged(store) <= FEW
        if fault is kill:
            assert not old.is_serving


async def test_all_replicas_cannot_confirm_before_the_old_primary_follows(tmp_path: Path) -> None:
    async with deployed(tmp_path, replicas=2, wait=2) as (deployment, store):
        old = await deployment.primary()
        old.kill()
        new = await deployment.wait_for_promotion(old)
        await confirmed(new, 1)
        once, reason = action(1), ""
        async with asyncio.timeout(40):
            while "1 of 2 replicas" not in reason:
                with pytest.raises(StoreUnavailable) as unavailable:
                    await store.commit(once)
                reason = str(unavailable.value)


def converted(deployment: Deployment) -> int:
    """How often the sentinels have made a server that called itself a primary a replica."""
    logs = ((guard.directory / "log").read_text() for guard in deployment.sentinels)
    return sum(log.count("+convert-to-slave") for log in logs)


@pytest.fixture
def starter() -> Path:
    require(REDIS_CLI)
    return STARTER


def start_by(starter: Path, deployment: Deployment, node: Node) -> None:
    """Start a server again as the project advises."""
    sentinels = " ".join(guard.address for guard in deployment.sentinels)
    node.start(
        (starter,),
        SENTINELS=sentinels,
        MASTER=SERVICE_NAME,
        OWN=node.address,
        REDISCLI_AUTH=deployment.access.admin_password,
    )


async def test_a_server_that_follows_from_its_start_ends_that_at_once(tmp_path: Path, starter: Path) -> None:
    async with deployed(tmp_path, replicas=2, wait=2) as (deployment, store):
        old = await deployment.primary()
        old.kill()
        new = await deployment.wait_for_promotion(old)
        start_by(starter, deployment, old)
        await confirmed(new, 2)
        assert await acknowledged(store) <= FEW
        assert old in await deployment.replicas(new)
        assert converted(deployment) == 0  # the sentinels had not come to it yet


async def test_the_primary_starts_as_the_primary(tmp_path: Path, starter: Path) -> None:
    async with sentinel(tmp_path, down_after_ms=60_000) as deployment:
        primary = await deployment.primary()
        primary.kill()
        start_by(starter, deployment, primary)
        await primary.wait_until_ready()
        await deployment.wait_until_healthy()
        assert await deployment.primary() is primary


async def test_without_a_majority_a_server_starts_as_its_file_says(tmp_path: Path, starter: Path) -> None:
    async with sentinel(tmp_path, down_after_ms=60_000) as deployment:
        primary = await deployment.primary()
        (replica, *_) = await deployment.replicas(primary)
        for guard in deployment.sentinels[:2]:
            guard.kill()
        for node in (primary, replica):
            node.kill()
            start_by(starter, deployment, node)
            await node.wait_until_ready()
        assert replica in await deployment.replicas(primary)
