"""With WAIT, no failover loses what was acknowledged, and commits are acknowledged again soon."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from click.testing import CliRunner, Result
from redis.exceptions import ResponseError

from service.games.access import subject_of_key
from service.games.api_key import ApiKey, Quotas
from service.games.archiver import RestoreRequest
from service.games.ports import Committed, StoreUnavailable, VersionConflict, WebhookRegistration, WebhookState
from service.main import cli
from service.store import keys
from service.store.connection import parse_url
from service.store.game_store import RedisStore
from service.store.pipeline import Wait
from service.store.planned_failover import PlannedFailoverError, fail_over
from service.store.schedule import RedisDueQueue
from tests.polling import INTERVAL_S, TIMEOUT_S, wait_until
from tests.redis_servers import SERVICE_NAME, Deployment, Node, cluster, connect, execute_text, sentinel, standalone
from tests.store.commits import action, creation, digest, idempotency, key_hash, load_record, record
from tests.store.conftest import SERVERS, server_name
from tests.store.test_topology import execute_on
from tests.tools import REDIS_CLI, require
from verification.durability.writers import Writers, count_losses

START_SCRIPT = Path(__file__).parents[2] / "deploy" / "container" / "redis-behind-sentinels.sh"

COMMAND_TIMEOUT_S = 0.5
PATIENT = Wait(1, int(TIMEOUT_S * 1000))
"""A replica that follows another primary now is synchronized first, which takes a busy machine long."""

MAX_FAILURES = 16
"""How many attempts of COMMAND_TIMEOUT_S may fail after Redis can replicate a write: Sentinel's 10 s would be 20."""

WAIT_MS = 300

MIN_REPLICAS = ("min-replicas-to-write 1", "min-replicas-max-lag 1")


@asynccontextmanager
async def deploy(directory: Path, replicas: int, wait: int) -> AsyncIterator[tuple[Deployment, RedisStore]]:
    """Run a primary with replicas and sentinels, and a store that waits for `wait` replicas."""
    async with (
        sentinel(directory, replicas=replicas, down_after_ms=1000, settings=MIN_REPLICAS) as deployment,
        connect(deployment.url, wait=PATIENT) as patient,
        connect(deployment.url, timeout_s=COMMAND_TIMEOUT_S, wait=Wait(wait, WAIT_MS)) as store,
    ):
        await wait_until_replicated(await deployment.primary(), replicas)
        assert await patient.commit(creation()) == Committed()
        yield deployment, store


async def wait_until_replicated(node: Node, replicas: int) -> None:
    """Wait until a write to a node is acknowledged by this number of replicas.

    The node rejects it while none has reported for `min-replicas-max-lag`, as on a busy machine.
    """
    async with asyncio.timeout(TIMEOUT_S):
        while True:
            async with aclosing(node.client()) as client:
                try:
                    await client.set("plain", "")
                except ResponseError as error:
                    if not str(error).startswith("NOREPLICAS"):
                        raise
                    await asyncio.sleep(INTERVAL_S)
                    continue
                if int(await execute_text(client, "WAIT", replicas, 100)) >= replicas:
                    return


async def repeat_until_acknowledged(store: RedisStore) -> list[str]:
    """Repeat a commit until it is acknowledged, and return why each earlier attempt failed."""
    once, failures = action(1), list[str]()
    async with asyncio.timeout(TIMEOUT_S):
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
        new = await deployment.primary(instead_of=old)
        await wait_until_replicated(new, 1)
        assert (await repeat_until_acknowledged(store))[MAX_FAILURES:] == []
        if fault == "kill":
            assert not old.is_serving


async def test_waiting_for_all_replicas_includes_the_old_primary(tmp_path: Path) -> None:
    async with deploy(tmp_path, replicas=2, wait=2) as (deployment, store):
        old = await deployment.primary()
        old.kill()
        new = await deployment.primary(instead_of=old)
        await wait_until_replicated(new, 1)
        once, reason = action(1), ""
        async with asyncio.timeout(TIMEOUT_S):
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
        new = await deployment.primary(instead_of=old)
        start_with_script(starter, deployment, old)
        await wait_until_replicated(new, 2)
        assert (await repeat_until_acknowledged(store))[MAX_FAILURES:] == []
        assert old in await deployment.replicas(new)
        assert count_demotions(deployment) == 0  # the start script was faster than the sentinels


async def test_the_start_script_restarts_the_primary_as_primary(tmp_path: Path, starter: Path) -> None:
    async with sentinel(tmp_path) as deployment:
        primary = await deployment.primary()
        primary.kill()
        start_with_script(starter, deployment, primary)
        await primary.wait_until_ready()
        await deployment.wait_until_healthy()
        assert await deployment.primary() is primary


async def test_without_a_majority_the_start_script_follows_the_configuration(tmp_path: Path, starter: Path) -> None:
    async with sentinel(tmp_path) as deployment:
        primary = await deployment.primary()
        (replica, *_) = await deployment.replicas(primary)
        for node in deployment.sentinels[:2]:
            node.kill()
        for node in (primary, replica):
            node.kill()
            start_with_script(starter, deployment, node)
            await node.wait_until_ready()
        assert replica in await deployment.replicas(primary)


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
        deploying = sentinel(directory, replicas=1, sentinels=1, program=program)
    async with deploying as running:
        yield running


