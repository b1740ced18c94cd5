"""Connecting to Redis: URLs, errors, outages, and the commands that are in flight.

    redis://HOST:6379/0        rediss://HOST:6379/0                one server
    unix:///PATH                                                   one server on a unix socket
    redis+sentinel://HOST:26379,HOST:26379/SERVICE/0               the primary that the sentinels name
    redis+cluster://HOST:6379,HOST:6379                            a Cluster, discovered through any of these nodes

`rediss`, `rediss+sentinel` and `rediss+cluster` use TLS. `USER:PASSWORD@` before the hosts is for the data servers.

InvalidRedisURL   the URL cannot be used, and why

Connection errors and error replies of Redis, translated into the errors of the store port.

One command from its submission to its reply, and the limits on commands in flight.

Without a limit, a Redis that stops answering would let commands, and the requests that await them, pile up until this
process runs out of memory. A command is in flight from its submission until nothing refers to it any more: while it
waits for a connection, while it is on its way and while it is being retried. Commands above the limit fail at once.
"""

import asyncio
import logging
import re
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, NamedTuple
from urllib.parse import unquote

from redis.asyncio.connection import SSLConnection
from redis.asyncio.connection import parse_url as parse_server_url
from redis.exceptions import AuthenticationError, RedisClusterException, RedisError, ResponseError

from service.games.ports import StoreBusy, StoreUnavailable, UnreadableGame
from service.supervision import Backoff
from service.telemetry.counters import Histogram
from service.telemetry.metrics import REDIS_COMMAND, REDIS_ERRORS

_URL = re.compile(
    r"(?P<scheme>rediss?(?:\+(?:sentinel|cluster))?|unix)://"
    r"(?P<login>[^/?#]*@)?(?P<hosts>[^/?#]*)/*(?P<path>[^?#]*?)/*(?:\?(?P<query>[^#]*))?",
    re.IGNORECASE,
)

_OPTIONS = {"db", "password", "username"}
_TLS_FILES = ("ssl_ca_certs", "ssl_ca_path", "ssl_certfile", "ssl_keyfile")
_TLS_OPTIONS = {*_TLS_FILES, "ssl_cert_reqs", "ssl_check_hostname"}
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
        options["ssl"] = True
        try:  # as each connection will
            tls_context(options)
        except (OSError, RedisError, TypeError) as error:
            raise InvalidRedisURL(f"has TLS options that cannot be used: {error}") from None


def tls_context(options: Mapping[str, Any]) -> ssl.SSLContext:
    """Return a context with what the files of these options hold now. Raise OSError, RedisError or TypeError.

    redis-py's connections read the files once, each for itself, which takes some 0.1 s.
    """
    named = {name: value for name, value in options.items() if name.startswith("ssl_") and value is not None}
    files = (Path(named[name]) for name in _TLS_FILES if name in named)
    return _tls_context(tuple(named.items()), *(file.stat().st_mtime_ns for file in files))


@lru_cache(maxsize=4)
def _tls_context(options: tuple[tuple[str, Any], ...], *_changed_at: int) -> ssl.SSLContext:
    return SSLConnection(**dict(options)).ssl_context.get()


CONNECTION_ERRORS = (RedisError, RedisClusterException, OSError, AttributeError, RuntimeError)
"""What redis-py raises if a connection breaks or cannot be made.

During a failover these are its own errors, those of asyncio's streams, AttributeErrors from connections that were
closed while in use, and uvloop's RuntimeError for a write to a transport that is closed.
"""

RETRYABLE_CODES = {"READONLY", "MASTERDOWN", "LOADING", "NOREPLICAS", "CLUSTERDOWN", "TRYAGAIN", "UNBLOCKED"}
"""Codes of error replies that end with a failover or with loading. The command was not executed."""

_EXPLANATIONS = {
    "READONLY": ("failover", "is a replica and takes no writes"),
    "MASTERDOWN": ("failover", "is a replica without a link to its primary"),
    "LOADING": ("loading", "is still loading its data"),
    "NOREPLICAS": ("replicas", "has fewer replicas than min-replicas-to-write requires"),
    "CLUSTERDOWN": ("failover", "is a Cluster with slots that no primary serves"),
    "TRYAGAIN": ("failover", "is migrating this slot to another node"),
    "UNBLOCKED": ("failover", "became a replica while it executed the command"),
    "OOM": ("full", "has reached maxmemory and takes no writes"),
    "MISCONF": ("disk", "cannot write to its disk and takes no writes"),
    "NOAUTH": ("login", "requires a user and a password, and the URL has none"),
    "WRONGPASS": ("login", "does not accept this user and password"),
    "NOPERM": ("permission", "denies this user a command or key that the service needs: check its ACL"),
    "DENIED": ("login", "is in protected mode and accepts connections from its own host only"),
}
"""Cause and explanation by the code of the error reply."""

