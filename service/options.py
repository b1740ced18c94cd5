"""Each flag of `south-seas serve`, with what it is checked by; `service.settings` makes one value of them."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from service.games.context import Retention
from service.games.times import DAY_S
from service.keeping.objects import check_archive_url
from service.store.client import InFlightLimits, check_url
from service.web.addresses import check_nameserver
from service.web.limiting.origins import origins
from service.web.limiting.policies import parse
from service.web.limiting.proxies import networks
from service.web.limits import Limits

PREFIX = "SOUTH_SEAS_"
DEFAULTS = Limits()
KEPT = Retention()
IN_FLIGHT = InFlightLimits()
SHORTEST_DAYS = 0.05

Command = Callable[..., Any]
Option = Callable[[Command], Command]


def setting(flag: str, **attributes: Any) -> Option:
    """A flag that is also an environment variable: `--redis-url` and `SOUTH_SEAS_REDIS_URL`."""
    variable = PREFIX + flag.removeprefix("--").replace("-", "_").upper()
    option = click.option(flag, envvar=variable, show_envvar=True, **{"show_default": True, **attributes})
    BY_FLAG[flag] = option
    return option


BY_FLAG: dict[str, Option] = {}


def rate(name: str, what: str) -> Option:
    """A setting for a bucket of each client's."""
    quota, window_s = getattr(DEFAULTS, "rate_" + name.replace("-", "_"))
    return setting(
        f"--rate-{name}",
        callback=_parsed(parse, "write QUOTA/SECONDS, as 1000/10"),
        metavar="QUOTA/SECONDS",
        default=f"{quota}/{window_s}",
        help=f"{what}: so many at once, and so many in so many seconds.",
    )


