"""The settings of `south-seas serve`: each field of `Settings` and `Limits` is an option and a variable."""

import os
import re
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import click
import msgspec
from click.core import ParameterSource

from service.archive_storage import open_object_storage
from service.games.errors import find_closest
from service.games.ports import RateLimit
from service.games.repository import Retention
from service.store.connection import InFlightLimits, parse_url
from service.store.pipeline import Wait
from service.telemetry.clock import DAY_S
from service.telemetry.logs import LogFormat
from service.web.accounts import parse_rate
from service.web.client_ip import parse_base_path, parse_networks
from service.web.headers import parse_frame_ancestors, parse_origins
from service.web.limits import Limits
from service.web.outbound import parse_nameservers

Command = Callable[..., Any]
Callback = Callable[[click.Context, click.Parameter, str], Any]

ENV_PREFIX = "SOUTH_SEAS_"

OTHER_VARIABLES = frozenset({"API_KEY", "BOT_FILE", "COMPILE", "REVISION", "TOKEN", "URL"})
"""Variables with the prefix that are no settings: of `verify`, the clients, the bots and the build."""

_SERVICE_LINK = re.compile(r"(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)")
_SERVICE_ADDRESS = re.compile(r"(tcp|udp|sctp)://\S+")
"""Names, and values of `..._PORT`, that Kubernetes sets for a Service `south-seas...`, unless `enableServiceLinks` is
false.
"""

_RETENTION_DAYS = click.FloatRange(0.05, 3650)