_DENIED_IN_SCRIPT = re.compile(r"ERR (?:ACL failure in script|The user executing the script)")
"""What a script meets instead of NOPERM, in the words of Redis 7.2 and of 7.0 and Valkey."""


def is_error_reply(error: BaseException) -> bool:
    """Return whether a server replied with this error, and would again, rather than being unreachable."""
    return isinstance(error, ResponseError | AuthenticationError)


def error_code(error: BaseException) -> str:
    """Return the code of an error reply, which is its first word."""
    return getattr(error, "status_code", None) or str(error).partition(" ")[0]


def to_store_error(error: BaseException) -> StoreUnavailable:
    """Translate an error of redis-py."""
    code, status = error_code(error), getattr(error, "status_code", None)
    text = f"{status} {error}" if status else str(error) or type(error).__name__
    is_denied = _DENIED_IN_SCRIPT.match(text) is not None
    cause, explanation = _EXPLANATIONS.get("NOPERM" if is_denied else code, ("connection", ""))
    reason = f"Redis {explanation}: {text}" if explanation else f"Redis: {text}"
    return UnreadableGame(reason) if code == "WRONGTYPE" else StoreUnavailable(reason, cause=cause)


Argument = bytes | str | int

NO_REPLY_REASON = "Redis did not reply in time"

MAX_SHARE_PER_PRIMARY = 0.5
"""The part of the limits that one primary of a Cluster may use, so that a stalled primary does not block the others."""

_ARGUMENT_OVERHEAD_BYTES = 40
"""What an argument takes besides the bytes of snapshots, diffs and the like: numbers and names are short."""

_HISTOGRAMS: dict[object, Histogram] = {}
"""Latency histograms by command name or script hash. There are few, and no client chooses one."""


class InFlightLimits(NamedTuple):
    """The maximum number of commands in flight, and of their bytes."""

    commands: int = 4096
    bytes: int = 33_554_432

    def per_primary(self) -> "InFlightLimits":
        """Return the limits of one primary of a Cluster."""
        return InFlightLimits(*(max(1, int(limit * MAX_SHARE_PER_PRIMARY)) for limit in self))


class InFlightCommands:
    """The commands in flight to all primaries, or to one primary of a Cluster."""

    __slots__ = ("bytes", "commands", "limits")

    def __init__(self, limits: InFlightLimits) -> None:
        self.limits = limits
        self.commands: set[Command] = set()
        self.bytes = 0


class Command:
    """One command and the future of its reply."""

    __slots__ = (
        *("arguments", "counted_in", "failure", "future", "key", "needs_asking", "primary", "redirects"),
        *("size", "started_at", "wait_for_replicas"),
    )

    def __init__(
        self,
        arguments: tuple[Argument, ...],
        future: asyncio.Future[Any],
        primary: str | None = None,
        *,
        wait_for_replicas: bool,
    ) -> None:
        self.arguments = arguments
        """The command's name and its arguments."""
        self.future = future
        self.wait_for_replicas = wait_for_replicas
        """Whether the reply is delayed until replicas have acknowledged the write."""
        self.size = _ARGUMENT_OVERHEAD_BYTES * len(arguments)
        """Its size in bytes, about."""
        for argument in arguments:
            if type(argument) is bytes:
                self.size += len(argument)
        self.counted_in: tuple[InFlightCommands, ...] = ()
        """Where it is counted; empty once it is released."""
        self.primary = primary
        """The primary to send it to; None for the primary that serves `key`."""
        self.key = ""
        self.needs_asking = False
        """Whether it is preceded by ASKING, because its slot is being migrated to the node it goes to."""
        self.redirects = 0
        """How many MOVED or ASK redirects it has followed."""
        self.failure: StoreUnavailable | None = None
        """Why its last attempt failed, with which it fails when its time is over; None while none has."""
        self.started_at = perf_counter()

    def admit(self, *counted_in: InFlightCommands) -> None:
        """Count the command, in the total first, until it is released.

        Raise StoreBusy, and count nothing, if a limit is reached. A command may exceed the byte limit if nothing else
        is in flight.
        """
        for one in counted_in:
            number = len(one.commands)
            if number >= one.limits.commands or (number and one.bytes + self.size > one.limits.bytes):
                REDIS_ERRORS.labels("busy").inc()
                total = counted_in[0]
                raise StoreBusy(f"{len(total.commands)} commands of {total.bytes} bytes are in flight to Redis already")
        for one in counted_in:
            one.commands.add(self)
            one.bytes += self.size
        self.counted_in = counted_in

    def release(self) -> None:
        """Stop counting the command as in flight."""
        for one in self.counted_in:
            one.commands.remove(self)
            one.bytes -= self.size
        self.counted_in = ()

    def release_if_abandoned(self) -> bool:
        """Release the command if nobody awaits its reply any more, and return whether that is so."""
        if not self.future.done():
            return False
        self.release()
        return True

    def resolve(self, reply: Any) -> None:
        """Release the command and set its reply."""
        self.release()
        if not self.future.done():
            self.future.set_result(reply)
            name = self.arguments[1] if self.arguments[0] == "EVALSHA" else self.arguments[0]
            histogram = _HISTOGRAMS.get(name) or name_script_metric(name, self.arguments[0])
            histogram.observe(perf_counter() - self.started_at)

    def fail(self, error: Exception, kind: str = "connection") -> None:
        """Release the command and set an error in place of its reply."""
        self.release()
        self.set_error(error, kind)

    def set_error(self, error: Exception, kind: str) -> None:
        """Set an error in place of the reply of a command that may still be on its way."""
        if not self.future.done():
            REDIS_ERRORS.labels(kind).inc()
            self.future.set_exception(error)


