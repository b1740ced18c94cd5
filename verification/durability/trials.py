"""A trial of one guarantee: run writers, inject the fault, and count the losses."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, aclosing, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from redis.asyncio import Redis

from service.store.embedded import EmbeddedServer, embedded_server
from service.store.game_store import connect
from tests.redis_servers import Deployment, Node, cluster, sentinel, standalone
from verification.durability.disk_faults import discard_unsynced, record_fsyncs, slow_disk
from verification.durability.guarantees import Guarantee
from verification.durability.replication_proxy import replicate_through_proxy
from verification.durability.writers import Losses, Writers, count_losses

PARTITION_S = 6.0
"""Longer than a failover takes."""

SLOW_FSYNC_MS = 5000
"""With `everysec` another thread calls fsync; meanwhile Redis delays its writes, by 2 s at most."""

EACH_FSYNC_MS = 20
"""With `always` each reply waits for one fsync."""

PENDING_AOF_BYTES = 400_000
"""More than all writers have in flight, so that most of it was acknowledged."""

PENDING_AOF_TIMEOUT_S = 10.0

SLACK_S = 0.5
"""How late a writer on a busy machine may record an acknowledgement, even after the server was killed."""

RECOVERY_TIMEOUT_S = 60.0
COMMAND_TIMEOUT_S = 1.0
"""Shorter than a failover: clients must reach the new primary even after commands have timed out."""


class SecondFailover(Exception):
    """The sentinels replaced the new primary too: it was slow on a busy machine, and the trial had two faults."""


class Load(NamedTuple):
    """How much is written: for `seconds` before the fault, and for a third of that after it."""

    seconds: float = 1.5
    writers: int = 12
    pause_s: float = 0.004
    commits: int = 150
    """The least number of acknowledged commits before the fault, which take longer on a busy machine."""


class TrialResult(NamedTuple):
    """The result of a trial."""

    losses: Losses
    rate: float
    """Acknowledged commits a second before the fault."""
    outage_s: float | None
    """The longest time without an acknowledged commit of some game; None if it lasted until the end."""
    oldest_loss_s: float
    """How long before the fault the first lost commit was acknowledged; negative after it."""
    newest_loss_s: float
    """How long after the fault the last lost commit was acknowledged; negative before it."""


def find_breach(guarantee: Guarantee, result: TrialResult) -> str | None:
    """Return how a trial shows that a guarantee does not hold, or why it tested nothing; None if all is well."""
    losses, limit = result.losses, guarantee.max_loss_age_s
    if losses.duplicates or losses.gaps:
        return f"{losses.duplicates} duplicates, {losses.gaps} gaps"
    if guarantee.must_lose and not losses.lost_commits:
        return "the fault lost nothing"
    if limit is None or not losses.lost_commits:
        return None
    newest = SLACK_S + (limit if guarantee.fault == "partition" else 0)
    if limit and result.oldest_loss_s <= limit + SLACK_S and result.newest_loss_s <= newest:
        return None
    return (
        f"{len(losses.lost_commits)} lost, acknowledged from {-result.oldest_loss_s:.2f} s to "
        f"{result.newest_loss_s:.2f} s after the fault"
    )


class Target(NamedTuple):
    """A running deployment: the URLs to write to and to read from afterwards, and its fault."""

    write_url: str
    read_url: str
    inject_fault: Callable[[], Awaitable[float]]
    """Injects the fault, waits until writers can continue, and returns its time (`time.monotonic()`)."""
    can_recover: bool = True
    """Whether writers can continue after the fault."""
    primary: Callable[[], Awaitable[Node]] | None = None
    """Returns the primary, where others than the fault may replace it."""


async def run_trial(guarantee: Guarantee, directory: Path, load: Load) -> TrialResult:
    """Run one trial of a guarantee. Raises SecondFailover."""
    async with _start_target(guarantee, directory) as target:
        async with connect(target.write_url, timeout_s=COMMAND_TIMEOUT_S, wait=guarantee.wait) as store:
            writers = Writers(store, load.writers, load.pause_s)
            writers.start()
            started_at = time.monotonic()
            await asyncio.sleep(load.seconds)
            await writers.wait_for(load.commits, RECOVERY_TIMEOUT_S)
            fault_at = await target.inject_fault()
            promoted = await target.primary() if target.primary else None
            if target.can_recover:
                await writers.wait_for_all(RECOVERY_TIMEOUT_S)
                await asyncio.sleep(load.seconds / 3)
            await writers.stop()
        async with connect(target.read_url) as store:
            losses = await count_losses(store, writers)
        if target.primary and await target.primary() is not promoted:
            raise SecondFailover
    before = [commit for commit in writers.acknowledged if commit.at <= fault_at]
    loss_times = [commit.at - fault_at for commit in losses.lost_commits]
    return TrialResult(
        losses,
        len(before) / (fault_at - started_at),
        writers.longest_pause(fault_at) if target.can_recover else None,
        -min(loss_times, default=0.0),
        max(loss_times, default=0.0),
    )


def _fail_on_stop() -> None:
    raise AssertionError("the server was stopped unexpectedly")


@asynccontextmanager
async def _start_target(guarantee: Guarantee, directory: Path) -> AsyncIterator[Target]:
    match guarantee.deployment:
        case "embedded":
            with _faulty_disk(guarantee, directory):
                async with embedded_server(directory, on_stopped=_fail_on_stop) as server:
                    yield Target(server.url, server.url, partial(_kill_embedded, server, guarantee))
        case "standalone":
            with _faulty_disk(guarantee, directory) as fsync_records:
                async with standalone(directory, settings=guarantee.settings) as deployment:
                    inject_fault = partial(_kill_and_restart, deployment.nodes[0], guarantee, fsync_records)
                    yield Target(deployment.url, deployment.url, inject_fault)
        case "sentinel":
            async with sentinel(directory, down_after_ms=1000, settings=guarantee.settings) as deployment:
                if guarantee.fault == "partition":
                    async with _start_partition_target(deployment) as target:
                        yield target
                else:
                    can_recover = guarantee.wait is None or guarantee.wait.replicas < len(deployment.nodes) - 1
                    inject_fault = partial(_kill_primary, deployment)
                    urls = deployment.url, deployment.url
                    yield Target(*urls, inject_fault, can_recover=can_recover, primary=deployment.primary)
        case "cluster":
            async with cluster(directory, settings=guarantee.settings) as deployment:
                can_recover = guarantee.wait is None  # otherwise the former replica is the primary, and has no replica
                yield Target(
                    deployment.url, deployment.url, partial(_kill_primary, deployment), can_recover=can_recover
                )


@asynccontextmanager
async def _start_partition_target(deployment: Deployment) -> AsyncIterator[Target]:
    """Yield a target whose fault is a partition: primary and writers on one side, all others on the other."""
    old = await deployment.primary()
    user = urlsplit(deployment.url).netloc.rpartition("@")[0]
    async with replicate_through_proxy(deployment, old) as proxy:

        async def inject_fault() -> float:
            fault_at = time.monotonic()
            proxy.stop_forwarding()
            await asyncio.gather(deployment.primary(instead_of=old), asyncio.sleep(PARTITION_S))
            return fault_at

        yield Target(f"redis://{user}@{old.address}/0", deployment.url, inject_fault, can_recover=False)


@contextmanager
def _faulty_disk(guarantee: Guarantee, directory: Path) -> Iterator[Path | None]:
    """Set up the disk for the fault, and yield the records of fsyncs for a loss of power."""
    with ExitStack() as stack:
        match guarantee.fault:
            case "power":
                yield stack.enter_context(record_fsyncs(directory))
            case "kill, slow disk":
                is_always = "appendfsync always" in guarantee.settings  # each write waits for an fsync
                stack.enter_context(slow_disk(directory, EACH_FSYNC_MS if is_always else SLOW_FSYNC_MS))
                yield None
            case _:
                yield None


async def _wait_for_pending_aof(guarantee: Guarantee, client: Redis) -> None:
    """Wait until the server delays writes that it has acknowledged, as only `everysec` on a slow disk does."""
    if not (guarantee.must_lose and guarantee.fault == "kill, slow disk"):
        return
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PENDING_AOF_TIMEOUT_S
    async with aclosing(client):
        while loop.time() < deadline:
            info = await client.info("persistence")
            if info["aof_pending_bio_fsync"] and info["aof_buffer_length"] >= PENDING_AOF_BYTES:
                return
            await asyncio.sleep(0.005)


async def _kill_embedded(server: EmbeddedServer, guarantee: Guarantee) -> float:
    await _wait_for_pending_aof(guarantee, Redis.from_url(server.url))
    fault_at = time.monotonic()
    os.kill(server.pid, signal.SIGKILL)
    await asyncio.sleep(0)
    return fault_at


async def _kill_and_restart(node: Node, guarantee: Guarantee, fsync_records: Path | None) -> float:
    """Kill the server, and restart it on its files."""
    await _wait_for_pending_aof(guarantee, node.client())
    fault_at = time.monotonic()
    node.kill()
    if fsync_records is not None:
        discard_unsynced(node, fsync_records)
    node.start()
    await node.wait_until_ready()
    return fault_at


async def _kill_primary(deployment: Deployment) -> float:
    """Kill a primary, which a replica replaces; the old one stays down."""
    old = await deployment.primary()
    fault_at = time.monotonic()
    old.kill()
    await deployment.primary(instead_of=old)
    return fault_at