@pytest.fixture
async def waiting_store(deployment: Deployment) -> AsyncIterator[RedisStore]:
    """Yield a store that waits for one replica, on an empty deployment."""
    await deployment.clear()
    async with connect(deployment.url, wait=PATIENT) as store:
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
        assert (await load_record(waiting_store, "g", key_hash("key"))).idempotency_record == record()
        assert await client.ttl(keys.replica_wait("g")) != -1  # it expires, or has expired


async def test_an_unreplicated_commit_is_read_and_neither_it_nor_its_retry_is_acknowledged(
    waiting_store: RedisStore, deployment: Deployment, replica: Node
) -> None:
    await waiting_store.commit(creation())
    replica.pause()
    once = action(1, idempotency=idempotency("key"))
    async with connect(deployment.url, wait=Wait(1, 200)) as impatient:
        for repeat in (partial(impatient.commit, once),) * 2 + (partial(impatient.load, "g", key_hash("key")),):
            with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas have it"):
                await repeat()
    assert await waiting_store.load_versions(["g"]) == [((2, digest(2)), "")]
    assert (await load_record(waiting_store)).revision.version == len(await waiting_store.load_diffs("g", 0, 10)) == 2
    replica.resume()
    assert (await load_record(waiting_store, "g", key_hash("key"))).idempotency_record == record()
    assert await waiting_store.commit(once) == Committed()


@pytest.mark.parametrize(
    ("write", "attempts"),
    (
        *((write, 3) for write in ("action", "action with a key", "import", "webhook", "API key")),
        *((write, 1) for write in ("date", "removal of a webhook", "deletion")),
    ),
)
async def test_neither_a_write_nor_its_retry_on_a_new_connection_is_acknowledged_unreplicated(
    waiting_store: RedisStore, deployment: Deployment, replica: Node, write: str, attempts: int
) -> None:
    """WAIT may wait for the writes of its own connection alone, so a retry that changes nothing must write as well."""
    await waiting_store.commit(creation())
    commit = action(1, idempotency=idempotency("key") if write == "action with a key" else None)
    imported = RestoreRequest(creation(), [], replace=True)
    webhook = WebhookRegistration("h", "https://bot.example/", None, None, "whsec_", "2026-11-21T21:00:00Z")
    if write == "removal of a webhook":
        await waiting_store.webhooks.add("g", webhook, WebhookState(1))
    replica.pause()

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
            case "date":
                await RedisDueQueue(store.client, "south-seas:{g}:dates").schedule("g", 1)
            case "removal of a webhook":
                await store.webhooks.remove("g", "h")
            case "deletion":
                await store.transfer.delete("g", [], [])
            case _:
                await store.commit(commit)

    for _ in range(attempts):
        async with connect(deployment.url, wait=Wait(1, 200)) as store:
            with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas have it"):
                await repeat(store)


pytestmark = pytest.mark.timeout(600)

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
    async with connect(deployment.url, wait=PATIENT) as store:
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


async def test_sentinels_lose_nothing(short_path: Path, program: Path, caplog: pytest.LogCaptureFixture) -> None:
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
        files = [(node.directory / "server.conf").read_text() for node in deployment.nodes]
        assert not [file for file in files if "replica-priority 101" in file]  # the Sentinels let servers write theirs


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
    async with sentinel(short_path) as deployment:
        primary = await deployment.primary()
        replica, other = await deployment.replicas(primary)
        assert f"the primary is {primary.address}" in await refusal(deployment, other.address)
        for node in (replica, other):
            await execute_on(node, "CONFIG", "SET", "replica-priority", 0)
        assert "their replica-priority is 0" in await refusal(deployment)
        replica.pause()
        await asyncio.sleep(4)
        assert f"the replica {replica.address} is not in sync" in await refusal(deployment)
        replica.resume()
        await deployment.wait_until_healthy()
        deployment.sentinels[2].kill()
        assert f"the Sentinel {deployment.sentinels[2].address} cannot tell" in await refusal(deployment)
        deployment.sentinels[2].start()
        await deployment.sentinels[2].wait_until_ready()
        await execute_on(deployment.sentinels[1], "SENTINEL", "REMOVE", SERVICE_NAME)
        await execute_on(deployment.sentinels[1], "SENTINEL", "MONITOR", SERVICE_NAME, "127.0.0.1", other.port, 2)
        assert await refusal(deployment)


async def test_a_replica_that_does_not_catch_up_changes_nothing(short_path: Path) -> None:
    async with sentinel(short_path, replicas=1, sentinels=1) as deployment:
        primary = await deployment.primary()
        (replica,) = await deployment.replicas(primary)
        async with writing(deployment):
            replica.pause()
            reason = await refusal(deployment)
            replica.resume()
        assert "nothing has changed" in reason or "Timeout" in reason or "not in sync" in reason
        await wait_until(deployment.primaries)
        assert await deployment.primary() is primary
