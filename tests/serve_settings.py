"""The settings of `south-seas serve`, as it makes them of its flags and the environment."""

import os
from collections.abc import Mapping
from types import MappingProxyType
from unittest.mock import patch

import click

from service.settings import Settings, with_settings


@click.command
@with_settings()
def SERVE(settings: Settings) -> Settings:  # noqa: N802  the decorators make a command of it
    """Return the settings."""
    return settings


def parse_settings(*flags: str, environment: Mapping[str, str] = MappingProxyType({})) -> Settings:
    """Return the settings for flags and further environment variables. Raise click's errors."""
    with patch.dict(os.environ, environment):
        settings: Settings = SERVE.main(args=[*flags], standalone_mode=False)
    return settings


def variables() -> set[str]:
    """Return the variables of all settings."""
    return {str(option.envvar) for option in SERVE.params}
