"""The table of settings of `south-seas serve`; `service.settings` reads it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from service.archive_storage.object_storage import validate_archive_url
from service.store.client import parse_url
from service.web.connections.client_ip import parse_networks
from service.web.outbound.ssrf import parse_nameservers
from service.web.ratelimit.origins import parse_origins
from service.web.ratelimit.policies import parse_rate

__all__ = ["ENV_PREFIX", "SETTINGS", "Setting"]

ENV_PREFIX = "SOUTH_SEAS_"
MIN_RETENTION_DAYS = 0.05
MAX_RETENTION_DAYS = 3650


class Setting(NamedTuple):
    """A flag of `south-seas serve`, which is also an environment variable."""

    flag: str
    help: str
    type: Any = None
    """A click type, for what click parses itself."""
    parse: Callable[[str], Any] | None = None
    """Returns the value of a text, or raises ValueError."""
    check: Callable[[str], object] | None = None
    """Raises ValueError for a text that is not valid; an empty text counts as not set."""
    invalid: str = "{}"
    """The message for a ValueError, with `{}` for the error's own."""
    default: Any = None
    """None also for fields of `Limits`, `Retention` and `InFlightLimits`, which have their own defaults."""
    show_default: bool | str = True
    metavar: str | None = None
    is_flag: bool = False

    @property
    def name(self) -> str:
        """The key of its value: `redis_url` for `--redis-url`."""
        return self.flag.removeprefix("--").replace("-", "_")

    @property
    def variable(self) -> str:
        """The environment variable: `SOUTH_SEAS_REDIS_URL` for `--redis-url`."""
        return ENV_PREFIX + self.name.upper()


def _rate(name: str, subject: str) -> Setting:
    return Setting(
        f"--rate-{name}",
        f"{subject}: QUOTA at once, and QUOTA every SECONDS.",
        parse=parse_rate,
        invalid="write QUOTA/SECONDS, as 1000/10",
        metavar="QUOTA/SECONDS",
    )


def _retention(status: str, help_text: str) -> Setting:
    return Setting(f"--{status}-retention-days", help_text, click.FloatRange(MIN_RETENTION_DAYS, MAX_RETENTION_DAYS))


def _default_data_dir() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "south-seas"


