"""The way from a URL to a store.

BadRedisUrl   the URL cannot be used, and why
"""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff
from redis.maint_notifications import MaintNotificationsConfig

from service.store.batch import Batches
from service.store.store import RedisStore

__all__ = ["BadRedisUrl", "check_url", "connect"]

_SCHEMES = ("redis", "rediss", "unix")

_OPTIONS = (
    "db",
    "username",
    "password",
    "ssl_ca_certs",
    "ssl_ca_path",
    "ssl_certfile",
    "ssl_keyfile",
    "ssl_cert_reqs",
    "ssl_check_hostname",
)
"""What may follow the URL's question mark; redis-py's other options would undo what the store relies on."""


class BadRedisUrl(ValueError):
    """The URL of Redis cannot be used. The URL itself is not told: it may hold a password."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the Redis URL {reason}; write redis://HOST:6379/0, rediss://USER:PASSWORD@HOST:6379/0 or unix:///PATH"
        )
        self.reason = reason


def check_url(url: str) -> None:
    """Raise BadRedisUrl unless `url` names a Redis server."""
    try:
        parts = urlsplit(url)
        database = parts.path.strip("/")
        options = parse_qsl(parts.query, keep_blank_values=True)
        port = parts.port
    except ValueError as error:
        raise BadRedisUrl(f"is not a URL ({error})") from error
    if parts.scheme not in _SCHEMES:
        raise BadRedisUrl("begins with none of redis://, rediss:// and unix://")
    if parts.scheme == "unix" and not database:
        raise BadRedisUrl("names no socket")
    if parts.scheme != "unix" and not parts.hostname:
        raise BadRedisUrl("names no host")
    if parts.scheme != "unix" and database and not database.isdecimal():
        raise BadRedisUrl("ends with a database that is not a number")
    if port == 0:
        raise BadRedisUrl("names port 0")
    for name, value in options:
        if name not in _OPTIONS:
            raise BadRedisUrl(f"has an unknown option {name!r}")
        if name == "db" and not value.isdecimal():
            raise BadRedisUrl("has a database that is not a number")


@asynccontextmanager
async def connect(url: str, *, connections: int = 2, patience_s: float = 5.0) -> AsyncIterator[RedisStore]:
    """A store on the Redis at `url`, which is asked for nothing yet. Raises BadRedisUrl.

    `connections` carry all commands, one more the hints. What Redis has not answered after `patience_s` seconds raises
    StoreUnavailable.
    """
    check_url(url)
    async with aclosing(_client(url)) as redis, aclosing(Batches(redis, connections, patience_s)) as batches:
        yield RedisStore(redis, batches)


def _client(url: str) -> Redis:
    """A client that fails fast and comes back by itself. Its silent retries are why each commit has an id."""
    settings: dict[str, Any] = {
        "protocol": 3,
        "decode_responses": False,
        "socket_timeout": 2,
        "socket_connect_timeout": 1,
        "health_check_interval": 5,
        "retry": Retry(ExponentialWithJitterBackoff(base=0.05, cap=0.5), 3),
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }
    if not url.startswith("unix:"):
        settings["socket_keepalive"] = True
    try:
        return Redis.from_url(url, **settings)
    except ValueError as error:
        raise BadRedisUrl(f"cannot be used ({error})") from error
