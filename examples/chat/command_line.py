"""The command line that the programs of all chats have."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from examples.chat.bot import PICTURE_WIDTH

F = TypeVar("F", bound=Callable[..., Any])


def bot_options(token_variable: str, file: str) -> Callable[[F], F]:
    """Return a decorator that adds the options `url`, `api_key`, `token`, `file` and `width` to a command."""
    options = (
        click.option("--url", envvar="SOUTH_SEAS_URL", default="http://localhost:8080", help="The URL of the service."),
        click.option(
            "--api-key", envvar="SOUTH_SEAS_API_KEY", help="The API key of a bot for many players: docs/api-keys.md."
        ),
        click.option("--token", envvar=token_variable, required=True, hidden=True),
        click.option(
            "--file",
            envvar="SOUTH_SEAS_BOT_FILE",
            type=click.Path(dir_okay=False, path_type=Path),
            default=Path(file),
            help="The bot's file of games and seats.",
        ),
        click.option(
            "--width",
            type=click.IntRange(0, 4000),
            default=PICTURE_WIDTH,
            help="The width of board pictures in pixels; 0 shows none.",
        ),
    )

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
