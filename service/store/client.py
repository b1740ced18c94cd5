"""The way from a URL to a store."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from service.store.connection.command import InFlightLimits
from service.store.connection.pipeline import PipelinedClient, Wait
from service.store.connection.url import InvalidRedisURL, parse_url
from service.store.game_store import RedisStore
from service.supervision import Supervisor

__all__ = ["InFlightLimits", "InvalidRedisURL", "Wait", "check_url", "connect"]


def check_url(url: str) -> None:
    """Raise BadRedisUrl unless `url` names a Redis: see `service.store.connection.url`."""
    parse_url(url)


@asynccontextmanager
async def connect(
    url: str,
    *,
    connections: int = 2,
    timeout_s: float = 5.0,
    wait: Wait | None = None,
    supervisor: Supervisor | None = None,
    limits: InFlightLimits | None = None,
) -> AsyncIterator[RedisStore]:
    """A store on the Redis at `url`, which is asked for nothing yet. Raises BadRedisUrl.

    `connections` to each primary carry all commands, one more the hints, and with `wait` as many again the commits.
    What Redis has not answered after `patience_s` seconds raises StoreUnavailable; with `wait`, also a commit that too
    few replicas have: it was done, and who asks again with its idempotency key waits for the replicas, too. What would
    be more than `in_flight` raises StoreBusy at once.
    """
    async with aclosing(PipelinedClient(parse_url(url), connections, timeout_s, wait, supervisor, limits)) as batches:
        yield RedisStore(batches)
