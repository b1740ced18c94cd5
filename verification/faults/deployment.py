"""What one fault happens to: Redis, two instances behind haproxy, users, and Prometheus."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, nullcontext
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from tests.redis_servers import (
    ACL,
    CLUSTER_ACL,
    POLL_S,
    Deployment,
    cluster,
    create_access,
    execute_text,
    reserve_ports,
    sentinel,
    standalone,
)
from verification.chaos.haproxy import haproxy
from verification.chaos.instances import Instance, run_instances
from verification.chaos.testbed import Testbed
from verification.faults.alerts import Alerts, KubeState, start_alerts
from verification.faults.users import Users, start_users

Redis = Literal["embedded", "standalone", "sentinel", "cluster"]

PLAYERS = 6
PROXY = "127.0.0.1"
REPLICATION = ("min-replicas-to-write 1", "min-replicas-max-lag 1")
"""As deploy/redis/redis.conf."""

START_TIMEOUT_S = 120.0


class Bed(NamedTuple):
    """A running deployment under load."""

    directory: Path
    testbed: Testbed
    users: Users
    alerts: Alerts
    kube_state: KubeState
    rng: Random

    @property
    def redis(self) -> Deployment:
        """The Redis servers."""
        return self.testbed.deployment

    @property
    def instances(self) -> Sequence[Instance]:
        """The instances of the service."""
        return self.testbed.instances

    async def execute(self, *command: str | int) -> None:
        """Execute a command of an operator on every data node that serves."""
        for node in self.redis.nodes:
            if node.is_serving:
                async with aclosing(node.client(POLL_S)) as client:
                    await execute_text(client, *command)


@asynccontextmanager
async def start_bed(
    directory: Path,
    redis: Redis,
    rng: Random,
    *,
    settings: Sequence[str] = (),
    flags: Sequence[str] = (),
    wrapper: tuple[str, ...] = (),
) -> AsyncIterator[Bed]:
    """Start everything, with further lines for Redis' configuration and flags of the service."""
    async with _start_redis(directory, redis, settings) as deployment:
        ports = reserve_ports(1 if redis == "embedded" else 2)
        if redis in ("sentinel", "cluster"):
            flags = (*flags, "--redis-wait-replicas", "1")
        url = "" if redis == "embedded" else deployment.url
        instances = [
            Instance(f"i{number}", directory, url, (*flags, "--metrics-port", str(port)), fake_clock=False)
            for number, port in enumerate(ports, 1)
        ]
        for instance in instances:
            instance.wrapper = wrapper
            instance.environment["SOUTH_SEAS_TRUSTED_PROXIES"] = PROXY
        async with (
            run_instances(instances),
            haproxy(directory, instances) as proxy,
            start_alerts(directory, ports) as (alerts, kube_state),
            start_users(proxy.url, PLAYERS, rng) as users,
        ):
            await wait_for_moves(users, PLAYERS)
            yield Bed(directory, Testbed(deployment, instances, proxy), users, alerts, kube_state, rng)


def _start_redis(directory: Path, redis: Redis, settings: Sequence[str]) -> AbstractAsyncContextManager[Deployment]:
    access = create_access(directory, CLUSTER_ACL if redis == "cluster" else ACL)
    if redis == "embedded":
        return nullcontext(Deployment(f"unix://{directory}/data/redis/redis.sock", access, []))
    if redis == "standalone":
        return standalone(directory, access=access, settings=settings)
    if redis == "sentinel":
        return sentinel(directory, down_after_ms=1000, access=access, settings=[*REPLICATION, *settings])
    return cluster(
        directory,
        access=access,
        replicas=2,
        settings=[*REPLICATION, *settings],
    )


async def wait_for_moves(users: Users, players: int) -> None:
    """Wait until each player has made another move."""
    since = time.monotonic()
    async with asyncio.timeout(START_TIMEOUT_S):
        while len(users.moved_at) < players or not users.has_moved_since(since):  # noqa: ASYNC110  users set no event
            await asyncio.sleep(0.05)
