"""The URL of a Redis.

    redis://HOST:6379/0        rediss://HOST:6379/0                one server
    unix:///PATH                                                   one server on a unix socket
    redis+sentinel://HOST:26379,HOST:26379/SERVICE/0               the primary that the sentinels name
    redis+cluster://HOST:6379,HOST:6379                            a Cluster, discovered through any of these nodes

`rediss`, `rediss+sentinel` and `rediss+cluster` use TLS. `USER:PASSWORD@` before the hosts is for the data servers.

InvalidRedisURL   the URL cannot be used, and why
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from redis.asyncio.connection import SSLConnection
from redis.asyncio.connection import parse_url as parse_server_url
from redis.exceptions import RedisError

__all__ = ["InvalidRedisURL", "RedisURL", "parse_url"]

_URL = re.compile(
    r"(?P<scheme>rediss?(?:\+(?:sentinel|cluster))?|unix)://"
    r"(?P<login>[^/?#]*@)?(?P<hosts>[^/?#]*)/*(?P<path>[^?#]*?)/*(?:\?(?P<query>[^#]*))?",
    re.IGNORECASE,
)

_OPTIONS = {"db", "password", "username"}
_TLS_OPTIONS = {"ssl_ca_certs", "ssl_ca_path", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname", "ssl_keyfile"}
_SENTINEL_OPTIONS = {"sentinel_password", "sentinel_username"}


class InvalidRedisURL(ValueError):
    """The URL of Redis cannot be used. The message does not repeat the URL, which may hold a password."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the Redis URL {reason}; write redis://HOST:6379/0, rediss://USER:PASSWORD@HOST:6379/0, unix:///PATH,"
            " redis+sentinel://HOST:26379,HOST:26379/SERVICE/0 or redis+cluster://HOST:6379,HOST:6379"
        )
        self.reason = reason


@dataclass(frozen=True)
class RedisURL:
    """A parsed URL."""

    topology: str
    """`standalone`, `sentinel` or `cluster`."""
    addresses: Sequence[tuple[str, int]]
    """Host and port of the server, of each sentinel, or of some nodes of the Cluster; not used for a unix socket."""
    options: Mapping[str, Any] = field(repr=False)
    """Keyword arguments of redis-py's clients: user, password, database, TLS, the path of a unix socket."""
    service_name: str
    """The name by which the sentinels know the primary."""
    sentinel_login: Mapping[str, Any] = field(repr=False)
    """Keyword arguments of the sentinels' clients: user and password."""


def parse_url(url: str) -> RedisURL:
    """Parse the URL of a Redis. Raise InvalidRedisURL."""
    match = _URL.fullmatch(url)
    if match is None:
        raise InvalidRedisURL(
            "has an unsupported scheme (not redis, rediss or unix, nor one with +sentinel or +cluster)"
            " or a # that is not percent-encoded"
        )
    scheme, _, topology = match["scheme"].lower().partition("+")
    service, _, path = match["path"].partition("/") if topology == "sentinel" else ("", "", match["path"])
    if topology == "sentinel" and not service:
        raise InvalidRedisURL("has no SERVICE after the hosts of the sentinels")
    login, hosts, query = match["login"] or "", match["hosts"].split(","), match["query"] or ""
    try:  # redis-py parses the URL of one server
        servers: list[dict[str, Any]] = [
            {**parse_server_url(f"{scheme}://{login}{host}/{path}?{query}")} for host in hosts
        ]
    except ValueError:
        raise InvalidRedisURL(
            "is not a URL, or has an option with an invalid value (special characters of a password must be"
            " percent-encoded)"
        ) from None
    default_port = 26379 if topology == "sentinel" else 6379
    addresses = [(server.pop("host", ""), server.pop("port", default_port)) for server in servers]
    options = servers[0]
    options.pop("connection_class", None)
    _check_options(options, topology, tls=scheme == "rediss")
    if scheme == "unix":
        options["unix_socket_path"] = options.pop("path")
        if not path:
            raise InvalidRedisURL("has no path of a socket")
    else:
        _check_hosts(topology, [host for host, _ in addresses], path)
    sentinel_login = {name: options.pop(f"sentinel_{name}", None) for name in ("username", "password")}
    return RedisURL(topology or "standalone", addresses, options, unquote(service), sentinel_login)


def _check_hosts(topology: str, hosts: Sequence[str], database: str) -> None:
    if not all(hosts):
        raise InvalidRedisURL("has no host")
    if len(hosts) > 1 and not topology:
        raise InvalidRedisURL("has several hosts, which only +sentinel and +cluster support")
    if database and not database.isdecimal():  # redis-py would take database 0
        raise InvalidRedisURL("has a database that is not a number")


def _check_options(options: dict[str, Any], topology: str, *, tls: bool) -> None:
    known = _OPTIONS | (_TLS_OPTIONS if tls else set()) | (_SENTINEL_OPTIONS if topology == "sentinel" else set())
    if topology == "cluster":
        known -= {"ssl_ca_path"}  # redis-py's RedisCluster has none
    if options.keys() - known - {"path"}:
        raise InvalidRedisURL(f"has an unsupported option (not {', '.join(sorted(known))})")
    if topology == "cluster" and options.get("db"):
        raise InvalidRedisURL("has a database other than 0, which a Cluster does not support")
    if tls:
        files = {name: value for name, value in options.items() if name in _TLS_OPTIONS}
        options["ssl"] = True
        try:  # as each connection will
            SSLConnection(**files).ssl_context.get()
        except (OSError, RedisError, TypeError) as error:
            raise InvalidRedisURL(f"has TLS options that cannot be used: {error}") from None
