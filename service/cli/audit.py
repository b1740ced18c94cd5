"""`south-seas audit`: what operators changed by other commands, which record it here."""

import getpass
import logging
import os
import socket
import time

import click

from service.cli.store import REDIS_SETTINGS, run_with_store
from service.settings import Settings, with_settings
from service.store.game_store import RedisStore
from service.telemetry import logs
from service.telemetry.clock import timestamp
from service.telemetry.logs import escape_unprintable

__all__ = ["audit_command", "log_change", "record_change"]

AUDIT = logging.getLogger("south_seas.audit")


@click.command("audit")
@with_settings(*REDIS_SETTINGS)
def audit_command(settings: Settings) -> None:
    """Print what operators changed by other commands, the newest first: who, where, what and when."""

    async def print_lines(store: RedisStore) -> None:
        for line in await store.transfer.list_audit_lines():
            click.echo(escape_unprintable(line))

    run_with_store(settings, print_lines)


async def record_change(store: RedisStore, change: str, detail: str) -> None:
    """Log who changed what, and store it for `south-seas audit`. Raises StoreUnavailable."""
    await store.transfer.add_audit_line(log_change(change, detail))


def log_change(change: str, detail: str) -> str:
    """Log who changed what on the error stream, and return the line."""
    logs.configure_logging("INFO", "text")
    line = f"{_user()}@{socket.gethostname()} {change} at {timestamp(int(time.time()))}: {detail}"
    AUDIT.info("%s", line)
    return line


def _user() -> str:
    """Return the user of the operating system, who may have no name, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"
