"""The commands that keep games besides serving them: `south-seas export`, `import` and `reindex`."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from service.archive_storage.atomic_files import iter_documents
from service.cli.export import export_games
from service.cli.importer import import_files
from service.cli.progress import Progress
from service.cli.store import open_store
from service.games.index_repair.repairer import IndexRepairer, RepairReport
from service.games.tilesets import InvalidTileSetFile, load_catalogue
from service.settings import make_retention, with_settings
from service.store.game_store import RedisStore

T = TypeVar("T")

REDIS_SETTINGS = ("--redis-url", "--data-dir")
RETENTION_SETTINGS = ("--waiting-retention-days", "--active-retention-days", "--finished-retention-days")


@click.command("export")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--game", "games", multiple=True, help="A game's id; may be given several times.")
@click.option("--all", "everything", is_flag=True, help="All games that are in this Redis.")
@with_settings(*REDIS_SETTINGS, "--tilesets-dir")
def export_command(target: Path, games: Sequence[str], *, everything: bool, **settings: Any) -> None:
    """Write games out of a Redis to files, one document each, of any status.

    TARGET is a directory, or for one game a file NAME.json.gz or NAME.json. A document has the game's whole log and its
    snapshot with the order of the hidden tiles; the HASHES OF ITS TOKENS, so that these are valid where it is imported;
    and its WEBHOOKS WITH THEIR SECRETS. So files are for this user alone: keep them as safe as the Redis itself. What
    is kept to answer retries is not in it: stop the service before games are moved. Without --redis-url the games are
    those in --data-dir, which nothing may serve meanwhile. Ends with 1 where a game could not be exported.
    """
    if everything == bool(games):
        raise click.UsageError("say which games: --all, or --game ID")
    if len(games) > 1 and target.name.endswith((".json", ".json.gz")) and not target.is_dir():
        raise click.UsageError("several games need a directory")
    try:
        catalogue = load_catalogue(settings["tilesets_dir"])
    except InvalidTileSetFile as bad:
        raise click.ClickException(str(bad)) from bad
    counts = _run_with_store(
        settings, lambda store: export_games(store, catalogue, None if everything else games, target)
    )
    click.echo(f"exported {counts['exported']} games to {target}, {counts['failed']} failed")
    sys.exit(1 if counts["failed"] else 0)


@click.command("import")
@click.argument("sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--replace", is_flag=True, help="Put a game in the place of the one with its id; else that one stays.")
@with_settings(*REDIS_SETTINGS, *RETENTION_SETTINGS)
def import_command(sources: Sequence[Path], *, replace: bool, **settings: Any) -> None:
    """Store games from files that `export` or the archive has written; directories are searched for them.

    Each game is stored whole or not at all, and only when its document holds together: log, digests, snapshot and tile
    set. A game that is there already is skipped, so that an import that was broken off can simply be repeated. A game
    is then kept as if it had changed now. Archives have no tokens: games from there can only be watched, and private
    ones not be imported. Ends with 1 where a document was refused.
    """
    retention = make_retention(settings)
    counts = _run_with_store(
        settings, lambda store: import_files(store, iter_documents(sources), retention, replace=replace)
    )
    click.echo(f"imported {counts['imported']} games, {counts['skipped']} were there, {counts['refused']} refused")
    sys.exit(1 if counts["refused"] else 0)


@click.command("reindex")
@with_settings(*REDIS_SETTINGS, *RETENTION_SETTINGS)
def reindex_command(**settings: Any) -> None:
    """Make what games are found by anew from the games: public lists, games by token, what is due.

    Instances do this by themselves, a little at a time; this does all of it now, beside them or without any. Ends with
    1 where a game could not be read.
    """
    retention = make_retention(settings)
    progress = Progress("looked at")

    def report(so_far: RepairReport) -> None:
        progress.count(so_far.games - progress.games)

    result = _run_with_store(
        settings, lambda store: IndexRepairer(store, store.index_repair, retention, time.time).repair_all(report)
    )
    click.echo(
        f"looked at {result.games} games: {result.added} places added, {result.removed} removed, "
        f"{result.unreadable} unreadable"
    )
    sys.exit(1 if result.unreadable else 0)


def _run_with_store(settings: dict[str, Any], work: Callable[[RedisStore], Awaitable[T]]) -> T:
    """Do something with the store that the settings name."""

    async def run() -> T:
        async with open_store(settings["redis_url"], settings["data_dir"]) as store:
            return await work(store)

    try:
        return asyncio.run(run())
    except OSError as error:
        raise click.ClickException(f"{error.filename or ''}: {error.strerror or error}") from error