def _parsed(read: Callable[[str], Any], refusal: str = "{}") -> Callable[[click.Context, click.Parameter, str], Any]:
    """A callback that gives what `read` makes of a flag's text; a ValueError refuses it."""

    def parsed(_context: click.Context, _option: click.Parameter, text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise click.BadParameter(refusal.format(error)) from error

    return parsed


def _checked(
    check: Callable[[str], None], refusal: str = "{}"
) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """A callback that gives a flag's text, unless `check` raises ValueError; an empty variable is as good as none."""

    def checked(text: str) -> str:
        check(text)
        return text

    parsed = _parsed(checked, refusal)
    return lambda context, option, text: parsed(context, option, text) if text else None


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


OPTIONS = (
    setting("--host", default="127.0.0.1", help="Address to listen on; 0.0.0.0 for all."),
    setting("--port", type=click.IntRange(0, 65535), default=8080, help="Port to listen on; 0 for any free one."),
    setting(
        "--redis-url",
        callback=_checked(check_url),
        help="Redis that holds the games: redis://USER:PASSWORD@HOST:6379/0, with TLS rediss://, through sentinels "
        "redis+sentinel://HOST:26379,HOST:26379/SERVICE/0, a Cluster redis+cluster://HOST:6379,HOST:6379. Without it "
        "the service starts a Redis server of its own.",
    ),
    setting(
        "--redis-connections",
        type=click.IntRange(1, 64),
        default=2,
        help="Connections to each Redis primary that carry all commands.",
    ),
    setting(
        "--redis-patience-s",
        type=click.FloatRange(0.1, 300),
        default=5.0,
        help="Seconds after which a command without an answer is given up.",
    ),
    setting(
        "--redis-wait-replicas",
        type=click.IntRange(0, 10),
        default=0,
        help="Replicas that must have an action before it is acknowledged (WAIT): a failover then loses none that was, "
        "but while they are out of reach every action is answered with 503. 0 waits for none.",
    ),
    setting(
        "--redis-wait-ms",
        type=click.IntRange(1, 60_000),
        default=1000,
        help="Milliseconds to wait for these replicas.",
    ),
    setting(
        "--max-redis-commands-in-flight",
        type=click.IntRange(100),
        default=IN_FLIGHT.commands,
        help="Commands that Redis may leave unanswered; what would need one more is answered with 503 at once. In a "
        "Cluster one primary may have half of them.",
    ),
    setting(
        "--max-redis-bytes-in-flight",
        type=click.IntRange(1_048_576),
        default=IN_FLIGHT.bytes,
        help="Bytes of these commands, likewise; an action has some 4 KB.",
    ),
    setting(
        "--data-dir",
        type=click.Path(file_okay=False, path_type=Path),
        default=_default_data_dir,
        show_default="~/.local/share/south-seas",
        help="Where the Redis server of its own keeps the games.",
    ),
    setting(
        "--tilesets-dir",
        type=click.Path(file_okay=False, exists=True, path_type=Path),
        help="A directory of more tile sets, one JSON file each.",
    ),
    setting(
        "--keep-waiting-days",
        type=click.FloatRange(SHORTEST_DAYS, 3650),
        default=KEPT.waiting // DAY_S,
        help="Days after its last change that a game waiting for players is kept.",
    ),
    setting(
        "--keep-active-days",
        type=click.FloatRange(SHORTEST_DAYS, 3650),
        default=KEPT.active // DAY_S,
        help="Days after its last change that a game being played is kept.",
    ),
    setting(
        "--keep-finished-days",
        type=click.FloatRange(SHORTEST_DAYS, 3650),
        default=KEPT.finished // DAY_S,
        help="Days that a finished or aborted game is kept; 0.05 is little more than an hour, for who archives them.",
    ),
    setting(
        "--archive-url",
        callback=_checked(check_archive_url, "the URL {}"),
        help="Where each game is kept as one document when it is over: file:///DIRECTORY, or s3://BUCKET/PREFIX, gs:// "
        "or az:// with the package south-seas[archive] and that storage's own variables (as AWS_ACCESS_KEY_ID).",
    ),
    setting(
        "--bot-processes",
        type=click.IntRange(1, 64),
        default=1,
        help="Processes in which heavy bots think; they are started when the first is needed.",
    ),
    setting(
        "--max-body-bytes", type=click.IntRange(1024), default=DEFAULTS.max_body_bytes, help="Largest request body."
    ),
    setting(
        "--max-message-bytes",
        type=click.IntRange(1024),
        default=DEFAULTS.max_message_bytes,
        help="Largest message that a socket may send.",
    ),
    setting(
        "--max-unsent-bytes",
        type=click.IntRange(65536),
        default=DEFAULTS.max_unsent_bytes,
        help="A watcher that has more than this to read is closed as too slow.",
    ),
    setting(
        "--max-unsent-bytes-per-address",
        type=click.IntRange(1_048_576),
        default=DEFAULTS.max_unsent_bytes_per_address,
        help="Bytes that all connections of an address may have to read, answers too; then whichever has not read for "
        "the longest is cut off.",
    ),
    setting(
        "--max-unsent-bytes-in-all",
        type=click.IntRange(1_048_576),
        default=DEFAULTS.max_unsent_bytes_in_all,
        help="The same of all connections to this instance; then those of the address that has most to read are cut "
        "off. The system holds some 64 KB more for each.",
    ),
    setting(
        "--max-subscriptions",
        type=click.IntRange(1),
        default=DEFAULTS.max_subscriptions,
        help="Games that one socket may watch.",
    ),
    setting(
        "--ping-interval-s",
        type=click.FloatRange(1, 3600),
        default=DEFAULTS.ping_interval_s,
        help="Seconds between pings to each socket.",
    ),
    setting(
        "--max-webhooks",
        type=click.IntRange(0, 100),
        default=DEFAULTS.max_webhooks,
        help="Webhooks that one game may have.",
    ),
    setting(
        "--webhook-timeout-s",
        type=click.FloatRange(0.1, 12),
        default=DEFAULTS.webhook_timeout_s,
        help="Seconds that a webhook's server may take to answer.",
    ),
    setting(
        "--webhooks-allow-private",
        is_flag=True,
        help="Send webhooks to private addresses and over plain http too: for development and tests only.",
    ),
    setting(
        "--webhook-nameservers",
        callback=_parsed(_nameservers),
        metavar="ADDRESSES",
        default="",
        help="Name servers for the names of webhooks' servers alone, as 192.0.2.53 or 192.0.2.53:5353, with commas "
        "between them. [default: the system's]",
    ),
    setting(
        "--drain-s",
        type=click.FloatRange(0, 300),
        default=DEFAULTS.drain_s,
        help="On SIGTERM, seconds during which all is still served but /readyz says 503.",
    ),
    setting(
        "--close-spread-s",
        type=click.FloatRange(0, 300),
        default=DEFAULTS.close_spread_s,
        help="On SIGTERM, seconds over which the sockets are closed.",
    ),
    setting(
        "--rate-limits",
        type=bool,
        default="on",
        help="Whether clients are limited by address and token: by --rate-... and --max-...-per-address. Off for load "
        "tests, or where something in front does it.",
    ),
    rate("reads", "Requests that change nothing, for each known token, or else each address"),
    rate("writes", "Those that change something, sockets' too, for each known token, or else each address"),
    rate("requests", "All that comes with known tokens, for each address"),
    rate("creations", "New games and webhooks for each address"),
    rate("open-games", "New games with open seats for each address"),
    rate("joins", "Seats that each address takes in public games"),
    rate("keys", "Idempotency keys of what was done, for each address"),
    rate("bots", "Turns of bots after the actions of each address: 4, or 40 of a heavy bot"),
    rate("bot-games", "The same of all turns of a game without people, for the address that creates it"),
    rate("pictures", "Pictures for each known token, or else each address"),
    rate("streams", "Sockets and event streams opened by each address"),
    rate("messages", "Messages of all sockets of an address that change nothing"),
    rate("guesses", "Unknown tokens and games that an address may ask for; then it is served only what it knows"),
    setting(
        "--addresses-per-network",
        type=click.IntRange(1),
        default=DEFAULTS.addresses_per_network,
        help="A /48 of IPv6 may do, and have open, as much as so many addresses.",
    ),
    setting(
        "--trusted-proxies",
        callback=_parsed(networks),
        metavar="CIDR,...",
        default="",
        show_default="none",
        help="Networks of the proxies in front, which say who a client is. Without it all clients of a proxy are one.",
    ),
    setting(
        "--forwarded-header",
        type=click.Choice(["x-forwarded-for", "forwarded"], case_sensitive=False),
        default=DEFAULTS.forwarded_header,
        help="The one header in which trusted proxies say it. They must set or extend it themselves.",
    ),
    setting(
        "--max-connections",
        type=click.IntRange(10),
        default=DEFAULTS.max_connections,
        help="Connections in all; where the system allows fewer open files, fewer.",
    ),
    setting(
        "--max-connections-per-address",
        type=click.IntRange(1),
        default=DEFAULTS.max_connections_per_address,
        help="Connections of one address to this instance; trusted proxies may have any number.",
    ),
    setting(
        "--max-streams-per-address",
        type=click.IntRange(1),
        default=DEFAULTS.max_streams_per_address,
        help="Sockets and event streams of one address to this instance.",
    ),
    setting(
        "--max-watchers-per-game",
        type=click.IntRange(1),
        default=DEFAULTS.max_watchers_per_game,
        help="Sockets and event streams that watch one game at this instance.",
    ),
    setting(
        "--request-timeout-s",
        type=click.FloatRange(1, 600),
        default=DEFAULTS.request_timeout_s,
        help="Seconds that a request's head, and then its body, may take to come.",
    ),
    setting(
        "--answer-timeout-s",
        type=click.FloatRange(1, 3600),
        default=DEFAULTS.answer_timeout_s,
        help="Seconds that an answer waits for a client that does not read it.",
    ),
    setting(
        "--keep-alive-s",
        type=click.FloatRange(1, 3600),
        default=DEFAULTS.keep_alive_s,
        help="Seconds that a connection may be idle; those of trusted proxies may be for an hour.",
    ),
    setting(
        "--allowed-origins",
        callback=_parsed(origins),
        metavar="ORIGIN,...",
        default="*",
        help="Origins whose pages may open sockets and event streams, besides this service's own page.",
    ),
    setting(
        "--hsts-max-age-s",
        type=click.IntRange(0),
        default=DEFAULTS.hsts_max_age_s,
        help="Where all is behind TLS: seconds that browsers use nothing else (Strict-Transport-Security). 0: no such "
        "header.",
    ),
    setting(
        "--log-level",
        type=click.Choice(["debug", "info", "warning", "error"], case_sensitive=False),
        default="info",
        help="The least serious messages to log.",
    ),
    setting(
        "--log-format",
        type=click.Choice(["text", "json"], case_sensitive=False),
        default="text",
        help="Log lines for people, or one JSON object a line for programs.",
    ),
    setting("--access-log", is_flag=True, help="Log a line for each request too."),
    setting(
        "--metrics-port",
        type=click.IntRange(0, 65535),
        help="Port on which /metrics answers Prometheus, not to be reached from outside; 0 for any free one. There are "
        "no metrics without it.",
    ),
    setting("--metrics-host", help="Address for the metrics' port; --host's by default."),
)
"""In the order in which `--help` lists them."""
