"""Everything that a run breaks: Redis, three instances, and the proxy before them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from redis.asyncio import Redis
from redis.exceptions import RedisError

from tests.chaos.haproxy import Haproxy, haproxy
from tests.chaos.instances import Instance, start_instances
from tests.redis_servers import Deployment, cluster, sentinel, standalone

__all__ = ["DEPLOYMENTS", "REPLICAS", "Testbed", "on_all", "on_each", "start_testbed", "wait_until_healthy"]

INSTANCES = 3
HEALTHY_TIMEOUT_S = 240.0
SECRET = "in-chaos"

REPLICATION_SETTINGS = ("min-replicas-to-write 1", "min-replicas-max-lag 2", "repl-backlog-size 32mb")
"""Without a replica that keeps up, a primary accepts nothing: one that is cut off soon stops promising.

The backlog is what a replica catches up with after some seconds of such load, in place of a whole copy.
"""

REPLICAS = 2
"""Of each primary. An action that all of them have is lost by no failover (docs/durability.md)."""

DEPLOYMENTS = ("standalone", "sentinel", "cluster")


class Testbed(NamedTuple):
    """What runs."""

    kind: str
    deployment: Deployment
    instances: Sequence[Instance]
    proxy: Haproxy


@asynccontextmanager
async def start_testbed(
    directory: Path, kind: str, flags: Sequence[str] = (), wait: int = REPLICAS, *, faked: bool = False
) -> AsyncIterator[Testbed]:
    """Everything, at work; an action is acknowledged when `wait` replicas have it, where there are any.

    Each instance has a Redis user of its own, so that it can be locked out, and where `faked` a clock of its own.
    """
    users = [f"user i{number} on >{SECRET} ~* &* +@all" for number in range(1, INSTANCES + 1)]
    async with _deploy_redis(kind, directory, users) as deployment:
        scheme, _, rest = deployment.url.partition(f"://{deployment.access.userinfo}")
        urls = [f"{scheme}://i{number}:{SECRET}@{rest}" for number in range(1, INSTANCES + 1)]
        if kind != "standalone":
            flags = (*flags, "--redis-wait-replicas", str(wait))
        async with (
            start_instances(directory, urls, flags, faked=faked) as instances,
            haproxy(directory, instances) as proxy,
        ):
            yield Testbed(kind, deployment, instances, proxy)


@asynccontextmanager
async def _deploy_redis(kind: str, directory: Path, users: Sequence[str]) -> AsyncIterator[Deployment]:
    if kind == "standalone":
        async with standalone(directory, settings=users) as deployment:
            yield deployment
    elif kind == "sentinel":
        async with sentinel(directory, replicas=REPLICAS, settings=[*users, *REPLICATION_SETTINGS]) as deployment:
            yield deployment
    else:
        async with cluster(directory, replicas=REPLICAS, settings=[*users, *REPLICATION_SETTINGS]) as deployment:
            yield deployment


async def on_all(site: Testbed, do: Callable[..., Awaitable[object]]) -> None:
    """Do something with a client of each data node that answers."""
    for node in site.deployment.nodes:
        if node.is_serving:
            with suppress(RedisError, OSError):
                async with aclosing(node.client()) as client:
                    await do(client)


async def on_each(site: Testbed, do: Callable[[Redis], Awaitable[object]]) -> None:
    """Do something with a client of every data node, as often as it takes where one does not answer in time."""
    async with asyncio.timeout(HEALTHY_TIMEOUT_S):
        for node in site.deployment.nodes:
            while True:
                with suppress(RedisError, OSError):
                    async with aclosing(node.client()) as client:
                        await do(client)
                    break
                await asyncio.sleep(0.1)


async def wait_until_healthy(site: Testbed) -> None:
    """Wait until Redis is whole again; a node that changes its part closes the connections of those who ask it."""
    async with asyncio.timeout(HEALTHY_TIMEOUT_S):
        while True:
            with suppress(RedisError, OSError):
                await site.deployment.wait_until_healthy()
                return
            await asyncio.sleep(0.1)
