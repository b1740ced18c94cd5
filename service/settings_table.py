"""The table of settings of `south-seas serve`, as click options; `service.settings` makes one value of theirs."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import click

from service.archive_storage.object_storage import validate_archive_url
from service.games.context import Retention
from service.games.timestamps import DAY_S
from service.store.client import InFlightLimits, parse_url
from service.web.buckets import parse_rate
from service.web.client_ip import parse_networks
from service.web.limits import Limits
from service.web.outbound.ssrf import parse_nameservers
from service.web.ratelimit.origins import parse_origins

__all__ = ["ENV_PREFIX", "SETTINGS", "Option"]

Option = Callable[[Callable[..., Any]], Callable[..., Any]]
"""A decorator that gives a command an option."""

Callback = Callable[[click.Context, click.Parameter, str], Any]

ENV_PREFIX = "SOUTH_SEAS_"
MIN_RETENTION_DAYS = 0.05
MAX_RETENTION_DAYS = 3650

_LIMITS = get_type_hints(Limits, include_extras=True)

_DEFAULTS: dict[str, Any] = {
    **{
        name: f"{value[0]}/{value[1]}" if name.startswith("rate_") and isinstance(value, tuple) else value
        for name, value in Limits()._asdict().items()
    },
    **{f"{status}_retention_days": seconds // DAY_S for status, seconds in Retention()._asdict().items()},
    **{f"max_redis_{unit}_in_flight": limit for unit, limit in InFlightLimits()._asdict().items()},
}
"""The defaults of settings that are fields of `Limits`, `Retention` or `InFlightLimits`."""


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


def _field(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _setting(flag: str, help_text: str, kind: Any = None, **attributes: Any) -> tuple[str, Option]:
    """Return a flag with its option, which is also an environment variable: SOUTH_SEAS_REDIS_URL for --redis-url."""
    name = _field(flag)
    if name in _DEFAULTS:
        attributes.setdefault("default", _DEFAULTS[name])
    variable = ENV_PREFIX + name.upper()
    attributes = {"show_default": True, **attributes}
    return flag, click.option(flag, help=help_text, type=kind, envvar=variable, show_envvar=True, **attributes)


def _limit(flag: str, kind: Any = None, **attributes: Any) -> tuple[str, Option]:
    """Return the same for a field of `Limits`, which has the help text and the default."""
    return _setting(flag, _limit_help(flag), kind, **attributes)


def _limit_help(flag: str) -> str:
    return str(_LIMITS[_field(flag)].__metadata__[0])


def _rate(name: str) -> tuple[str, Option]:
    flag = f"--rate-{name}"
    help_text = f"{_limit_help(flag)}: QUOTA at once, and QUOTA every SECONDS."
    callback = _parsed(parse_rate, "write QUOTA/SECONDS, as 1000/10")
    return _setting(flag, help_text, callback=callback, metavar="QUOTA/SECONDS")


def _retention(status: str, help_text: str) -> tuple[str, Option]:
    return _setting(f"--{status}-retention-days", help_text, click.FloatRange(MIN_RETENTION_DAYS, MAX_RETENTION_DAYS))


def _default_data_dir() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "south-seas"


_TABLE = (
    _setting(
        "--host",
        "Address to listen on: localhost for clients on this machine, :: for all, both by IPv4 and IPv6; 0.0.0.0 by "
        "IPv4 only.",
        default="localhost",
    ),
    _setting("--port", "Port to listen on; 0 for any free one.", click.IntRange(0, 65535), default=8080),
    _setting(
        "--redis-url",
        "Redis server that stores the games: redis://USER:PASSWORD@HOST:6379/0; with TLS rediss://; with Sentinel "
        "redis+sentinel://HOST:26379,HOST:26379/SERVICE/0; a Cluster redis+cluster://HOST:6379,HOST:6379. Without it "
        "the service starts an embedded Redis server.",
        callback=_checked(parse_url),
    ),
    _setting("--redis-connections", "Connections to each Redis primary.", click.IntRange(1, 64), default=2),
    _setting("--redis-timeout-s", "Timeout of a Redis command, in seconds.", click.FloatRange(0.1, 300), default=5.0),
    _setting(
        "--redis-wait-replicas",
        "Replicas that must acknowledge a commit (WAIT) before the client gets its response. A failover then loses no "
        "acknowledged action, but while too few replicas are reachable every action gets 503. 0: do not wait.",
        click.IntRange(0, 10),
        default=0,
    ),
    _setting("--redis-wait-ms", "Milliseconds to wait for these replicas.", click.IntRange(1, 60_000), default=1000),
    _setting(
        "--max-redis-commands-in-flight",
        "Redis commands without a reply, at most; a request that needs one more gets 503 at once. One primary of a "
        "Cluster may have half of them.",
        click.IntRange(100),
    ),
    _setting(
        "--max-redis-bytes-in-flight",
        "Bytes of Redis commands without a reply, at most; an action has some 4 KB.",
        click.IntRange(1_048_576),
    ),
    _setting(
        "--data-dir",
        "Directory in which the embedded Redis server stores the games.",
        click.Path(file_okay=False, path_type=Path),
        default=_default_data_dir,
        show_default="~/.local/share/south-seas",
    ),
    _setting(
        "--tilesets-dir",
        "Directory of additional tile sets, one JSON file each.",
        click.Path(file_okay=False, exists=True, path_type=Path),
    ),
    _retention("waiting", "Days after its last change until a game that waits for players is deleted."),
    _retention("active", "Days after its last change until a game in progress is deleted."),
    _retention(
        "finished",
        "Days until a finished or aborted game is deleted; with an archive 0.05, little more than an hour, is enough.",
    ),
    _setting(
        "--archive-url",
        "Where to archive each finished game as one document: file:///DIRECTORY; or, with the package "
        "south-seas-service[archive] and the storage's own variables (as AWS_ACCESS_KEY_ID), s3://BUCKET/PREFIX, gs:// "
        "or az://.",
        callback=_checked(validate_archive_url, "the URL {}"),
    ),
    _setting(
        "--bot-processes",
        "Processes for heavy bots; they start when the first is needed.",
        click.IntRange(1, 64),
        default=1,
    ),
    _limit("--max-body-bytes", click.IntRange(1024)),
    _limit("--max-message-bytes", click.IntRange(1024)),
    _limit("--max-unsent-bytes", click.IntRange(65536)),
    _limit("--max-unsent-bytes-per-address", click.IntRange(1_048_576)),
    _limit("--max-unsent-bytes-total", click.IntRange(1_048_576)),
    _limit("--max-subscriptions", click.IntRange(1)),
    _limit("--ping-interval-s", click.FloatRange(1, 3600)),
    _limit("--max-webhooks", click.IntRange(0, 100)),
    _limit("--webhook-timeout-s", click.FloatRange(0.1, 12)),
    _limit("--webhooks-allow-private", is_flag=True),
    _limit(
        "--webhook-nameservers",
        callback=_parsed(parse_nameservers),
        metavar="ADDRESSES",
        default="",
        show_default="the system's",
    ),
    _limit("--drain-time-s", click.FloatRange(0, 300)),
    _limit("--close-window-s", click.FloatRange(0, 300)),
    _limit("--rate-limits", bool, default="on"),
    _rate("requests"),
    _rate("time"),
    _limit("--tokens-per-address", click.IntRange(1)),
    _rate("creations"),
    _rate("open-games"),
    _rate("joins"),
    _rate("keys"),
    _rate("bots"),
    _rate("bot-games"),
    _rate("guesses"),
    _limit("--addresses-per-network", click.IntRange(1)),
    _limit("--trusted-proxies", callback=_parsed(parse_networks), metavar="CIDR,...", default="", show_default="none"),
    _limit("--forwarded-header", click.Choice(["x-forwarded-for", "forwarded"], case_sensitive=False)),
    _limit("--max-connections", click.IntRange(10)),
    _limit("--max-connections-per-address", click.IntRange(1)),
    _limit("--max-streams-per-address", click.IntRange(1)),
    _limit("--max-watchers-per-game", click.IntRange(1)),
    _limit("--request-timeout-s", click.FloatRange(1, 600)),
    _limit("--response-timeout-s", click.FloatRange(1, 3600)),
    _limit("--keep-alive-timeout-s", click.FloatRange(1, 3600)),
    _limit("--allowed-origins", callback=_parsed(parse_origins), metavar="ORIGIN,...", default="*"),
    _limit("--hsts-max-age-s", click.IntRange(0)),
    _setting(
        "--log-level",
        "Lowest level to log.",
        click.Choice(["debug", "info", "warning", "error"], case_sensitive=False),
        default="info",
    ),
    _setting(
        "--log-format",
        "Log lines as text, or as one JSON object per line.",
        click.Choice(["text", "json"], case_sensitive=False),
        default="text",
    ),
    _setting("--access-log", "Log each request.", is_flag=True),
    _setting(
        "--metrics-port",
        "Port on which Prometheus reads /metrics; 0 for any free one. Without it there are no metrics.",
        click.IntRange(0, 65535),
    ),
    _setting(
        "--metrics-host",
        "Address for the metrics port, as --host. Let only Prometheus reach it: metrics describe all clients.",
        default="localhost",
    ),
)
SETTINGS: dict[str, Option] = dict(_TABLE)
"""The option of every flag, in the order of `--help`."""
