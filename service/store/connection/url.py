"""The URL of a Redis.

    redis://HOST:6379/0        rediss://HOST:6379/0                one server
    unix:///PATH                                                   one server on a unix socket
    redis+sentinel://HOST:26379,HOST:26379/SERVICE/0               the primary that the sentinels name
    redis+cluster://HOST:6379,HOST:6379                            a Cluster, discovered through any of these nodes

`rediss`, `rediss+sentinel` and `rediss+cluster` use TLS. `USER:PASSWORD@` before the hosts is for the data servers.

InvalidRedisURL   the URL cannot be used, and why
"""

import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

__all__ = ["Address", "Credentials", "InvalidRedisURL", "RedisURL", "parse_url"]

Kind = Literal["standalone", "sentinel", "cluster"]

_SCHEMES: dict[str, tuple[Kind, bool]] = {
    "redis": ("standalone", False),
    "rediss": ("standalone", True),
    "unix": ("standalone", False),
    "redis+sentinel": ("sentinel", False),
    "rediss+sentinel": ("sentinel", True),
    "redis+cluster": ("cluster", False),
    "rediss+cluster": ("cluster", True),
}
"""The topology of each scheme, and whether it uses TLS."""

_URL = re.compile(r"(?P<scheme>[a-zA-Z+]*)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?")

_DEFAULT_PORTS = {"standalone": 6379, "sentinel": 26379, "cluster": 6379}

_TLS_FILES = ("ssl_ca_certs", "ssl_ca_path", "ssl_certfile", "ssl_keyfile")
_CERTIFICATE_REQUIREMENTS = {"none": ssl.CERT_NONE, "optional": ssl.CERT_OPTIONAL, "required": ssl.CERT_REQUIRED}
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

_OPTIONS = {"db", "username", "password"}
_TLS_OPTIONS = {*_TLS_FILES, "ssl_cert_reqs", "ssl_check_hostname"}
_SENTINEL_OPTIONS = {"sentinel_username", "sentinel_password"}

T = TypeVar("T")


class InvalidRedisURL(ValueError):
    """The URL of Redis cannot be used. The message does not repeat the URL, which may hold a password."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the Redis URL {reason}; write redis://HOST:6379/0, rediss://USER:PASSWORD@HOST:6379/0, unix:///PATH,"
            " redis+sentinel://HOST:26379,HOST:26379/SERVICE/0 or redis+cluster://HOST:6379,HOST:6379"
        )
        self.reason = reason


class Address(NamedTuple):
    """The address of one server: host and port, or with port 0 the path of a unix socket."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}" if self.port else self.host


@dataclass(frozen=True)
class Credentials:
    """User and password, empty for the default user. The password is not part of the repr."""

    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True)
class RedisURL:
    """A parsed URL."""

    kind: Kind
    addresses: tuple[Address, ...]
    credentials: Credentials = Credentials()
    database: int = 0
    service_name: str = ""
    """The name by which the sentinels know the primary."""
    sentinel_credentials: Credentials = Credentials()
    tls: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of redis-py's clients for TLS; empty without TLS."""


def parse_url(url: str) -> RedisURL:
    """Parse the URL of a Redis. Raise InvalidRedisURL."""
    # Not urlsplit: from Python 3.13 on it rejects a list of hosts that contains an IPv6 address.
    parts = _URL.fullmatch(url)
    scheme = parts["scheme"].lower() if parts else url.partition(":")[0]
    if scheme not in _SCHEMES:
        raise InvalidRedisURL(
            "has an unsupported scheme (not redis, rediss or unix, nor one with +sentinel or +cluster)"
        )
    if parts is None:
        raise _malformed_url()
    kind, secure = _SCHEMES[scheme]
    options = _parse_options(kind, parts["query"] or "", secure=secure)
    user, hosts = _split_authority(parts["authority"])
    addresses = (_parse_socket_path(parts["path"]),) if scheme == "unix" else _parse_addresses(kind, hosts)
    path = "" if scheme == "unix" else parts["path"].strip("/")
    service, _, database = path.partition("/") if kind == "sentinel" else ("", "", path)
    if kind == "sentinel" and not service:
        raise InvalidRedisURL("has no SERVICE after the hosts of the sentinels")
    return RedisURL(
        kind,
        addresses,
        Credentials(options.get("username", user.user), options.get("password", user.password)),
        _parse_database(kind, options.get("db", database or "0")),
        unquote(service),
        Credentials(options.get("sentinel_username", ""), options.get("sentinel_password", "")),
        _tls_options(options) if secure else {},
    )


