"""With WAIT, neither a commit that too few replicas have nor its retry is acknowledged."""

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
import pytest_asyncio

from service.games.access import subject_of_key
from service.games.api_key import ApiKey, Quotas
from service.games.archiver import RestoreRequest
from service.games.ports import Committed, StoreUnavailable, VersionConflict, WebhookRegistration, WebhookState
from service.store import keys
from service.store.game_store import RedisStore, connect
from service.store.pipeline import Wait
from tests.redis_servers import Deployment, Node, cluster, sentinel
from tests.store.commits import action, creation, digest, idempotency, key_hash, load_record, record
from tests.store.conftest import SERVERS, server_name

FAILURE_DETECTION_MS = 60_000


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="session",
    params=(*SERVERS, None),
    ids=lambda program: "cluster" if program is None else f"sentinel-{server_name(program)}",
)
async def deployment(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Deployment]:
    """Run a replicated primary of each server program, and a Cluster: WAIT differs between versions."""
    directory, program = tmp_path_factory.mktemp("replicated"), request.param
    if program is None:
        deploying = cluster(directory, node_timeout_ms=FAILURE_DETECTION_MS)
    else:
        deploying = sentinel(directory, replicas=1, sentinels=1, down_after_ms=FAILURE_DETECTION_MS, program=program)
    async with deploying as running:
        yield running


@pytest.fixture
async def waiting_store(deployment: Deployment) -> AsyncIterator[RedisStore]:
    """Yield a store that waits for one replica, as long as a busy machine may take, on an empty deployment."""
    await deployment.clear()
    async with connect(deployment.url, wait=Wait(1, 10_000)) as store:
        yield store


@pytest.fixture
async def impatient_store(deployment: Deployment) -> AsyncIterator[RedisStore]:
    """Yield a store that waits for one replica for a short time."""
    async with connect(deployment.url, wait=Wait(1, 200)) as store:
        yield store


@pytest.fixture
async def replica(deployment: Deployment) -> AsyncIterator[Node]:
    """Yield the replica of the game's primary, and resume it at the end."""
    (node,) = await deployment.replicas(await deployment.primary())
    yield node
    node.resume()


async def test_a_replicated_commit_is_acknowledged(waiting_store: RedisStore, deployment: Deployment) -> None:
    assert await waiting_store.commit(creation()) == Committed()
    assert await waiting_store.commit(action(1, idempotency=idempotency("key"))) == Committed()
    assert await waiting_store.commit(action(1)) == VersionConflict()
    async with aclosing((await deployment.primary("g")).client()) as client:
        await client.set(keys.replica_wait("g"), "")
        loaded = await load_record(waiting_store, "g", key_hash("key"))
        assert loaded.idempotency_record == record()
        assert await client.ttl(keys.replica_wait("g")) != -1  # it expires, or has expired


async def test_neither_an_unreplicated_commit_nor_its_retry_is_acknowledged(
    waiting_store: RedisStore, impatient_store: RedisStore, replica: Node
) -> None:
    await waiting_store.commit(creation())
    replica.pause()
    once = action(1, idempotency=idempotency("key"))
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas have it"):
            await impatient_store.commit(once)
    with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas have it"):
        await impatient_store.load("g", key_hash("key"))
    assert await waiting_store.load_versions(["g"]) == [((2, digest(2)), "")]
    replica.resume()
    loaded = await load_record(waiting_store, "g", key_hash("key"))
    assert loaded.idempotency_record == record()
    assert await waiting_store.commit(once) == Committed()


@pytest.mark.parametrize("write", ("action", "action with a key", "import", "webhook", "API key"))
async def test_a_retry_on_a_new_connection_is_not_acknowledged_either(
    waiting_store: RedisStore, deployment: Deployment, replica: Node, write: str
) -> None:
    """WAIT may wait for the writes of its own connection alone, so a retry that changes nothing must write as well."""
    await waiting_store.commit(creation())
    replica.pause()
    commit = action(1, idempotency=idempotency("key") if write == "action with a key" else None)
    imported = RestoreRequest(creation(), [], replace=True)
    webhook = WebhookRegistration("h", "https://bot.example/", None, None, "whsec_", "2026-11-21T21:00:00Z")

    primary = await deployment.primary()
    name, *_ = [name for name in "abcdefgh" if await deployment.primary(subject_of_key(name)) is primary]

    async def repeat(store: RedisStore) -> None:
        match write:
            case "import":
                await store.transfer.restore(imported)
            case "webhook":
                await store.webhooks.add("g", webhook, WebhookState(1), record=idempotency("key"))
            case "API key":
                await store.api_keys.save(ApiKey(name, 1, Quotas(1, 1, 1), []), 0)
            case _:
                await store.commit(commit)

    for _ in range(3):
        async with connect(deployment.url, wait=Wait(1, 200)) as store:
            with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas have it"):
                await repeat(store)


async def test_reads_do_not_wait_for_replicas(waiting_store: RedisStore, replica: Node) -> None:
    await waiting_store.commit(creation())
    replica.pause()
    assert await waiting_store.load("g") is not None
    assert len(await waiting_store.load_diffs("g", 0, 10)) == 1