def _parsed(parse: Callable[[str], Any], message: str = "{}") -> Callback:
    """Return the click callback that parses a text, and turns ValueError into BadParameter."""

    def convert(_context: click.Context, _option: click.Parameter, text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise click.BadParameter(message.format(error)) from error

    return convert


def _checked(check: Callable[[str], object], message: str = "{}") -> Callback:
    """Return the same for a text that stays one; None for an empty one, which counts as not set."""

    def parse(text: str) -> str | None:
        if text:
            check(text)
        return text or None

    return _parsed(parse, message)


def _default_data_dir() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "south-seas"


def option(help_text: str, kind: Any = None, **attributes: Any) -> dict[str, Any]:
    """Return what click needs for an option, beside its name and default."""
    return {"help": help_text, "type": kind, "show_default": True, **attributes}


class Setting(click.Option):
    """An option whose variable does not count where Kubernetes set it to the address of a Service."""

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Return the value of the variable."""
        value = super().resolve_envvar_value(ctx)
        is_link = str(self.envvar).endswith("_PORT") and _SERVICE_ADDRESS.fullmatch(value or "")
        return None if is_link else value


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The configuration of one instance."""

    host: Annotated[
        str,
        option(
            "Address to listen on: localhost for clients on this machine, :: for all, both by IPv4 and IPv6; 0.0.0.0 "
            "by IPv4 only."
        ),
    ] = "localhost"
    port: Annotated[int, option("Port to listen on; 0 for any free one.", click.IntRange(0, 65535))] = 8080
    redis_url: Annotated[
        str | None,
        option(
            "Redis server that stores the games: redis://USER:PASSWORD@HOST:6379/0; with TLS rediss://; with Sentinel "
            "redis+sentinel://HOST:26379,HOST:26379/SERVICE/0; a Cluster redis+cluster://HOST:6379,HOST:6379. Without "
            "it the service starts an embedded Redis server.",
            callback=_checked(parse_url),
        ),
    ] = None
    redis_connections: Annotated[int, option("Connections to each Redis primary.", click.IntRange(1, 64))] = 2
    redis_timeout_s: Annotated[float, option("Timeout of a Redis command, in seconds.", click.FloatRange(0.1, 300))] = (
        5.0
    )
    redis_wait_replicas: Annotated[
        int,
        option(
            "Replicas that must acknowledge a commit (WAIT) before the client gets its response. A failover then loses "
            "no acknowledged action, but while too few replicas are reachable every action gets 503. 0: do not wait.",
            click.IntRange(0, 10),
        ),
    ] = 0
    redis_wait_ms: Annotated[int, option("Milliseconds to wait for these replicas.", click.IntRange(1, 60_000))] = 1000
    max_redis_commands_in_flight: Annotated[
        int,
        option(
            "Redis commands without a reply, at most; a request that needs one more gets 503 at once. One primary of a "
            "Cluster may have half of them.",
            click.IntRange(100),
        ),
    ] = InFlightLimits().commands
    max_redis_bytes_in_flight: Annotated[
        int,
        option("Bytes of Redis commands without a reply, at most; an action has some 4 KB.", click.IntRange(1_048_576)),
    ] = InFlightLimits().bytes
    data_dir: Annotated[
        Path,
        option(
            "Directory in which the embedded Redis server stores the games.",
            click.Path(file_okay=False, path_type=Path),
            show_default="~/.local/share/south-seas",
        ),
    ] = msgspec.field(default_factory=_default_data_dir)
    tilesets_dir: Annotated[
        Path | None,
        option(
            "Directory of additional tile sets, one JSON file each.",
            click.Path(file_okay=False, exists=True, path_type=Path),
        ),
    ] = None
    waiting_retention_days: Annotated[
        float, option("Days after its last change until a game that waits for players is deleted.", _RETENTION_DAYS)
    ] = Retention().waiting // DAY_S
    active_retention_days: Annotated[
        float, option("Days after its last change until a game in progress is deleted.", _RETENTION_DAYS)
    ] = Retention().active // DAY_S
    finished_retention_days: Annotated[
        float,
        option(
            "Days until a finished or aborted game is deleted, with an archive since it was archived: 0.05, little "
            "more than an hour, is then enough.",
            _RETENTION_DAYS,
        ),
    ] = Retention().finished // DAY_S
    archive_url: Annotated[
        str | None,
        option(
            "Where to archive each finished game as one document: file:///DIRECTORY; or, with the package "
            "south-seas-service[archive] and the storage's own variables (as AWS_ACCESS_KEY_ID), s3://BUCKET/PREFIX, "
            "gs:// or az://.",
            callback=_checked(open_object_storage, "the URL {}"),
        ),
    ] = None
    archived_log_hours: Annotated[
        float,
        option(
            "Hours after its last change until the log of a finished, archived game leaves Redis and is read from the "
            "archive.",
            click.FloatRange(0.01, 87_600),
        ),
    ] = 1
    bot_processes: Annotated[
        int, option("Processes for heavy bots; they start when the first is needed.", click.IntRange(1, 64))
    ] = 1
    limits: Limits = Limits()
    log_level: Annotated[
        str, option("Lowest level to log.", click.Choice(["debug", "info", "warning", "error"], case_sensitive=False))
    ] = "info"
    log_format: Annotated[
        LogFormat,
        option(
            "Log lines as text, or as one JSON object per line.", click.Choice(["text", "json"], case_sensitive=False)
        ),
    ] = "text"
    access_log: Annotated[bool, option("Log each request.", is_flag=True)] = False
    metrics_port: Annotated[
        int | None,
        option(
            "Port on which Prometheus reads /metrics; 0 for any free one. Without it there are no metrics.",
            click.IntRange(0, 65535),
        ),
    ] = None
    metrics_host: Annotated[
        str,
        option(
            "Address for the metrics port, as --host, and its only public name. Let only Prometheus reach it: metrics "
            "describe all clients."
        ),
    ] = "localhost"

    @property
    def redis_wait(self) -> Wait | None:
        """Return the replicas that must acknowledge a commit; None to wait for none."""
        return Wait(self.redis_wait_replicas, self.redis_wait_ms) if self.redis_wait_replicas else None

    @property
    def redis_in_flight(self) -> InFlightLimits:
        """Return the limits on commands without a reply."""
        return InFlightLimits(self.max_redis_commands_in_flight, self.max_redis_bytes_in_flight)

    @property
    def retention(self) -> Retention:
        """Return how long games are stored."""
        return Retention(
            round(self.waiting_retention_days * DAY_S),
            round(self.active_retention_days * DAY_S),
            round(self.finished_retention_days * DAY_S),
            until_archived=self.archive_url is not None,
        )


_FIXED_LIMITS = ("sse_comment_interval_s", "sweep_interval_s")
"""Limits that are no settings."""

_LIMIT_ATTRIBUTES: dict[str, dict[str, Any]] = {
    "max_body_bytes": {"type": click.IntRange(1024)},
    "max_message_bytes": {"type": click.IntRange(1024)},
    "max_unsent_bytes": {"type": click.IntRange(65536)},
    "max_unsent_bytes_per_address": {"type": click.IntRange(1_048_576)},
    "max_unsent_bytes_total": {"type": click.IntRange(1_048_576)},
    "max_webhooks": {"type": click.IntRange(0, 100)},
    "webhook_timeout_s": {"type": click.FloatRange(0.1, 12)},
    "webhook_nameservers": {
        "callback": _parsed(parse_nameservers),
        "metavar": "ADDRESSES",
        "show_default": "the system's",
    },
    "drain_time_s": {"type": click.FloatRange(0, 300)},
    "close_window_s": {"type": click.FloatRange(0, 300)},
    "trusted_proxies": {"callback": _parsed(parse_networks), "metavar": "CIDR,..."},
    "base_path": {"callback": _parsed(parse_base_path), "metavar": "PATH"},
    "max_connections": {"type": click.IntRange(10)},
    "request_timeout_s": {"type": click.FloatRange(1, 600)},
    "allowed_origins": {"callback": _parsed(parse_origins), "metavar": "ORIGIN,..."},
    "frame_ancestors": {"callback": _parsed(parse_frame_ancestors), "metavar": "ORIGIN,..."},
    "hsts_max_age_s": {"type": click.IntRange(0)},
}
"""What click needs for the limits to which the rules of `_limit_option` do not apply."""


def _limit_option(help_text: str, name: str, default: Any) -> dict[str, Any]:
    """Return the option of a limit: a rate, a number of at least 1, a switch, or a list."""
    if isinstance(default, RateLimit):
        return option(
            f"{help_text}: QUOTA at once, and QUOTA every SECONDS.",
            default=f"{default[0]}/{default[1]}",
            callback=_parsed(parse_rate, "write QUOTA/SECONDS, as 1000/10"),
            metavar="QUOTA/SECONDS",
        )
    attributes = option(help_text, default=default)
    match default:
        case bool():
            attributes |= {"type": bool, "default": "on"} if default else {"is_flag": True}
        case int():
            attributes["type"] = click.IntRange(1)
        case float():
            attributes["type"] = click.FloatRange(1, 3600)
        case _:
            attributes |= {"default": ",".join(default), "show_default": bool(default) or "none"}
    return attributes | _LIMIT_ATTRIBUTES.get(name, {})


def _iter_options() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the options by field, in the order of `--help`."""
    hints = get_type_hints(Settings, include_extras=True)
    limits = get_type_hints(Limits, include_extras=True)
    for field in msgspec.structs.fields(Settings):
        if field.name != "limits":
            default = field.default_factory if field.default is msgspec.NODEFAULT else field.default
            yield field.name, {"default": default, **hints[field.name].__metadata__[0]}
            continue
        for name, default in Limits()._asdict().items():
            if name not in _FIXED_LIMITS:
                yield name, _limit_option(str(limits[name].__metadata__[0]), name, default)


OPTIONS = {
    name: click.option(
        f"--{name.replace('_', '-')}", cls=Setting, envvar=ENV_PREFIX + name.upper(), show_envvar=True, **attributes
    )
    for name, attributes in _iter_options()
}
"""The decorator that gives a command the option of a setting, by the setting's name."""


def with_settings(*names: str) -> Callable[[Command], Command]:
    """Return a decorator that gives a command these settings, by default all, as its argument `settings`."""
    chosen = names or tuple(OPTIONS)

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(**values: Any) -> Any:
            return command(settings=_make_settings({name: values.pop(name) for name in chosen}), **values)

        for name in reversed(chosen):
            run = OPTIONS[name](run)
        return run

    return decorate


def _check_environment() -> None:
    """Raise click.UsageError for variables that look like settings and are none, so that no mistyped one is ignored."""
    known = {name.upper() for name in OPTIONS}
    unknown = [
        name
        for variable, value in os.environ.items()
        if variable.startswith(ENV_PREFIX)
        and (name := variable.removeprefix(ENV_PREFIX)) not in known | OTHER_VARIABLES
        and not _SERVICE_LINK.fullmatch(name)
        and not (name.endswith("_PORT") and _SERVICE_ADDRESS.fullmatch(value))
    ]
    texts = []
    for name in sorted(unknown):
        closest = find_closest(name, OPTIONS)
        hint = f": did you mean {ENV_PREFIX}{closest.upper()}?" if closest else ""
        texts.append(f"there is no setting {ENV_PREFIX}{name}{hint}")
    if texts:
        raise click.UsageError("; ".join(texts))


def origin_of(name: str) -> Literal["flag", "environment", "default"]:
    """Return where the current command has a setting from."""
    source = click.get_current_context().get_parameter_source(name)
    if source is ParameterSource.COMMANDLINE:
        return "flag"
    return "environment" if source is ParameterSource.ENVIRONMENT else "default"


def _check_values(settings: Settings) -> None:
    """Raise click.UsageError for values that are valid, but not together."""
    limits = settings.limits
    if settings.redis_wait_replicas and settings.redis_url is None:
        raise click.UsageError("--redis-wait-replicas needs a --redis-url: the embedded server has no replicas")
    if settings.redis_wait_replicas and settings.redis_wait_ms >= 1000 * settings.redis_timeout_s:
        raise click.UsageError("--redis-wait-ms must be less than --redis-timeout-s, or no action would succeed")
    if not limits.max_unsent_bytes <= limits.max_unsent_bytes_per_address <= limits.max_unsent_bytes_total:
        text = "--max-unsent-bytes may not exceed --max-unsent-bytes-per-address, nor that --max-unsent-bytes-total"
        raise click.UsageError(text)


def _make_settings(values: dict[str, Any]) -> Settings:
    """Return settings, of which the others have their defaults. Raises click.UsageError.

    The variable of the directory for games may be set beside a Redis URL, as in the image.
    """
    _check_environment()
    if values["redis_url"] is not None and origin_of("data_dir") == "flag":
        text = "--data-dir is for games in an embedded server, and --redis-url or its variable names another: give one"
        raise click.UsageError(text)
    limits = {name: values.pop(name) for name in Limits._fields if name in values}
    settings = Settings(**values, limits=Limits(**limits))
    _check_values(settings)
    return settings
