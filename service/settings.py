"""The settings of `south-seas serve`: each a flag, and the environment variable of the same name."""

from pathlib import Path
from typing import Any, NamedTuple

from service.games.context import Retention
from service.games.timestamps import DAY_S
from service.settings_table import OPTIONS, Command, Option
from service.store.client import InFlightLimits, Wait
from service.telemetry.logs import LogFormat
from service.web.limits import Limits


class Settings(NamedTuple):
    """Everything that an instance can be told."""

    host: str
    port: int
    redis_url: str | None
    """None: a Redis server of its own."""
    redis_connections: int
    redis_timeout_s: float
    redis_wait: Wait | None
    """How many replicas must have a commit before it is acknowledged; None: that is not waited for."""
    redis_in_flight: InFlightLimits
    """How much may be asked of Redis and not be answered yet."""
    data_dir: Path
    tilesets_dir: Path | None
    log_level: str
    log_format: LogFormat
    access_log: bool
    metrics_port: int | None
    """None: no metrics are told."""
    metrics_host: str
    retention: Retention
    archive_url: str | None
    """None: games that are over are not archived."""
    bot_processes: int
    limits: Limits


def with_settings(*flags: str) -> Option:
    """Give a command some of the settings, as `serve` has them."""

    def give(command: Command) -> Command:
        for flag in reversed(flags):
            command = OPTIONS[flag](command)
        return command

    return give


def with_all_settings(command: Command) -> Command:
    """Give a command all the settings; `to_settings` makes one value of them."""
    return with_settings(*OPTIONS)(command)


def make_settings(values: dict[str, Any]) -> Settings:
    """What the flags and variables say."""
    made = {
        **values,
        "redis_wait": Wait(replicas, values["redis_wait_ms"]) if (replicas := values["redis_wait_replicas"]) else None,
        "redis_in_flight": InFlightLimits(values["max_redis_commands_in_flight"], values["max_redis_bytes_in_flight"]),
        "log_level": values["log_level"].upper(),
        "metrics_host": values["metrics_host"] or values["host"],
        "retention": make_retention(values),
        "limits": Limits(**{name: values[name] for name in Limits._fields if name in values}),
    }
    return Settings(**{name: made[name] for name in Settings._fields})


def make_retention(values: dict[str, Any]) -> Retention:
    """How long the flags and variables say that games are kept."""
    return Retention(**{status: round(values[f"{status}_retention_days"] * DAY_S) for status in Retention._fields})