def _malformed_url() -> InvalidRedisURL:
    return InvalidRedisURL("is not a URL (special characters of a password must be percent-encoded)")


def _split_authority(netloc: str) -> tuple[Credentials, str]:
    """Split the authority into credentials and hosts."""
    info, _, hosts = netloc.rpartition("@")
    user, _, password = info.partition(":")
    return Credentials(unquote(user), unquote(password)), hosts


def _parse_socket_path(path: str) -> Address:
    if not path.strip("/"):
        raise InvalidRedisURL("has no path of a socket")
    return Address(unquote(path), 0)


def _parse_addresses(kind: Kind, hosts: str) -> tuple[Address, ...]:
    if kind == "standalone" and "," in hosts:
        raise InvalidRedisURL("has several hosts, which only +sentinel and +cluster support")
    return tuple(_parse_address(host, _DEFAULT_PORTS[kind]) for host in hosts.split(","))


def _parse_address(host: str, default: int) -> Address:
    try:
        parts = urlsplit(f"//{host}")
        port = parts.port
    except ValueError:
        raise _malformed_url() from None
    if not parts.hostname:
        raise InvalidRedisURL("has no host")
    if port == 0:
        raise InvalidRedisURL("has port 0")
    return Address(parts.hostname, port or default)


def _parse_database(kind: Kind, database: str) -> int:
    if not database.isdecimal():
        raise InvalidRedisURL("has a database that is not a number")
    if kind == "cluster" and int(database) != 0:
        raise InvalidRedisURL("has a database other than 0, which a Cluster does not support")
    return int(database)


def _parse_options(kind: Kind, query: str, *, secure: bool) -> Mapping[str, str]:
    """Parse the query string."""
    known = _OPTIONS | (_TLS_OPTIONS if secure else set()) | (_SENTINEL_OPTIONS if kind == "sentinel" else set())
    if kind == "cluster":
        known -= {"ssl_ca_path"}  # redis-py's RedisCluster has none
    options = dict(parse_qsl(query, keep_blank_values=True))
    if options.keys() - known:
        raise InvalidRedisURL(f"has an unsupported option (not {', '.join(sorted(known))})")
    return options


def _tls_options(options: Mapping[str, str]) -> Mapping[str, Any]:
    """Return redis-py's TLS options after checking the files that they name. Raise InvalidRedisURL."""
    files = {name: options[name] for name in _TLS_FILES if name in options}
    for name, path in files.items():
        if not Path(path).exists():
            raise InvalidRedisURL(f"has a file in {name} that does not exist")
    if "ssl_keyfile" in files and "ssl_certfile" not in files:
        raise InvalidRedisURL("has an ssl_keyfile without an ssl_certfile")
    required = _parse_choice(_CERTIFICATE_REQUIREMENTS, options, "ssl_cert_reqs", "required")
    checked = _parse_choice(_BOOLEANS, options, "ssl_check_hostname", "true") and required is ssl.CERT_REQUIRED
    problem = "no certificates in ssl_ca_certs or ssl_ca_path"
    try:  # with the certificate authorities of the URL, or those of the system
        context = ssl.create_default_context(cafile=files.get("ssl_ca_certs"), capath=files.get("ssl_ca_path"))
        if "ssl_certfile" in files:
            problem = "no certificate with its key in ssl_certfile"
            context.load_cert_chain(files["ssl_certfile"], files.get("ssl_keyfile"))
    except OSError as error:
        raise InvalidRedisURL(f"has {problem} ({error.strerror or type(error).__name__})") from None
    return {"ssl": True, "ssl_cert_reqs": required, "ssl_check_hostname": checked, **files}


def _parse_choice(known: Mapping[str, T], options: Mapping[str, str], name: str, default: str) -> T:
    value = options.get(name, default).lower()
    if value not in known:
        raise InvalidRedisURL(f"has an unsupported value of {name} (not {', '.join(known)})")
    return known[value]
