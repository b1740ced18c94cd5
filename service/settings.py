"""The settings of `south-seas serve` as one value; `service.settings_table` has the options."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from service.games.context import Retention
from service.games.timestamps import DAY_S
from service.settings_table import SETTINGS, Option
from service.store.client import InFlightLimits, Wait
from service.telemetry.logs import LogFormat
from service.web.limits import Limits

__all__ = ["Settings", "check_one_store", "make_retention", "make_settings", "with_all_settings", "with_settings"]

Command = Callable[..., Any]


class Settings(NamedTuple):
    """The configuration of one instance."""

    host: str
    port: int
    redis_url: str | None
    """None for an embedded Redis server."""
    redis_connections: int
    redis_timeout_s: float
    redis_wait: Wait | None
    """The replicas that must acknowledge a commit; None to wait for none."""
    redis_in_flight: InFlightLimits
    data_dir: Path
    tilesets_dir: Path | None
    log_level: str
    log_format: LogFormat
    access_log: bool
    metrics_port: int | None
    """None for no metrics."""
    metrics_host: str
    retention: Retention
    archive_url: str | None
    """None for no archive."""
    bot_processes: int
    limits: Limits


def with_settings(*flags: str) -> Option:
    """Return a decorator that gives a command these settings of `serve`."""

    def decorate(command: Command) -> Command:
        for flag in reversed(flags):
            command = SETTINGS[flag](command)
        return command

    return decorate


def with_all_settings(command: Command) -> Command:
    """Give a command all settings; `make_settings` makes one value of them."""
    return with_settings(*SETTINGS)(command)


def make_settings(values: dict[str, Any]) -> Settings:
    """Return the settings for the values of flags and environment variables. Raises click.UsageError."""
    check_one_store(values)
    fields = {
        **values,
        "redis_wait": Wait(replicas, values["redis_wait_ms"]) if (replicas := values["redis_wait_replicas"]) else None,
        "redis_in_flight": InFlightLimits(values["max_redis_commands_in_flight"], values["max_redis_bytes_in_flight"]),
        "log_level": values["log_level"].upper(),
        "retention": make_retention(values),
        "limits": Limits(**{name: values[name] for name in Limits._fields if name in values}),
    }
    return Settings(**{name: fields[name] for name in Settings._fields})


def check_one_store(values: Mapping[str, Any]) -> None:
    """Raise click.UsageError if the command line names a directory for games that are in another Redis.

    The directory's environment variable may be set beside a Redis URL, as in the image.
    """
    source = click.get_current_context().get_parameter_source("data_dir")
    if values["redis_url"] is not None and source is ParameterSource.COMMANDLINE:
        text = "--data-dir is for games in an embedded server, and --redis-url or its variable names another: give one"
        raise click.UsageError(text)


def make_retention(values: dict[str, Any]) -> Retention:
    """Return the retention for the values of `--waiting-retention-days` and its siblings."""
    return Retention(**{status: round(values[f"{status}_retention_days"] * DAY_S) for status in Retention._fields})
