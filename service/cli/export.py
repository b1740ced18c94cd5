"""`south-seas export`: write games from a Redis to files, one document each."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from schemas.base import canonical_json
from service.cli.progress import Progress, report_failure
from service.cli.store import REDIS_SETTINGS, run_with_store
from service.files import read_file, write_atomically
from service.games.archive.builder import build_export, is_current
from service.games.archive.document import (
    SUFFIX,
    GameDocument,
    InvalidDocument,
    decode_document,
    encode_document,
    object_name,
)
from service.games.ports.game_store import StoreUnavailable
from service.games.repository import decode_game
from service.games.tilesets import InvalidTileSetFile, TileSetCatalogue, load_catalogue
from service.settings import Settings, with_settings
from service.store.game_store import RedisStore
from service.supervision import spawn

__all__ = ["ExportJob", "export_command", "export_games"]

FATAL_ERRORS = (OSError, StoreUnavailable)
"""Errors that end the whole export."""

MAX_CONCURRENT = 8
"""Games that are read and written at once."""
_PLAIN_SUFFIX = ".json"

WHOLE, MISSING = "WHOLE", "MISSING"
"""The file that ends an export of all games: that none is missing, or which are."""

SOME_MISSING = 3
"""The exit code where some games could not be exported."""


@click.command("export")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--game", "games", multiple=True, help="Id of a game; may be given several times.")
@click.option("--all", "is_all", is_flag=True, help="All games in this Redis.")
@click.option(
    "--since",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Directory of an earlier export, on the same file system: files of unchanged games are linked from there.",
)
@with_settings(*REDIS_SETTINGS, "archive_url", "tilesets_dir")
def export_command(target: Path, games: Sequence[str], since: Path | None, settings: Settings, *, is_all: bool) -> None:
    """Write games of any status from a Redis to files, one document each.

    TARGET is a directory, or for one game a file NAME.json.gz or NAME.json. A document contains the whole log and the
    snapshot with the hidden order of the tiles; the HASHES OF ITS TOKENS, so that they stay valid after an import; and
    its WEBHOOKS WITH THEIR SECRETS. Files are readable by this user alone: protect them as you protect the Redis
    server. Responses stored for idempotent retries are not exported: stop the service before you move games. Without
    --redis-url the games are those in --data-dir, which no running instance may use. With --all, the last file written
    is WHOLE, or MISSING with the ids of the games that could not be exported. Exits with 3 if there were such games.
    """
    if is_all == bool(games):
        raise click.UsageError("say which games: --all, or --game ID")
    if len(games) > 1 and target.name.endswith((SUFFIX, _PLAIN_SUFFIX)) and not target.is_dir():
        raise click.UsageError("several games need a directory")
    try:
        catalogue = load_catalogue(settings.tilesets_dir)
    except InvalidTileSetFile as error:
        raise click.ClickException(str(error)) from error
    job = ExportJob(catalogue, target, since)
    counts = run_with_store(settings, lambda store: export_games(store, job, None if is_all else games))
    unchanged = "" if since is None else f", {counts['unchanged']} unchanged"
    click.echo(f"exported {counts['exported']} games to {target}{unchanged}, {counts['failed']} failed")
    sys.exit(SOME_MISSING if counts["failed"] else 0)


class ExportJob(NamedTuple):
    """What games are exported with."""

    catalogue: TileSetCatalogue
    target: Path
    """A directory, or the file for a single game."""
    since: Path | None = None
    """The directory of an earlier export."""


async def export_games(store: RedisStore, job: ExportJob, games: Sequence[str] | None) -> Counter[str]:
    """Write games, or all for None, and then which are missing.

    Returns the numbers of games `exported`, `unchanged` and `failed`. Raises OSError, StoreUnavailable.
    """
    progress, counts, running = Progress("exported"), Counter[str](), set[asyncio.Task[str]]()
    failed: list[str] = []
    if games is None:
        for mark in (WHOLE, MISSING):
            (job.target / mark).unlink(missing_ok=True)
    async for game in _iter_games(store, games):
        export = _export(store, job, game, failed, is_required=games is not None)
        running.add(spawn("export", export, expected=FATAL_ERRORS))
        if len(running) >= MAX_CONCURRENT:
            finished, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            counts.update(task.result() for task in finished)
            progress.report(counts.total())
    counts.update(await asyncio.gather(*running))
    if games is None:
        await asyncio.to_thread(os.sync)  # the links too, before the file that vouches for them
        write_atomically(job.target / (MISSING if failed else WHOLE), "".join(f"{one}\n" for one in failed).encode())
        try:
            await store.transfer.record_backup(len(failed))
        except StoreUnavailable as error:  # a full Redis has been exported all the same
            click.echo(f"the metrics of backups do not show this export: {error}", err=True)
    return counts


async def _iter_games(store: RedisStore, games: Sequence[str] | None) -> AsyncIterator[str]:
    if games is None:
        async for game in store.transfer.iter_games():
            yield game
    else:
        for game in games:
            yield game


async def _export(store: RedisStore, job: ExportJob, game: str, failed: list[str], *, is_required: bool) -> str:
    """Write one game; return its outcome, and add it to `failed` if that is its outcome."""
    outcome, file = "failed", None
    with report_failure(f"game {game}"):
        if job.since is not None and await _link_unchanged(store, job.since, job.target, game):
            return "unchanged"
        document = await build_export(store, job.catalogue, game)
        if document is None and not is_required:
            return "deleted"
        if document is None:
            raise InvalidDocument("there is no such game")
        outcome, file = "exported", _target_file(document, job.target)
    if file is not None:
        await asyncio.to_thread(write_atomically, *file)
    if outcome == "failed":
        failed.append(game)
    return outcome


async def _link_unchanged(store: RedisStore, since: Path, target: Path, game: str) -> bool:
    """Link the file of an earlier export if the game has not changed since, and return whether it is linked."""
    loaded = await store.load(game)
    if loaded is None:
        return False
    name = object_name(game, decode_game(loaded).created_at)
    try:
        document = decode_document(await asyncio.to_thread(read_file, since / name))
        if not await is_current(store, loaded, document):
            return False
        (target / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.link(since / name, target / name)
    except FileExistsError:  # a scan may yield a game twice
        return True
    except (OSError, InvalidDocument):  # it is new, its file is damaged, or there can be no links
        return False
    return True


def _target_file(document: GameDocument, target: Path) -> tuple[Path, bytes]:
    """Return the file of a document, and its content."""
    if target.name.endswith(SUFFIX) and not target.is_dir():
        return target, encode_document(document)
    if target.name.endswith(_PLAIN_SUFFIX) and not target.is_dir():
        return target, canonical_json(document)
    return target / object_name(document.game, document.created_at), encode_document(document)