SETTINGS = (
    Setting("--host", "Address to listen on; 0.0.0.0 for all.", default="127.0.0.1"),
    Setting("--port", "Port to listen on; 0 for any free one.", click.IntRange(0, 65535), default=8080),
    Setting(
        "--redis-url",
        "Redis server that stores the games: redis://USER:PASSWORD@HOST:6379/0; with TLS rediss://; with Sentinel "
        "redis+sentinel://HOST:26379,HOST:26379/SERVICE/0; a Cluster redis+cluster://HOST:6379,HOST:6379. Without it "
        "the service starts an embedded Redis server.",
        check=parse_url,
    ),
    Setting("--redis-connections", "Connections to each Redis primary.", click.IntRange(1, 64), default=2),
    Setting("--redis-timeout-s", "Timeout of a Redis command, in seconds.", click.FloatRange(0.1, 300), default=5.0),
    Setting(
        "--redis-wait-replicas",
        "Replicas that must acknowledge a commit (WAIT) before the client gets its response. A failover then loses no "
        "acknowledged action, but while too few replicas are reachable every action gets 503. 0: do not wait.",
        click.IntRange(0, 10),
        default=0,
    ),
    Setting("--redis-wait-ms", "Milliseconds to wait for these replicas.", click.IntRange(1, 60_000), default=1000),
    Setting(
        "--max-redis-commands-in-flight",
        "Redis commands without a reply, at most; a request that needs one more gets 503 at once. One primary of a "
        "Cluster may have half of them.",
        click.IntRange(100),
    ),
    Setting(
        "--max-redis-bytes-in-flight",
        "Bytes of Redis commands without a reply, at most; an action has some 4 KB.",
        click.IntRange(1_048_576),
    ),
    Setting(
        "--data-dir",
        "Directory in which the embedded Redis server stores the games.",
        click.Path(file_okay=False, path_type=Path),
        default=_default_data_dir,
        show_default="~/.local/share/south-seas",
    ),
    Setting(
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
    Setting(
        "--archive-url",
        "Where to archive each finished game as one document: file:///DIRECTORY; or, with the package "
        "south-seas-service[archive] and the storage's own variables (as AWS_ACCESS_KEY_ID), s3://BUCKET/PREFIX, gs:// "
        "or az://.",
        check=validate_archive_url,
        invalid="the URL {}",
    ),
    Setting(
        "--bot-processes",
        "Processes for heavy bots; they start when the first is needed.",
        click.IntRange(1, 64),
        default=1,
    ),
    Setting("--max-body-bytes", "Largest request body.", click.IntRange(1024)),
    Setting("--max-message-bytes", "Largest message from a WebSocket.", click.IntRange(1024)),
    Setting(
        "--max-unsent-bytes",
        "Bytes that may wait in the send buffer of a watcher; with more it is closed as too slow.",
        click.IntRange(65536),
    ),
    Setting(
        "--max-unsent-bytes-per-address",
        "Bytes that may wait in the send buffers of one address, responses too; with more, the connection that has "
        "not read for the longest is closed.",
        click.IntRange(1_048_576),
    ),
    Setting(
        "--max-unsent-bytes-total",
        "Bytes that may wait in all send buffers of this instance; with more, connections of the address with the "
        "most are closed. The kernel buffers some 64 KB more per connection.",
        click.IntRange(1_048_576),
    ),
    Setting("--max-subscriptions", "Games that one WebSocket may watch.", click.IntRange(1)),
    Setting("--ping-interval-s", "Seconds between pings to each WebSocket.", click.FloatRange(1, 3600)),
    Setting("--max-webhooks", "Webhooks per game.", click.IntRange(0, 100)),
    Setting("--webhook-timeout-s", "Timeout of a request to a webhook, in seconds.", click.FloatRange(0.1, 12)),
    Setting(
        "--webhooks-allow-private",
        "Allow webhooks with private addresses and plain http: for development and tests only.",
        is_flag=True,
    ),
    Setting(
        "--webhook-nameservers",
        "Name servers for webhooks alone, as 192.0.2.53 or 192.0.2.53:5353, separated by commas. [default: the "
        "system's]",
        parse=parse_nameservers,
        metavar="ADDRESSES",
        default="",
    ),
    Setting(
        "--drain-time-s",
        "On SIGTERM, seconds to keep serving while /readyz answers 503.",
        click.FloatRange(0, 300),
    ),
    Setting(
        "--close-window-s",
        "On SIGTERM, after that, seconds over which to spread the closing of WebSockets and event streams.",
        click.FloatRange(0, 300),
    ),
    Setting(
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
    Setting(
        "--addresses-per-network",
        "Limits of an IPv6 /48 network, as a multiple of those of an address.",
        click.IntRange(1),
    ),
    Setting(
        "--trusted-proxies",
        "Networks of the proxies whose forwarding header is trusted. Without it all clients behind a proxy count as "
        "one.",
        parse=parse_networks,
        metavar="CIDR,...",
        default="",
        show_default="none",
    ),
    Setting(
        "--forwarded-header",
        "The header in which trusted proxies name the client. They must set or extend it themselves.",
        click.Choice(["x-forwarded-for", "forwarded"], case_sensitive=False),
    ),
    Setting(
        "--max-connections",
        "Connections to this instance; the limit on open files may lower it.",
        click.IntRange(10),
    ),
    Setting(
        "--max-connections-per-address",
        "Connections from one address to this instance; trusted proxies are not limited.",
        click.IntRange(1),
    ),
    Setting(
        "--max-streams-per-address",
        "WebSockets and event streams from one address to this instance.",
        click.IntRange(1),
    ),
    Setting(
        "--max-watchers-per-game",
        "WebSockets and event streams that watch one game on this instance.",
        click.IntRange(1),
    ),
    Setting(
        "--request-timeout-s",
        "Seconds within which a request's head must arrive, and then its body.",
        click.FloatRange(1, 600),
    ),
    Setting(
        "--response-timeout-s",
        "Seconds that a response may wait for a client that does not read it.",
        click.FloatRange(1, 3600),
    ),
    Setting(
        "--keep-alive-timeout-s",
        "Seconds that a connection may be idle; one hour for trusted proxies.",
        click.FloatRange(1, 3600),
    ),
    Setting(
        "--allowed-origins",
        "Origins whose pages may open WebSockets and event streams, besides this service's own page.",
        parse=parse_origins,
        metavar="ORIGIN,...",
        default="*",
    ),
    Setting(
        "--hsts-max-age-s",
        "max-age of Strict-Transport-Security, where everything is behind TLS. 0: no such header.",
        click.IntRange(0),
    ),
    Setting(
        "--log-level",
        "Lowest level to log.",
        click.Choice(["debug", "info", "warning", "error"], case_sensitive=False),
        default="info",
    ),
    Setting(
        "--log-format",
        "Log lines as text, or as one JSON object per line.",
        click.Choice(["text", "json"], case_sensitive=False),
        default="text",
    ),
    Setting("--access-log", "Log each request.", is_flag=True),
    Setting(
        "--metrics-port",
        "Port on which Prometheus reads /metrics; 0 for any free one. Keep it private. Without it there are no "
        "metrics.",
        click.IntRange(0, 65535),
    ),
    Setting("--metrics-host", "Address for the metrics port; by default that of --host."),
)
"""Every setting, in the order of `--help`."""
