"""`south-seas redis` and `reindex`: what an operator does to the Redis of the service.

The store that a command works on: the Redis of --redis-url, or the embedded one of --data-dir.

Progress and failures of long-running commands, on the error stream.

What operators change by commands, a line of the log each.
"""

import getpass
import logging
import os
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from functools import wraps
from typing import Any, TypeVar

import click
import msgspec

from service.archive_storage import open_object_storage
from service.games.archive import InvalidDocument
from service.games.errors import GameError, TileSetMissing
from service.games.index_repair import IndexRepairer, RepairReport
from service.games.ports import GameOfLaterRelease, StoreUnavailable, UnreadableGame
from service.settings import Command, Settings, with_settings
from service.store.connection import parse_url
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore, connect
from service.store.planned_failover import PlannedFailoverError, fail_over
from service.supervision import run
from service.telemetry import logs
from service.telemetry.clock import timestamp
from service.telemetry.logs import escape_unprintable

T = TypeVar("T")

REDIS_SETTINGS = ("redis_url", "data_dir")
RETENTION_SETTINGS = ("waiting_retention_days", "active_retention_days", "finished_retention_days", "archive_url")

UNREADABLE_HELP = "`south-seas import` replaces it from a backup, `south-seas games delete --force` deletes it"

REDIS_TIMEOUT_S = 30.0
"""Longer than when serving, since commands read and write whole games."""


def run_with_store(settings: Settings, work: Callable[[RedisStore], Awaitable[T]]) -> T:
    """Run `work` with the store of the settings, starting the embedded Redis server if there is no URL.

    Raises EmbeddedServerError, StoreUnavailable.
    """

    async def run_work() -> T:
        async with AsyncExitStack() as stack:
            redis_url = settings.redis_url
            if redis_url is None:
                redis_url = (await stack.enter_async_context(embedded_server(settings.data_dir))).url
            connection = connect(redis_url, timeout_s=REDIS_TIMEOUT_S, log_outages=False)
            store = await stack.enter_async_context(connection)
            if settings.archive_url is not None:
                store.compacted_logs.archive = open_object_storage(settings.archive_url)
            await store.ping()
            return await work(store)

    return run(run_work())


def with_store(*names: str) -> Callable[[Command], Command]:
    """Return a decorator like `with_settings`, of a coroutine function that gets the settings' store, then them."""

    def decorate(command: Command) -> Command:
        @with_settings(*names)
        @wraps(command)
        def run_command(settings: Settings, **values: Any) -> Any:
            try:
                return run_with_store(settings, lambda store: command(store, settings, **values))
            except UnreadableGame as error:
                helps = "a later release reads it" if isinstance(error, GameOfLaterRelease) else UNREADABLE_HELP
                raise click.ClickException(f"the game cannot be read: {error}\n{helps}") from error
            except GameError as error:
                raise click.ClickException(error.describe("")) from error

        return run_command

    return decorate


REPORT_INTERVAL_S = 2.0


class Progress:
    """Prints the number of finished games every few seconds."""

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._started_at = self._reported_at = time.monotonic()

    def report(self, games: int) -> None:
        """Print how many games are finished, unless that was printed a moment ago."""
        now = time.monotonic()
        if now >= self._reported_at + REPORT_INTERVAL_S:
            self._reported_at = now
            rate = games / (now - self._started_at)
            click.echo(f"{self._verb} {games} games so far, {rate:.0f} per second", err=True)


@contextmanager
def report_failure(subject: str) -> Iterator[None]:
    """Print the failure of a `with` block and suppress it, so that other games are not affected.

    Raises StoreUnavailable.
    """
    try:
        yield
    except TileSetMissing as error:
        reason = f"{error}: name the directory of its tile set with --tilesets-dir"
    except (InvalidDocument, UnreadableGame, msgspec.DecodeError) as error:
        reason = str(error)
    except StoreUnavailable:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
    except Exception as error:  # noqa: BLE001  a damaged game may raise anything, and must not stop the others
        reason = f"{type(error).__name__}: {error}"
    else:
        return
    click.echo(escape_unprintable(f"{subject}: {reason}"), err=True)


AUDIT = logging.getLogger("south_seas.audit")


def log_change(change: str, detail: str) -> None:
    """Log who changed what on the error stream."""
    logs.configure_logging("INFO", "text")
    AUDIT.info("%s@%s %s at %s: %s", _user(), socket.gethostname(), change, timestamp(int(time.time())), detail)


def _user() -> str:
    """Return the user of the operating system, who may have no name, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


@click.group("redis")
def redis_group() -> None:
    """Operate the Redis that stores the games."""


@redis_group.command("failover")
@click.option("--primary", metavar="HOST:PORT", help="Primary that is to hand over; a Cluster has several.")
@with_settings("redis_url")
def failover_command(primary: str | None, settings: Settings) -> None:
    """Let the primary hand over to one of its replicas, without losing an acknowledged move.

    For upgrades of Redis: `SENTINEL FAILOVER` alone loses moves. The user of --redis-url needs rights to administer the
    servers, and may be another than that of the service. Writes stop for one to two seconds, in which requests wait.
    Refuses, and changes nothing, unless all replicas are in sync and all Sentinels agree. Exits with 1 then. The change
    is logged on the error stream only, since this user has no right to the service's keys.
    """
    if settings.redis_url is None:
        raise click.UsageError("--redis-url names the Sentinels or the nodes of the Cluster: give it")
    steps: list[str] = []

    def report(step: str) -> None:
        steps.append(step)
        click.echo(step)

    try:
        run(fail_over(parse_url(settings.redis_url), primary, report))
    except PlannedFailoverError as error:
        if steps:
            log_change("tried a failover of Redis", str(error))
        raise click.ClickException(str(error)) from error
    log_change("made Redis fail over", steps[-1])


@click.command("reindex")
@with_settings(*REDIS_SETTINGS, *RETENTION_SETTINGS)
def reindex_command(settings: Settings) -> None:
    """Rebuild the indexes from the games: public lists, games by token, and the schedule.

    Running instances repair the indexes slowly in the background. This command repairs all of them now; it may run
    beside instances. Exits with 1 if a game could not be read.
    """
    progress = Progress("checked")

    async def repair(store: RedisStore) -> RepairReport:
        repairer = IndexRepairer(store, store.index_repair, settings.retention, time.time)

        async def show(so_far: RepairReport, _batch_s: float) -> None:
            progress.report(so_far.games)

        result = await repairer.repair_all(show)
        log_change("rebuilt the indexes", _describe(result))
        return result

    result = run_with_store(settings, repair)
    click.echo(f"checked {_describe(result)}")
    sys.exit(1 if result.unreadable else 0)


def _describe(result: RepairReport) -> str:
    return (
        f"{result.games} games: {result.added} index entries added, {result.removed} removed, "
        f"{result.unreadable} games unreadable"
    )
