"""Faults: each context manager injects one on entry, yields its details, and heals it on exit."""

import asyncio
import resource
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, suppress
from enum import IntEnum
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from redis.asyncio import Redis
from redis.exceptions import RedisError

from service.store.connection import parse_url
from service.store.planned_failover import fail_over
from tests.polling import wait_until
from tests.redis_servers import POLL_S, Node, read_slots
from tests.tools import LIBFAKETIME, require
from verification.chaos.history import Loss
from verification.chaos.instances import Instance
from verification.chaos.redis_clock import set_clock
from verification.chaos.testbed import Testbed, for_each_node, for_reachable_nodes, wait_until_healthy

REPEAT_INTERVAL_S = 0.1
CLOCK_OFFSETS_S = (-3600, -60, -2, 2, 60, 3600)
REDIS_CLOCK_OFFSETS_S = (120, 7200)
CLOCK_NOTICE = r"clock \(.*\) is (0:02|2:00):00 ahead"

FILES = "appendonlydir"

WHOLE_CLUSTER_PROBABILITY = 0.3

OLDER_S = (8.0, 14.0)
"""The age of files that are put back: more than a probe's interval, so that a probe has written since."""


Inject = Callable[[Testbed, Random], AbstractAsyncContextManager[str | Loss]]


class Component(IntEnum):
    """What a fault affects. Faults of two components may overlap; the highest heals first, as the others need it."""

    INSTANCE = 1
    CLIENTS = 2
    REDIS = 3


class FaultType(NamedTuple):
    """A type of fault."""

    name: str
    component: Component
    inject: Inject
    duration_s: tuple[float, float]
    """The shortest and the longest time until it heals."""
    deployments: tuple[str, ...] = ("standalone", "sentinel", "cluster")
    """The deployments of Redis that it applies to."""
    promotes: bool = False
    """Whether a replica may be promoted."""
    notice: str = ""
    """What an instance must log of it, as a regular expression; empty: nothing."""


