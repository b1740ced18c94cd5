"""Replicas must have what is acknowledged: what too few have is done, but neither it nor a retry is acknowledged."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from service.games.ports import Committed, StoreUnavailable, VersionConflict
from service.store.client import Wait, connect
from service.store.game_store import RedisStore
from tests.redis_servers import Deployment, Node, cluster, sentinel
from tests.store.commits import action, creation, digest, idempotency, key_hash, record

PATIENT_MS = 60_000


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=("sentinel", "cluster"))
async def deployment(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Deployment]:
    directory = tmp_path_factory.mktemp("replicated")
    if request.param == "sentinel":
        made = sentinel(directory, replicas=1, sentinels=1, down_after_ms=PATIENT_MS)
    else:
        made = cluster(directory, node_timeout_ms=PATIENT_MS)
    async with made as running:
        yield running


@pytest.fixture
async def waiting(deployment: Deployment) -> AsyncIterator[RedisStore]:
    """A store that waits for one replica; nothing is stored."""
    await deployment.clear()
    async with connect(deployment.url, wait=Wait(1, 200)) as store:
        yield store


@pytest.fixture
async def replica(deployment: Deployment) -> AsyncIterator[Node]:
    """The replica of the game's primary, which is not paused any more at the end."""
    (found,) = await deployment.replicas(await deployment.primary())
    yield found
    found.resume()


async def test_what_a_replica_has_is_acknowledged(waiting: RedisStore) -> None:
    assert await waiting.commit(creation()) == Committed()
    assert await waiting.commit(action(1, idempotency=idempotency("key"))) == Committed()
    assert await waiting.commit(action(1)) == VersionConflict(2, digest(2))
    loaded = await waiting.load("g", key_hash("key"))
    assert loaded is not None
    assert loaded.record == record()


async def test_what_no_replica_has_is_not_acknowledged_and_neither_is_a_retry(
    waiting: RedisStore, replica: Node
) -> None:
    await waiting.commit(creation())
    replica.pause()
    once = action(1, idempotency=idempotency("key"))
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas have it"):
            await waiting.commit(once)
    with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas have it"):
        await waiting.load("g", key_hash("key"))
    assert await waiting.load_versions(["g"]) == [(2, digest(2))]
    replica.resume()
    loaded = await waiting.load("g", key_hash("key"))
    assert loaded is not None
    assert loaded.record == record()
    assert await waiting.commit(once) == Committed()


async def test_reads_do_not_wait_for_replicas(waiting: RedisStore, replica: Node) -> None:
    await waiting.commit(creation())
    replica.pause()
    loaded = await waiting.load("g")
    assert loaded is not None
    assert len(await waiting.load_diffs("g", 0, 10)) == 1
