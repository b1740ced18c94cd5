"""`south-seas redis` and `reindex`: what an operator does to the Redis of the service."""

import sys
import time

import click

from service.cli.store import REDIS_SETTINGS, RETENTION_SETTINGS, Progress, log_change, run_with_store
from service.games.index_repair import IndexRepairer, RepairReport
from service.settings import Settings, with_settings
from service.store.connection import parse_url
from service.store.game_store import RedisStore
from service.store.planned_failover import PlannedFailoverError, fail_over
from service.supervision import run


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
