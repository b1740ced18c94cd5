"""The system under test: Redis, three instances, and the proxy in front of them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from redis.asyncio import Redis
from redis.exceptions import RedisError

from service.store import keys
from tests.redis_servers import POLL_S, Deployment, cluster, sentinel, standalone
from tests.tools import ROOT
from verification.chaos.haproxy import Haproxy, haproxy
from verification.chaos.instances import Instance, start_instances
from verification.chaos.redis_clock import prepare_clock

INSTANCES = 3
HEALTHY_TIMEOUT_S = 240.0
SECRET = "in-chaos"

REPLICATION_SETTINGS = ("min-replicas-to-write 1", "min-replicas-max-lag 2", "repl-backlog-size 32mb")
"""A primary without an up-to-date replica rejects writes, so an isolated one soon stops acknowledging.

The backlog lets a replica resume by a partial resync after some seconds of this load.
"""

REPLICAS = 2
"""For each primary. No failover loses an action that all of them have (docs/durability.md)."""

SPREAD = {"balance hash var(txn.game)": "balance roundrobin"}
"""Lets all instances change each game, whose commits then conflict."""

DEPLOYMENTS = ("standalone", "sentinel", "cluster")


class Testbed(NamedTuple):
    """The running system."""

    deployment: Deployment
    instances: Sequence[Instance]
    proxy: Haproxy


@asynccontextmanager
async def start_testbed(
    directory: Path,
    redis: str,
    flags: Sequence[str] = (),
    wait_replicas: int = REPLICAS,
    *,
    fake_clock: bool = False,
    fake_redis_clock: bool = False,
    release: Path = ROOT,
) -> AsyncIterator[Testbed]:
    """Start the system. An action is acknowledged once `wait_replicas` have it, if the deployment has replicas.

    Each instance has its own Redis user, which a fault can lock out. With `fake_clock` each has its own clock, and with
    `fake_redis_clock` each server. The logs of finished games leave Redis for an archive early.
    """
    users = [f"user i{number} on >{SECRET} ~* &* +@all" for number in range(1, INSTANCES + 1)]
    environment = prepare_clock(directory) if fake_redis_clock else {}
    async with _deploy_redis(redis, directory, users, environment) as deployment:
        scheme, _, rest = deployment.url.partition(f"://{deployment.access.userinfo}")
        urls = [f"{scheme}://i{number}:{SECRET}@{rest}" for number in range(1, INSTANCES + 1)]
        flags = (*flags, "--archive-url", f"file://{directory}/archive", "--archived-log-hours", "0.01")
        if redis != "standalone":
            flags = (*flags, "--redis-wait-replicas", str(wait_replicas))
        async with (
            start_instances(directory, urls, flags, fake_clock=fake_clock, release=release) as instances,
            haproxy(directory, instances, SPREAD) as proxy,
        ):
            yield Testbed(deployment, instances, proxy)


def _deploy_redis(
    redis: str, directory: Path, users: Sequence[str], environment: Mapping[str, str]
) -> AbstractAsyncContextManager[Deployment]:
    if redis == "standalone":
        return standalone(directory, settings=users, environment=environment)
    deploy = sentinel if redis == "sentinel" else cluster
    return deploy(directory, replicas=REPLICAS, settings=[*users, *REPLICATION_SETTINGS], environment=environment)


async def for_reachable_nodes(testbed: Testbed, call: Callable[[Redis], Awaitable[object]]) -> None:
    """Call a function with a client of each data node that responds."""
    for node in testbed.deployment.nodes:
        if node.is_serving:
            with suppress(RedisError, OSError):
                async with aclosing(node.client(POLL_S)) as client:
                    await call(client)


async def for_each_node(testbed: Testbed, call: Callable[[Redis], Awaitable[object]]) -> None:
    """Call a function with a client of every data node, and retry until each call succeeds."""
    async with asyncio.timeout(HEALTHY_TIMEOUT_S):
        for node in testbed.deployment.nodes:
            while True:
                with suppress(RedisError, OSError):
                    async with aclosing(node.client(POLL_S)) as client:
                        await call(client)
                    break
                await asyncio.sleep(0.1)


async def count_archived_logs(testbed: Testbed) -> int:
    """Return how many logs are in the archive and no longer in Redis, by the healthy primaries."""
    count = 0
    for node in testbed.deployment.nodes:
        async with aclosing(node.client(POLL_S)) as client:
            if (await client.info("replication"))["role"] == "master":
                async for key in client.scan_iter(keys.game("*"), 1000):
                    count += await client.hexists(key, "compacted")
    return count


async def wait_until_healthy(testbed: Testbed) -> None:
    """Wait until Redis is healthy. Retry, since a node that changes its role closes its clients' connections."""
    async with asyncio.timeout(HEALTHY_TIMEOUT_S):
        while True:
            with suppress(RedisError, OSError):
                await testbed.deployment.wait_until_healthy()
                return
            await asyncio.sleep(0.1)
