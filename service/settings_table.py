"""The table of settings of `south-seas serve`, as click options; `service.settings` makes one value of theirs."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from service.archive_storage.object_storage import validate_archive_url
from service.games.context import Retention
from service.games.timestamps import DAY_S
from service.store.client import InFlightLimits, parse_url
from service.web.connections.client_ip import parse_networks
from service.web.limits import Limits
from service.web.outbound.ssrf import parse_nameservers
from service.web.ratelimit.origins import parse_origins
from service.web.ratelimit.policies import parse_rate

__all__ = ["ENV_PREFIX", "SETTINGS", "Option"]

Option = Callable[[Callable[..., Any]], Callable[..., Any]]
"""A decorator that gives a command an option."""

Callback = Callable[[click.Context, click.Parameter, str], Any]

ENV_PREFIX = "SOUTH_SEAS_"
MIN_RETENTION_DAYS = 0.05
MAX_RETENTION_DAYS = 3650

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


def _setting(flag: str, help_text: str, kind: Any = None, **attributes: Any) -> tuple[str, Option]:
    """Return a flag with its option, which is also an environment variable: SOUTH_SEAS_REDIS_URL for --redis-url."""
    name = flag.removeprefix("--").replace("-", "_")
    if name in _DEFAULTS:
        attributes.setdefault("default", _DEFAULTS[name])
    variable = ENV_PREFIX + name.upper()
    attributes = {"show_default": True, **attributes}
    return flag, click.option(flag, help=help_text, type=kind, envvar=variable, show_envvar=True, **attributes)


def _rate(name: str, subject: str) -> tuple[str, Option]:
    help_text = f"{subject}: QUOTA at once, and QUOTA every SECONDS."
    callback = _parsed(parse_rate, "write QUOTA/SECONDS, as 1000/10")
    return _setting(f"--rate-{name}", help_text, callback=callback, metavar="QUOTA/SECONDS")


def _retention(status: str, help_text: str) -> tuple[str, Option]:
    return _setting(f"--{status}-retention-days", help_text, click.FloatRange(MIN_RETENTION_DAYS, MAX_RETENTION_DAYS))


def _default_data_dir() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "south-seas"


_TABLE = (
    _setting("--host", "Address to listen on; 0.0.0.0 for all.", default="127.0.0.1"),
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
    _setting("--max-body-bytes", "Largest request body.", click.IntRange(1024)),
    _setting("--max-message-bytes", "Largest message from a WebSocket.", click.IntRange(1024)),
    _setting(
        "--max-unsent-bytes",
        "Bytes that may wait in the send buffer of a watcher; with more it is closed as too slow.",
        click.IntRange(65536),
    ),
    _setting(
        "--max-unsent-bytes-per-address",
        "Bytes that may wait in the send buffers of one address, responses too; with more, the connection that has "
        "not read for the longest is closed.",
        click.IntRange(1_048_576),
    ),
    _setting(
        "--max-unsent-bytes-total",
        "Bytes that may wait in all send buffers of this instance; with more, connections of the address with the "
        "most are closed. The kernel buffers some 64 KB more per connection.",
        click.IntRange(1_048_576),
    ),
    _setting("--max-subscriptions", "Games that one WebSocket may watch.", click.IntRange(1)),
    _setting("--ping-interval-s", "Seconds between pings to each WebSocket.", click.FloatRange(1, 3600)),
    _setting("--max-webhooks", "Webhooks per game.", click.IntRange(0, 100)),
    _setting("--webhook-timeout-s", "Timeout of a request to a webhook, in seconds.", click.FloatRange(0.1, 12)),
    _setting(
        "--webhooks-allow-private",
        "Allow webhooks with private addresses and plain http: for development and tests only.",
        is_flag=True,
    ),
    _setting(
        "--webhook-nameservers",
        "Name servers for webhooks alone, as 192.0.2.53 or 192.0.2.53:5353, separated by commas. [default: the "
        "system's]",
        callback=_parsed(parse_nameservers),
        metavar="ADDRESSES",
        default="",
    ),
    _setting(
        "--drain-time-s",
        "On SIGTERM, seconds to keep serving while /readyz answers 503.",
        click.FloatRange(0, 300),
    ),
    _setting(
        "--close-window-s",
        "On SIGTERM, after that, seconds over which to spread the closing of WebSockets and event streams.",
        click.FloatRange(0, 300),
    ),
    _setting(
        "--rate-limits",
        "Limit clients by address and token: --rate-... and --max-...-per-address. Turn it off for load tests, or "
        "where a proxy limits them.",
        bool,
        default="on",
    ),
    _rate("reads", "Requests that change nothing, per trusted token, otherwise per address"),
    _rate("writes", "Requests and WebSocket messages that change something, per trusted token, otherwise per address"),
    _rate("requests", "All requests and messages with trusted tokens, per address"),
    _rate("creations", "New games and webhooks, per address"),
    _rate("open-games", "New games with open seats, per address"),
    _rate("joins", "Seats taken in public games, per address"),
    _rate("keys", "Idempotency keys of successful requests, per address"),
    _rate("bots", "Bot turns that follow actions, per address: 4 tokens each, 40 for a heavy bot"),
    _rate("bot-games", "Bot turns of games without people, per address of the creator; tokens as with --rate-bots"),
    _rate("pictures", "Pictures, per trusted token, otherwise per address"),
    _rate("streams", "WebSockets and event streams opened, per address"),
    _rate("messages", "WebSocket messages that change nothing, per address"),
    _rate("guesses", "Unknown tokens and games, per address; beyond that, only requests with valid tokens are served"),
    _setting(
        "--addresses-per-network",
        "Limits of an IPv6 /48 network, as a multiple of those of an address.",
        click.IntRange(1),
    ),
    _setting(
        "--trusted-proxies",
        "Networks of the proxies whose forwarding header is trusted. Without it all clients behind a proxy count as "
        "one.",
        callback=_parsed(parse_networks),
        metavar="CIDR,...",
        default="",
        show_default="none",
    ),
    _setting(
        "--forwarded-header",
        "The header in which trusted proxies name the client. They must set or extend it themselves.",
        click.Choice(["x-forwarded-for", "forwarded"], case_sensitive=False),
    ),
    _setting(
        "--max-connections",
        "Connections to this instance; the limit on open files may lower it.",
        click.IntRange(10),
    ),
    _setting(
        "--max-connections-per-address",
        "Connections from one address to this instance; trusted proxies are not limited.",
        click.IntRange(1),
    ),
    _setting(
        "--max-streams-per-address",
        "WebSockets and event streams from one address to this instance.",
        click.IntRange(1),
    ),
    _setting(
        "--max-watchers-per-game",
        "WebSockets and event streams that watch one game on this instance.",
        click.IntRange(1),
    ),
    _setting(
        "--request-timeout-s",
        "Seconds within which a request's head must arrive, and then its body.",
        click.FloatRange(1, 600),
    ),
    _setting(
        "--response-timeout-s",
        "Seconds that a response may wait for a client that does not read it.",
        click.FloatRange(1, 3600),
    ),
    _setting(
        "--keep-alive-timeout-s",
        "Seconds that a connection may be idle; one hour for trusted proxies.",
        click.FloatRange(1, 3600),
    ),
    _setting(
        "--allowed-origins",
        "Origins whose pages may open WebSockets and event streams, besides this service's own page.",
        callback=_parsed(parse_origins),
        metavar="ORIGIN,...",
        default="*",
    ),
    _setting(
        "--hsts-max-age-s",
        "max-age of Strict-Transport-Security, where everything is behind TLS. 0: no such header.",
        click.IntRange(0),
    ),
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
        "Port on which Prometheus reads /metrics; 0 for any free one. Keep it private. Without it there are no "
        "metrics.",
        click.IntRange(0, 65535),
    ),
    _setting("--metrics-host", "Address for the metrics port; by default that of --host."),
)
SETTINGS: dict[str, Option] = dict(_TABLE)
"""The option of every flag, in the order of `--help`."""
