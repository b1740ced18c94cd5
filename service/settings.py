"""Reading the settings of `south-seas serve`: the table of `service.settings_table` as click options and one value."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from service.games.context import Retention
from service.games.timestamps import DAY_S
from service.settings_table import SETTINGS, Setting
from service.store.client import InFlightLimits, Wait
from service.telemetry.logs import LogFormat
from service.web.limits import Limits

__all__ = ["Settings", "make_retention", "make_settings", "with_all_settings", "with_settings"]

Command = Callable[..., Any]
Option = Callable[[Command], Command]


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
            command = _OPTIONS[flag](command)
        return command

    return decorate


def with_all_settings(command: Command) -> Command:
    """Give a command all settings; `make_settings` makes one value of them."""
    return with_settings(*_OPTIONS)(command)


def make_settings(values: dict[str, Any]) -> Settings:
    """Return the settings for the values of flags and environment variables."""
    fields = {
        **values,
        "redis_wait": Wait(replicas, values["redis_wait_ms"]) if (replicas := values["redis_wait_replicas"]) else None,
        "redis_in_flight": InFlightLimits(values["max_redis_commands_in_flight"], values["max_redis_bytes_in_flight"]),
        "log_level": values["log_level"].upper(),
        "metrics_host": values["metrics_host"] or values["host"],
        "retention": make_retention(values),
        "limits": Limits(**{name: values[name] for name in Limits._fields if name in values}),
    }
    return Settings(**{name: fields[name] for name in Settings._fields})


def make_retention(values: dict[str, Any]) -> Retention:
    """Return the retention for the values of `--waiting-retention-days` and its siblings."""
    return Retention(**{status: round(values[f"{status}_retention_days"] * DAY_S) for status in Retention._fields})


def _field_defaults() -> dict[str, Any]:
    """Return the defaults of settings that are fields of `Limits`, `Retention` or `InFlightLimits`."""
    return {
        **{
            name: f"{value[0]}/{value[1]}" if name.startswith("rate_") and isinstance(value, tuple) else value
            for name, value in Limits()._asdict().items()
        },
        **{f"{status}_retention_days": seconds // DAY_S for status, seconds in Retention()._asdict().items()},
        **{f"max_redis_{unit}_in_flight": limit for unit, limit in InFlightLimits()._asdict().items()},
    }


def _make_option(setting: Setting, defaults: dict[str, Any]) -> Option:
    """Return the click option of a setting."""
    attributes: dict[str, Any] = {}
    if setting.default is not None:
        attributes["default"] = setting.default
    elif setting.name in defaults:
        attributes["default"] = defaults[setting.name]
    if setting.parse is not None or setting.check is not None:
        attributes["callback"] = _make_callback(setting)
    return click.option(
        setting.flag,
        help=setting.help,
        type=setting.type,
        envvar=setting.variable,
        show_envvar=True,
        show_default=setting.show_default,
        metavar=setting.metavar,
        is_flag=setting.is_flag or None,
        **attributes,
    )


def _make_callback(setting: Setting) -> Callable[[click.Context, click.Parameter, str], Any]:
    """Return the click callback that parses or checks a text, and turns ValueError into BadParameter."""

    def parse(_context: click.Context, _option: click.Parameter, text: str) -> Any:
        try:
            if setting.parse is not None:
                return setting.parse(text)
            if text and setting.check is not None:
                setting.check(text)
        except ValueError as error:
            raise click.BadParameter(setting.invalid.format(error)) from error
        return text or None

    return parse


def _make_options() -> dict[str, Option]:
    defaults = _field_defaults()
    return {setting.flag: _make_option(setting, defaults) for setting in SETTINGS}


_OPTIONS = _make_options()
