"""Each flag of `south-seas serve`, with what it is checked by; `service.settings` makes one value of them."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from service.archive_storage.object_storage import validate_archive_url
from service.games.context import Retention
from service.games.timestamps import DAY_S
from service.store.client import InFlightLimits, validate_url
from service.web.connections.client_ip import parse_networks
from service.web.limits import Limits
from service.web.outbound.ssrf import check_nameserver
from service.web.ratelimit.origins import parse_origins
from service.web.ratelimit.policies import parse_rate

PREFIX = "SOUTH_SEAS_"
MIN_RETENTION_DAYS = 0.05

Command = Callable[..., Any]
Option = Callable[[Command], Command]
Callback = Callable[[click.Context, click.Parameter, str], Any]

DEFAULTS: dict[str, Any] = {
    **Limits()._asdict(),
    **{f"{status}_retention_days": seconds // DAY_S for status, seconds in Retention()._asdict().items()},
    **{f"max_redis_{what}_in_flight": most for what, most in InFlightLimits()._asdict().items()},
}
"""Of the settings that are fields of what they set."""

OPTIONS: dict[str, Option] = {}
"""By their flags, in the order in which `--help` lists them."""


def setting(flag: str, told: str, kind: Any = None, **attributes: Any) -> None:
    """Add a flag that is also an environment variable: `--redis-url` and `SOUTH_SEAS_REDIS_URL`."""
    name = flag.removeprefix("--").replace("-", "_")
    known = {"default": DEFAULTS[name]} if name in DEFAULTS else {}
    told_too = {"help": told, "type": kind, "envvar": PREFIX + name.upper(), "show_envvar": True, "show_default": True}
    OPTIONS[flag] = click.option(flag, **{**told_too, **known, **attributes})


def rate(name: str, what: str) -> None:
    """Add a setting for a bucket of each client's."""
    quota, window_s = DEFAULTS["rate_" + name.replace("-", "_")]
    setting(
        f"--rate-{name}",
        f"{what}: so many at once, and so many in so many seconds.",
        callback=_parsed(parse_rate, "write QUOTA/SECONDS, as 1000/10"),
        metavar="QUOTA/SECONDS",
        default=f"{quota}/{window_s}",
    )


