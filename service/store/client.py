"""From the URL of a Redis to a store."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from service.store.connection.cluster import ClusterTopology
from service.store.connection.command import InFlightLimits
from service.store.connection.pipeline import PipelinedClient, Wait
from service.store.connection.sentinel import SentinelTopology
from service.store.connection.topology import StandaloneTopology, Topology
from service.store.connection.url import InvalidRedisURL, parse_url
from service.store.game_store import RedisStore
from service.supervision import Supervisor

__all__ = ["InFlightLimits", "InvalidRedisURL", "Wait", "connect", "parse_url"]

_TOPOLOGIES: dict[str, type[Topology]] = {
    "standalone": StandaloneTopology,
    "sentinel": SentinelTopology,
    "cluster": ClusterTopology,
}


@asynccontextmanager
async def connect(  # noqa: PLR0913  each is a setting of its own
    url: str,
    *,
    connections: int = 2,
    timeout_s: float = 5.0,
    wait: Wait | None = None,
    supervisor: Supervisor | None = None,
    limits: InFlightLimits | None = None,
    log_outages: bool = True,
) -> AsyncIterator[RedisStore]:
    """Return a store on the Redis at `url`, which connects with its first command. Raise InvalidRedisURL.

    `connections` to each primary carry all commands, one more the notifications, and with `wait` as many again the
    commits. A command without a reply after `timeout_s` raises StoreUnavailable. With `wait`, so does a commit that too
    few replicas acknowledge: it is stored, and a retry with its idempotency key waits for the replicas too. A command
    above the `limits` raises StoreBusy at once. With `log_outages` the log says when Redis fails and when it is back.
    """
    parsed = parse_url(url)
    topology = _TOPOLOGIES[parsed.topology](parsed, supervisor or Supervisor())
    async with aclosing(
        PipelinedClient(topology, connections, timeout_s, wait, limits, log_outages=log_outages)
    ) as client:
        yield RedisStore(client)
