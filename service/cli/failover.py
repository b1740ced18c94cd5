"""`south-seas redis`: what an operator does to the Redis of the service."""

import asyncio

import click

from service.cli.audit import log_change
from service.settings import Settings, with_settings
from service.store.client import parse_url
from service.store.planned_failover import PlannedFailoverError, fail_over

__all__ = ["redis_group"]


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
        asyncio.run(fail_over(parse_url(settings.redis_url), primary, report))
    except PlannedFailoverError as error:
        if steps:
            log_change("tried a failover of Redis", str(error))
        raise click.ClickException(str(error)) from error
    log_change("made Redis fail over", steps[-1])
