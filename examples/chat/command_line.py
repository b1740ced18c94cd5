"""The command line that the programs of all chats have, and their errors, which are one line each."""

import argparse
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from examples.chat.bot import PICTURE_WIDTH
from examples.command_line import service_url
from south_seas import ClientError

F = TypeVar("F", bound=Callable[..., Any])


def bot_options(token_variable: str, file: str) -> Callable[[F], F]:
    """Return a decorator that adds the options `url`, `api_key`, `token`, `file` and `width` to a command."""
    options = (
        click.option(
            "--url",
            envvar="SOUTH_SEAS_URL",
            default="http://localhost:8080",
            callback=_check_url,
            help="The URL of the service.",
        ),
        click.option(
            "--api-key", envvar="SOUTH_SEAS_API_KEY", help="The API key of a bot for many players: docs/api-keys.md."
        ),
        click.option("--token", envvar=token_variable, hidden=True, callback=_require_token),
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


@contextmanager
def one_line_errors(chat: str, *errors: type[Exception]) -> Iterator[None]:
    """Report as click does what the file, the service or the chat's library raises while a program runs.

    The library's errors have no traceback in the log either, which has several lines of it for each lost connection.
    """

    def remove_traceback(record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, errors):
            record.msg, record.args, record.exc_info = "%s: %s", (record.getMessage(), error), None
        return True

    for handler in logging.getLogger().handlers:
        handler.addFilter(remove_traceback)
    try:
        yield
    except errors as error:
        raise click.ClickException(f"{chat}: {error}") from error
    except (OSError, sqlite3.Error, ClientError) as error:
        raise click.ClickException(f"cannot run the bot: {error}") from error


def _check_url(_context: click.Context, _parameter: click.Parameter, url: str) -> str:
    try:
        return service_url(url)
    except argparse.ArgumentTypeError as error:
        raise click.BadParameter(str(error)) from error


def _require_token(_context: click.Context, parameter: click.Parameter, token: str | None) -> str:
    if not token:
        raise click.UsageError(f"Set {parameter.envvar} to the bot's token.")
    return token