@asynccontextmanager
async def kill_instance(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Kill an instance with SIGKILL, and restart it."""
    instance = rng.choice(testbed.instances)
    instance.kill()
    async with _restarted(testbed, instance):
        yield instance.name


@asynccontextmanager
async def stop_instance(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Stop an instance with SIGTERM, and restart it."""
    instance = rng.choice(testbed.instances)
    instance.terminate()
    async with _restarted(testbed, instance) as code:
        yield f"{instance.name}, which exited with code {code}"


@asynccontextmanager
async def _restarted(testbed: Testbed, instance: Instance) -> AsyncIterator[int]:
    """Wait until an instance has exited, yield its exit code, and restart it."""
    code = await instance.wait_until_ended()
    try:
        yield code
    finally:
        await instance.start()
        await testbed.proxy.wait_until_up([instance.name])


@asynccontextmanager
async def pause_instance(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Pause an instance with SIGSTOP. Its connections stay open, and it continues old requests much later."""
    instance = rng.choice(testbed.instances)
    instance.pause()
    try:
        yield instance.name
    finally:
        instance.resume()
        await testbed.proxy.wait_until_up([instance.name])


@asynccontextmanager
async def kill_primary(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Kill a Redis primary with SIGKILL, and restart it. A replica, if there is one, is promoted."""
    primary = await _choose_primary(testbed, rng)
    primary.kill()
    try:
        yield primary.directory.name
    finally:
        primary.start()
        await primary.wait_until_ready()
        await wait_until_healthy(testbed)


@asynccontextmanager
async def pause_primary(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Pause a Redis primary with SIGSTOP. When it continues, it may still act as a primary."""
    primary = await _choose_primary(testbed, rng)
    primary.pause()
    try:
        yield primary.directory.name
    finally:
        primary.resume()
        await wait_until_healthy(testbed)


@asynccontextmanager
async def isolate_primary(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Partition a primary from replicas and sentinels, but not from instances: for a while there are two primaries."""
    primary = await _choose_primary(testbed, rng)
    await primary.isolate()
    try:
        yield primary.directory.name
    finally:
        await primary.rejoin()
        await wait_until_healthy(testbed)


@asynccontextmanager
async def fail_over_as_planned(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Let a primary hand over to a replica, as an operator does for an upgrade."""
    await wait_until_healthy(testbed)
    primary = await _choose_primary(testbed, rng)
    lines: list[str] = []
    await fail_over(parse_url(testbed.deployment.admin_url), primary.address, lines.append)
    yield lines[-1]
    await wait_until_healthy(testbed)


@asynccontextmanager
async def fill_disk(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Limit the size of a primary's append-only file, so that Redis rejects writes."""
    primary = await _choose_primary(testbed, rng)
    files = [file.stat() for file in (primary.directory / "appendonlydir").glob("*.incr.aof")]
    size = max(files, key=lambda file: file.st_mtime).st_size
    before = resource.prlimit(primary.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(primary.pid, resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield f"{primary.directory.name} at {size} bytes"
    finally:
        resource.prlimit(primary.pid, resource.RLIMIT_FSIZE, before)
        await wait_until_healthy(testbed)


@asynccontextmanager
async def restore_older_files(testbed: Testbed, rng: Random) -> AsyncIterator[Loss]:
    """Restart all servers, or those of a shard, on the append-only files that their primary had some seconds before."""
    await wait_until_healthy(testbed)
    primaries = await testbed.deployment.primaries()
    chosen = primaries if rng.random() < WHOLE_CLUSTER_PROBABILITY else [rng.choice(primaries)]
    slots = [one for primary in chosen for one in await read_slots(primary)] if len(chosen) < len(primaries) else []
    shards = [[primary, *await testbed.deployment.replicas(primary)] for primary in chosen]
    with TemporaryDirectory() as directory:
        copies = [Path(directory) / primary.directory.name for primary in chosen]
        copied_at = time.monotonic()
        for primary, copy in zip(chosen, copies, strict=True):
            await _copy_files(primary, copy)
        await asyncio.sleep(rng.uniform(*OLDER_S))
        for node in [node for shard in shards for node in shard]:
            node.kill()
        stopped_at = time.monotonic()
        for shard, copy in zip(shards, copies, strict=True):
            for node in shard:
                shutil.rmtree(node.directory / FILES)
                shutil.copytree(copy, node.directory / FILES)
                node.start()
    await asyncio.gather(*(node.wait_until_ready() for shard in shards for node in shard))
    yield Loss(", ".join(primary.directory.name for primary in chosen), copied_at, stopped_at, slots)
    await wait_until_healthy(testbed)


async def _copy_files(primary: Node, copy: Path) -> None:
    """Copy the append-only files of a primary, which has written all to them that it has acknowledged."""
    async with aclosing(primary.client(POLL_S)) as client:
        await client.config_set("auto-aof-rewrite-percentage", 0)
        await wait_until(lambda: _is_rewritten(client))
        shutil.copytree(primary.directory / FILES, copy)
        await client.config_set("auto-aof-rewrite-percentage", 100)


async def _is_rewritten(client: Redis) -> bool:
    info = await client.info("persistence")
    return not (info["aof_rewrite_in_progress"] or info["aof_rewrite_scheduled"])


@asynccontextmanager
async def shift_redis_clock(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Set the clock of a primary ahead, and later back."""
    primary, ahead_s = await _choose_primary(testbed, rng), rng.choice(REDIS_CLOCK_OFFSETS_S)
    set_clock(primary, ahead_s)
    try:
        yield f"{primary.directory.name} by {ahead_s} s"
    finally:
        set_clock(primary, 0)
        await wait_until_healthy(testbed)


@asynccontextmanager
async def drop_notifications(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Close all pub/sub connections repeatedly."""
    del rng

    async def close_pubsub(client: Redis) -> None:
        await client.client_kill_filter(_type="pubsub")

    async with _repeatedly(lambda: for_reachable_nodes(testbed, close_pubsub)):
        yield "all"


@asynccontextmanager
async def forbid_notifications(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Forbid one instance to subscribe, so that it receives no change notifications."""
    instance = rng.choice(testbed.instances)

    async def forbid(client: Redis) -> None:
        await _set_user(client, instance.name, "-subscribe", "-psubscribe", "-ssubscribe")
        await client.client_kill_filter(_type="pubsub", user=instance.name)

    async def allow(client: Redis) -> None:
        await _restore_user(client, instance.name, "+@all")

    await for_reachable_nodes(testbed, forbid)
    try:
        yield instance.name
    finally:
        await for_each_node(testbed, allow)


@asynccontextmanager
async def disconnect_instance_from_redis(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Close one instance's connections to Redis, and reject new ones."""
    instance = rng.choice(testbed.instances)

    async def lock_out(client: Redis) -> None:
        await _set_user(client, instance.name, "off")
        await client.client_kill_filter(user=instance.name)

    async def unlock(client: Redis) -> None:
        await _restore_user(client, instance.name, "on")

    await for_reachable_nodes(testbed, lock_out)
    try:
        yield instance.name
    finally:
        await for_each_node(testbed, unlock)
        await testbed.proxy.wait_until_up([instance.name])


@asynccontextmanager
async def disconnect_all_from_redis(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Close all instances' connections to Redis repeatedly, and accept new ones."""
    del rng

    async def close_connections(client: Redis) -> None:
        for instance in testbed.instances:
            await client.client_kill_filter(user=instance.name)

    async with _repeatedly(lambda: for_reachable_nodes(testbed, close_connections)):
        yield "all"


@asynccontextmanager
async def disconnect_clients(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Close all clients' connections at the proxy repeatedly."""
    del rng

    async def close_connections() -> None:
        for instance in testbed.instances:
            await testbed.proxy.close_connections(instance.name)

    async with _repeatedly(close_connections):
        yield "all"


@asynccontextmanager
async def shift_clock(testbed: Testbed, rng: Random) -> AsyncIterator[str]:
    """Shift the clock of one instance, and later correct it."""
    require(LIBFAKETIME)
    instance, offset_s = rng.choice(testbed.instances), rng.choice(CLOCK_OFFSETS_S)
    instance.set_clock(offset_s)
    try:
        yield f"{instance.name} by {offset_s:+} s"
    finally:
        instance.set_clock(0)


async def _set_user(client: Redis, name: str, *rules: str) -> None:
    await client.execute_command("ACL", "SETUSER", name, *rules)  # type: ignore[no-untyped-call]


async def _restore_user(client: Redis, name: str, *rules: str) -> None:
    """Restore a user, and rewrite the configuration, which sentinels may have made the server write meanwhile."""
    await _set_user(client, name, *rules)
    await client.config_rewrite()


async def _choose_primary(testbed: Testbed, rng: Random) -> Node:
    """Return a node that accepts writes."""
    return rng.choice(await testbed.deployment.primaries())


@asynccontextmanager
async def _repeatedly(call: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Call a function repeatedly until the context ends.

    An event ends the task, since a client that is connecting may swallow a cancellation.
    """
    is_ending = asyncio.Event()

    async def repeat() -> None:
        while not is_ending.is_set():
            with suppress(RedisError, OSError):
                async with asyncio.timeout(REPEAT_INTERVAL_S * 10):
                    await call()
            await asyncio.sleep(REPEAT_INTERVAL_S)

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        is_ending.set()
        await task


CLOCK_SHIFT = FaultType("shift a clock", Component.INSTANCE, shift_clock, (2, 5))
REDIS_CLOCK_SHIFT = FaultType(
    "shift Redis' clock", Component.REDIS, shift_redis_clock, (6, 12), promotes=True, notice=CLOCK_NOTICE
)

FAULT_TYPES = (
    FaultType("kill an instance", Component.INSTANCE, kill_instance, (0.5, 2)),
    FaultType("pause an instance", Component.INSTANCE, pause_instance, (2, 5)),
    FaultType("stop an instance", Component.INSTANCE, stop_instance, (0, 1)),
    FaultType("disconnect one from Redis", Component.INSTANCE, disconnect_instance_from_redis, (2, 4)),
    CLOCK_SHIFT,
    FaultType("disconnect clients", Component.CLIENTS, disconnect_clients, (1, 2)),
    FaultType("drop notifications", Component.REDIS, drop_notifications, (2, 4)),
    FaultType("forbid notifications", Component.REDIS, forbid_notifications, (2, 4)),
    FaultType("disconnect all from Redis", Component.REDIS, disconnect_all_from_redis, (1, 2)),
    FaultType("kill Redis", Component.REDIS, kill_primary, (0.5, 6), promotes=True),
    FaultType("pause Redis", Component.REDIS, pause_primary, (2, 6), promotes=True),
    FaultType("isolate Redis", Component.REDIS, isolate_primary, (3, 6), ("sentinel",), promotes=True),
    FaultType(
        "planned failover", Component.REDIS, fail_over_as_planned, (0.5, 1), ("sentinel", "cluster"), promotes=True
    ),
    FaultType("fill the disk", Component.REDIS, fill_disk, (2, 4)),
    FaultType(
        "restore older files", Component.REDIS, restore_older_files, (0.5, 1), promotes=True, notice="went back by"
    ),
    REDIS_CLOCK_SHIFT,
)
