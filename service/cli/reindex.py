"""`south-seas reindex`: rebuild the indexes of a Redis from its games."""

import sys
import time

import click

from service.cli.audit import record_change
from service.cli.progress import Progress
from service.cli.store import REDIS_SETTINGS, RETENTION_SETTINGS, run_with_store
from service.games.index_repair import IndexRepairer, RepairReport
from service.settings import Settings, with_settings
from service.store.game_store import RedisStore

__all__ = ["reindex_command"]


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
        await record_change(store, "rebuilt the indexes", _describe(result))
        return result

    result = run_with_store(settings, repair)
    click.echo(f"checked {_describe(result)}")
    sys.exit(1 if result.unreadable else 0)


def _describe(result: RepairReport) -> str:
    return (
        f"{result.games} games: {result.added} index entries added, {result.removed} removed, "
        f"{result.unreadable} games unreadable"
    )