def _parsed(read: Callable[[str], Any], refusal: str = "{}") -> Callback:
    """A callback that gives what `read` makes of a flag's text; a ValueError refuses it."""

    def parsed(_context: click.Context, _option: click.Parameter, text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise click.BadParameter(refusal.format(error)) from error

    return parsed


def _checked(check: Callable[[str], None], refusal: str = "{}") -> Callback:
    """The same that gives the text, unless `check` refuses it; an empty variable is as good as none."""

    def checked(text: str) -> str | None:
        if text:
            check(text)
        return text or None

    return _parsed(checked, refusal)


def _nameservers(text: str) -> tuple[str, ...]:
    found = tuple(filter(None, map(str.strip, text.split(","))))
    for one in found:
        try:
            check_nameserver(one)
        except ValueError as error:
            raise ValueError(f"{one} is neither ADDRESS nor ADDRESS:PORT") from error
    return found


def _default_data_dir() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "south-seas"


setting("--host", "Address to listen on; 0.0.0.0 for all.", default="127.0.0.1")
setting("--port", "Port to listen on; 0 for any free one.", click.IntRange(0, 65535), default=8080)
setting(
    "--redis-url",
    "Redis that holds the games: redis://USER:PASSWORD@HOST:6379/0, with TLS rediss://, through sentinels "
    "redis+sentinel://HOST:26379,HOST:26379/SERVICE/0, a Cluster redis+cluster://HOST:6379,HOST:6379. Without it "
    "the service starts a Redis server of its own.",
    callback=_checked(validate_url),
)
setting(
    "--redis-connections",
    "Connections to each Redis primary that carry all commands.",
    click.IntRange(1, 64),
    default=2,
)
setting(
    "--redis-timeout-s",
    "Seconds after which a command without an answer is given up.",
    click.FloatRange(0.1, 300),
    default=5.0,
)
setting(
    "--redis-wait-replicas",
    "Replicas that must have an action before it is acknowledged (WAIT): a failover then loses none that was, "
    "but while they are out of reach every action is answered with 503. 0 waits for none.",
    click.IntRange(0, 10),
    default=0,
)
setting("--redis-wait-ms", "Milliseconds to wait for these replicas.", click.IntRange(1, 60_000), default=1000)
setting(
    "--max-redis-commands-in-flight",
    "Commands that Redis may leave unanswered; what would need one more is answered with 503 at once. In a "
    "Cluster one primary may have half of them.",
    click.IntRange(100),
)
setting(
    "--max-redis-bytes-in-flight",
    "Bytes of these commands, likewise; an action has some 4 KB.",
    click.IntRange(1_048_576),
)
setting(
    "--data-dir",
    "Where the Redis server of its own keeps the games.",
    click.Path(file_okay=False, path_type=Path),
    default=_default_data_dir,
    show_default="~/.local/share/south-seas",
)
setting(
    "--tilesets-dir",
    "A directory of more tile sets, one JSON file each.",
    click.Path(file_okay=False, exists=True, path_type=Path),
)
setting(
    "--waiting-retention-days",
    "Days after its last change that a game waiting for players is kept.",
    click.FloatRange(MIN_RETENTION_DAYS, 3650),
)
setting(
    "--active-retention-days",
    "Days after its last change that a game being played is kept.",
    click.FloatRange(MIN_RETENTION_DAYS, 3650),
)
setting(
    "--finished-retention-days",
    "Days that a finished or aborted game is kept; 0.05 is little more than an hour, for who archives them.",
    click.FloatRange(MIN_RETENTION_DAYS, 3650),
)
setting(
    "--archive-url",
    "Where each game is kept as one document when it is over: file:///DIRECTORY, or s3://BUCKET/PREFIX, gs:// "
    "or az:// with the package south-seas[archive] and that storage's own variables (as AWS_ACCESS_KEY_ID).",
    callback=_checked(validate_archive_url, "the URL {}"),
)
setting(
    "--bot-processes",
    "Processes in which heavy bots think; they are started when the first is needed.",
    click.IntRange(1, 64),
    default=1,
)
setting("--max-body-bytes", "Largest request body.", click.IntRange(1024))
setting("--max-message-bytes", "Largest message that a socket may send.", click.IntRange(1024))
setting("--max-unsent-bytes", "A watcher that has more than this to read is closed as too slow.", click.IntRange(65536))
setting(
    "--max-unsent-bytes-per-address",
    "Bytes that all connections of an address may have to read, answers too; then whichever has not read for "
    "the longest is cut off.",
    click.IntRange(1_048_576),
)
setting(
    "--max-unsent-bytes-total",
    "The same of all connections to this instance; then those of the address that has most to read are cut "
    "off. The system holds some 64 KB more for each.",
    click.IntRange(1_048_576),
)
setting("--max-subscriptions", "Games that one socket may watch.", click.IntRange(1))
setting("--ping-interval-s", "Seconds between pings to each socket.", click.FloatRange(1, 3600))
setting("--max-webhooks", "Webhooks that one game may have.", click.IntRange(0, 100))
setting("--webhook-timeout-s", "Seconds that a webhook's server may take to answer.", click.FloatRange(0.1, 12))
setting(
    "--webhooks-allow-private",
    "Send webhooks to private addresses and over plain http too: for development and tests only.",
    is_flag=True,
)
setting(
    "--webhook-nameservers",
    "Name servers for the names of webhooks' servers alone, as 192.0.2.53 or 192.0.2.53:5353, with commas "
    "between them. [default: the system's]",
    callback=_parsed(_nameservers),
    metavar="ADDRESSES",
    default="",
)
setting(
    "--drain-time-s",
    "On SIGTERM, seconds to keep serving while /readyz answers 503.",
    click.FloatRange(0, 300),
)
setting("--close-window-s", "On SIGTERM, seconds over which the sockets are closed.", click.FloatRange(0, 300))
setting(
    "--rate-limits",
    "Whether clients are limited by address and token: by --rate-... and --max-...-per-address. Off for load "
    "tests, or where something in front does it.",
    bool,
    default="on",
)
rate("reads", "Requests that change nothing, for each known token, or else each address")
rate("writes", "Those that change something, sockets' too, for each known token, or else each address")
rate("requests", "All that comes with known tokens, for each address")
rate("creations", "New games and webhooks for each address")
rate("open-games", "New games with open seats for each address")
rate("joins", "Seats that each address takes in public games")
rate("keys", "Idempotency keys of what was done, for each address")
rate("bots", "Turns of bots after the actions of each address: 4, or 40 of a heavy bot")
rate("bot-games", "The same of all turns of a game without people, for the address that creates it")
rate("pictures", "Pictures for each known token, or else each address")
rate("streams", "Sockets and event streams opened by each address")
rate("messages", "Messages of all sockets of an address that change nothing")
rate("guesses", "Unknown tokens and games that an address may ask for; then it is served only what it knows")
setting(
    "--addresses-per-network", "A /48 of IPv6 may do, and have open, as much as so many addresses.", click.IntRange(1)
)
setting(
    "--trusted-proxies",
    "Networks of the proxies in front, which say who a client is. Without it all clients of a proxy are one.",
    callback=_parsed(parse_networks),
    metavar="CIDR,...",
    default="",
    show_default="none",
)
setting(
    "--forwarded-header",
    "The one header in which trusted proxies say it. They must set or extend it themselves.",
    click.Choice(["x-forwarded-for", "forwarded"], case_sensitive=False),
)
setting("--max-connections", "Connections in all; where the system allows fewer open files, fewer.", click.IntRange(10))
setting(
    "--max-connections-per-address",
    "Connections of one address to this instance; trusted proxies may have any number.",
    click.IntRange(1),
)
setting("--max-streams-per-address", "Sockets and event streams of one address to this instance.", click.IntRange(1))
setting("--max-watchers-per-game", "Sockets and event streams that watch one game at this instance.", click.IntRange(1))
setting(
    "--request-timeout-s",
    "Seconds that a request's head, and then its body, may take to come.",
    click.FloatRange(1, 600),
)
setting(
    "--response-timeout-s",
    "Seconds that a response may wait for a client that does not read it.",
    click.FloatRange(1, 3600),
)
setting(
    "--keep-alive-timeout-s",
    "Seconds that a connection may be idle; those of trusted proxies may be for an hour.",
    click.FloatRange(1, 3600),
)
setting(
    "--allowed-origins",
    "Origins whose pages may open sockets and event streams, besides this service's own page.",
    callback=_parsed(parse_origins),
    metavar="ORIGIN,...",
    default="*",
)
setting(
    "--hsts-max-age-s",
    "Where all is behind TLS: seconds that browsers use nothing else (Strict-Transport-Security). 0: no such header.",
    click.IntRange(0),
)
setting(
    "--log-level",
    "The least serious messages to log.",
    click.Choice(["debug", "info", "warning", "error"], case_sensitive=False),
    default="info",
)
setting(
    "--log-format",
    "Log lines for people, or one JSON object a line for programs.",
    click.Choice(["text", "json"], case_sensitive=False),
    default="text",
)
setting("--access-log", "Log a line for each request too.", is_flag=True)
setting(
    "--metrics-port",
    "Port on which /metrics answers Prometheus, not to be reached from outside; 0 for any free one. There are "
    "no metrics without it.",
    click.IntRange(0, 65535),
)
setting("--metrics-host", "Address for the metrics' port; --host's by default.")