def name_script_metric(digest: object, name: object) -> Histogram:
    """Label the latency of a script, which commands name by its SHA-1 `digest`, with `name`."""
    return _HISTOGRAMS.setdefault(digest, REDIS_COMMAND.labels(name))


LINE_BACKOFF = Backoff(10.0, 600.0, jitter=0)
"""Between two lines about the same causes."""

CALM_BACKOFF = Backoff(10.0, 600.0, jitter=0)
"""How long nothing may fail before an outage ends that followed another one: a Redis that fails now and then has one
long outage, and does not fill the log. The first outage ends at once.
"""

FORGET_S = 60.0
"""An outage within this time of the last failure follows the one before."""


class OutageLog:
    """Logs the outages of a Redis that many callers use, so that none of them logs its own failures.

    Calls that succeed end none: during an outage reads may, and those of a Cluster's other primaries. The probe ends
    it, which writes to all of them. Without a logger nothing is logged: a command that ends with the first failure
    prints it.
    """

    def __init__(self, logger: logging.Logger | None) -> None:
        self.is_open = False
        """Whether there is an outage."""
        self._logger = logger
        self._outages = 0
        """How many followed each other."""
        self._failures = 0
        self._began_at = 0.0
        self._failed_at = float("-inf")
        """When a command failed last."""
        self._writable_at: float | None = None
        """When a probe first succeeded after that; None if none has."""
        self._causes: set[str] = set()
        """What lines have told of."""
        self._lines = 0
        self._next_line_at = 0.0

    def record_failure(self, error: StoreUnavailable) -> None:
        """Record that a command failed, and log it if the cause is new, or the last line old."""
        now = monotonic()
        if not self.is_open:
            self._outages = self._outages + 1 if now - self._failed_at < FORGET_S else 1
            self.is_open, self._began_at, self._failures, self._causes, self._lines = True, now, 0, set(), 0
        self._failures += 1
        self._failed_at, self._writable_at = now, None
        if self._logger is None or (error.cause in self._causes and now < self._next_line_at):
            return
        if self._causes:
            text = "Redis still fails commands after %s, %s until now: %s"
            self._logger.warning(text, format_duration(now - self._began_at), f"{self._failures:,}", error)
        else:
            text = "Redis fails commands, so requests get 503, and bots, deadlines and webhooks wait: %s"
            self._logger.warning(text, error)
        self._causes.add(error.cause)
        self._lines += 1
        self._next_line_at = now + LINE_BACKOFF.delay_s(self._lines)

    def record_writable(self, since: float) -> None:
        """Record that all primaries were writable for a probe that began at `since`, which may end the outage."""
        if not self.is_open or self._failed_at >= since:
            return
        self._writable_at = self._writable_at or since
        calm_s = CALM_BACKOFF.delay_s(self._outages - 1) if self._outages > 1 else 0.0
        if since - self._writable_at < calm_s:
            return
        self.is_open = False
        if self._logger is not None:
            text = "Redis takes writes again after %s, %s commands failed"
            self._logger.warning(text, format_duration(self._writable_at - self._began_at), f"{self._failures:,}")


def format_duration(seconds: float) -> str:
    """Return a duration in words.

    >>> format_duration(7.04), format_duration(296.2)
    ('7.0 s', '4 min 56 s')
    """
    minutes, rest = divmod(seconds, 60)
    return f"{minutes:.0f} min {rest:.0f} s" if minutes else f"{seconds:.1f} s"
