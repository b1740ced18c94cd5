"""The way from a URL to a store.

BadRedisUrl   the URL cannot be used, and why
"""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff
from redis.maint_notifications import MaintNotificationsConfig

from service.store.batch import Batches
from service.store.connection import pack_in_c
from service.store.store import RedisStore

__all__ = ["BadRedisUrl", "check_url", "client", "connect"]

_OPTIONS = {"db", "username", "password"}
"""What may follow the URL's question mark; redis-py's other options would undo what the store relies on."""

_FILES = {"ssl_ca_certs", "ssl_ca_path", "ssl_certfile", "ssl_keyfile"}

_OPTIONS_OF = {
    "redis": _OPTIONS,
    "rediss": _OPTIONS | _FILES | {"ssl_cert_reqs", "ssl_check_hostname"},
    "unix": _OPTIONS,
}


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
        port = parts.port
    except ValueError:
        raise BadRedisUrl("is not a URL (special characters of a password must be percent-encoded)") from None
    if parts.scheme not in _OPTIONS_OF:
        raise BadRedisUrl("begins with none of redis://, rediss:// and unix://")
    if parts.scheme == "unix":
        if not parts.path.strip("/"):
            raise BadRedisUrl("names no socket")
    elif not parts.hostname:
        raise BadRedisUrl("names no host")
    elif port == 0:
        raise BadRedisUrl("names port 0")
    elif (database := parts.path.strip("/")) and not database.isdecimal():
        raise BadRedisUrl("ends with a database that is not a number")
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        _check_option(parts.scheme, name, value)


def _check_option(scheme: str, name: str, value: str) -> None:
    if name not in _OPTIONS_OF[scheme]:
        raise BadRedisUrl(f"has an option other than {', '.join(sorted(_OPTIONS_OF[scheme]))}")
    if name == "db" and not value.isdecimal():
        raise BadRedisUrl("names a database that is not a number")
    if name == "ssl_cert_reqs" and value not in {"none", "optional", "required"}:
        raise BadRedisUrl("has ssl_cert_reqs other than none, optional or required")
    if name in _FILES and not Path(value).exists():
        raise BadRedisUrl(f"names by {name} a file that does not exist")


@asynccontextmanager
async def connect(url: str, *, connections: int = 2, patience_s: float = 5.0) -> AsyncIterator[RedisStore]:
    """A store on the Redis at `url`, which is asked for nothing yet. Raises BadRedisUrl.

    `connections` carry all commands, one more the hints. What Redis has not answered after `patience_s` seconds raises
    StoreUnavailable.
    """
    async with aclosing(client(url)) as redis, aclosing(Batches(redis, connections, patience_s)) as batches:
        yield RedisStore(redis, batches)


def client(url: str) -> Redis:
    """A client that fails fast and comes back by itself. Its silent retries are why each commit has an id.

    Raises BadRedisUrl.
    """
    check_url(url)
    settings: dict[str, Any] = {
        "protocol": 3,
        "decode_responses": False,
        "socket_timeout": 2,
        "socket_connect_timeout": 1,
        "health_check_interval": 5,
        "retry": Retry(ExponentialWithJitterBackoff(base=0.05, cap=0.5), 3),
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }
    if urlsplit(url).scheme != "unix":
        settings["socket_keepalive"] = True
    redis = Redis.from_url(url, **settings)
    pack_in_c(redis.connection_pool)
    return redis
