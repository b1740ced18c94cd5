"""The settings of `south-seas serve`: each a flag, and the environment variable of the same name."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from service.games.context import DAY_S, Retention
from service.store.client import BadRedisUrl, check_url
from service.web.limits import Limits

PREFIX = "SOUTH_SEAS_"
DEFAULTS = Limits()
KEPT = Retention()

Command = Callable[..., Any]


class Settings(NamedTuple):
    """Everything that an instance can be told."""

    host: str
    port: int
    workers: int
    redis_url: str | None
    """None: a Redis server of its own."""
    redis_connections: int
    redis_patience_s: float
    data_dir: Path
    tilesets_dir: Path | None
    log_level: str
    retention: Retention
    bot_processes: int
    limits: Limits


def setting(flag: str, **attributes: Any) -> Callable[[Command], Command]:
    """A flag that is also an environment variable: `--redis-url` and `SOUTH_SEAS_REDIS_URL`."""
    variable = PREFIX + flag.removeprefix("--").replace("-", "_").upper()
    return click.option(flag, envvar=variable, show_envvar=True, **{"show_default": True, **attributes})


def _redis_url(_context: click.Context, _option: click.Parameter, url: str | None) -> str | None:
    """Refuse what is no URL of a Redis; an empty variable is as good as none."""
    if not url:
        return None
    try:
        check_url(url)
    except BadRedisUrl as bad:
        raise click.BadParameter(str(bad)) from bad
    return url


def _default_data_dir() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "south-seas"


OPTIONS = (
    setting("--host", default="127.0.0.1", help="Address to listen on; 0.0.0.0 for all."),
    setting("--port", type=click.IntRange(0, 65535), default=8080, help="Port to listen on; 0 for any free one."),
    setting(
        "--workers",
        type=click.IntRange(1, 64),
        default=1,
        help="Processes that serve, each a whole instance, on one port: as many as there are cores. Where something "
        "else runs several instances, as Kubernetes does, leave it at one.",
    ),
    setting(
        "--redis-url",
        callback=_redis_url,
        help="Redis that holds the games. Without it the service starts a Redis server of its own.",
    ),
    setting(
        "--redis-connections",
        type=click.IntRange(1, 64),
        default=2,
        help="Connections that carry all commands.",
    ),
    setting(
        "--redis-patience-s",
        type=click.FloatRange(0.1, 300),
        default=5.0,
        help="Seconds after which a command without an answer is given up.",
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
        type=click.IntRange(1, 3650),
        default=KEPT.waiting // DAY_S,
        help="Days after its last change that a game waiting for players is kept.",
    ),
    setting(
        "--keep-active-days",
        type=click.IntRange(1, 3650),
        default=KEPT.active // DAY_S,
        help="Days after its last change that a game being played is kept.",
    ),
    setting(
        "--keep-finished-days",
        type=click.IntRange(1, 3650),
        default=KEPT.finished // DAY_S,
        help="Days that a finished or aborted game is kept.",
    ),
    setting(
        "--bot-processes",
        type=click.IntRange(1, 64),
        default=1,
        help="Processes in which heavy bots think, shared out among the workers, at least one each; they are started "
        "when the first is needed.",
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
        "--log-level",
        type=click.Choice(["debug", "info", "warning", "error"], case_sensitive=False),
        default="info",
        help="The least serious messages to log.",
    ),
)
"""In the order in which `--help` lists them."""


def with_settings(command: Command) -> Command:
    """Give a command all the settings; `to_settings` makes one value of them."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def to_settings(values: dict[str, Any]) -> Settings:
    """What the flags and variables say."""
    return Settings(
        host=values["host"],
        port=values["port"],
        workers=values["workers"],
        redis_url=values["redis_url"],
        redis_connections=values["redis_connections"],
        redis_patience_s=values["redis_patience_s"],
        data_dir=values["data_dir"],
        tilesets_dir=values["tilesets_dir"],
        log_level=values["log_level"].upper(),
        retention=Retention(
            waiting=values["keep_waiting_days"] * DAY_S,
            active=values["keep_active_days"] * DAY_S,
            finished=values["keep_finished_days"] * DAY_S,
        ),
        bot_processes=values["bot_processes"],
        limits=Limits(**{name: values[name] for name in Limits._fields if name in values}),
    )
