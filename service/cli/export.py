"""`south-seas export` and `south-seas import`: games as documents, from and to a Redis.

Each document is one game. An import stores each completely or not at all.
"""

import asyncio
import os
import secrets
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from schemas.base import canonical_json
from schemas.vocabulary import ENDED_STATUSES
from service.cli.store import REDIS_SETTINGS, RETENTION_SETTINGS, Progress, log_change, report_failure, run_with_store
from service.engine import Game
from service.files import read_file, write_atomically
from service.games import archive
from service.games.access import AccessRecord, encode_access
from service.games.archiver import RestoreRequest
from service.games.lifecycle import next_due_at
from service.games.ports import Change, GameOfLaterRelease, StoreUnavailable, UnreadableGame
from service.games.repository import Retention
from service.games.tilesets import TileSetCatalogue, load_catalogue
from service.settings import Settings, with_settings
from service.store.game_store import RedisStore
from service.supervision import spawn
from service.telemetry.clock import DAY_S, timestamp, unix_seconds
from service.telemetry.logs import escape_unprintable

FATAL_ERRORS = (OSError, StoreUnavailable)
"""Errors that end the whole export."""

MAX_CONCURRENT = 8
"""Games that are read and written at once."""
_PLAIN_SUFFIX = ".json"
_SUFFIXES = (archive.SUFFIX, _PLAIN_SUFFIX)

WHOLE, MISSING, LOSS = "WHOLE", "MISSING", "LOSS"
"""The files that end an export of all games: that none is missing, or which are; or that Redis has lost games."""

SOME_MISSING, GAMES_LOST = 3, 4
"""The exit codes where some games could not be exported, and where Redis has lost games."""

MAX_LOST_SHARE = 0.1
"""Of the games of an earlier export: operators may delete some."""

MAX_PAUSE_S = 2 * DAY_S
"""From export to export. By a clock that says later, all games might have expired."""


@click.command("export")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--game", "games", multiple=True, help="Id of a game; may be given several times.")
@click.option("--all", "is_all", is_flag=True, help="All games in this Redis.")
@click.option(
    "--since",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Directory of an earlier export, on the same file system: files of unchanged games are linked from there.",
)
@click.option("--accept-loss", "accepts_loss", is_flag=True, help="Let the export count although it is LOSS.")
@with_settings(*REDIS_SETTINGS, *RETENTION_SETTINGS, "tilesets_dir")
def export_command(
    target: Path, games: Sequence[str], since: Path | None, settings: Settings, *, accepts_loss: bool, is_all: bool
) -> None:
    """Write games of any status from a Redis to files, one document each.

    TARGET is a directory, or for one game a file NAME.json.gz or NAME.json. A document contains the whole log and the
    snapshot with the hidden order of the tiles; the HASHES OF ITS TOKENS, so that they stay valid after an import; and
    its WEBHOOKS WITH THEIR SECRETS. Files are readable by this user alone: protect them as you protect the Redis
    server. Responses stored for idempotent retries are not exported: stop the service before you move games. Without
    --redis-url the games are those in --data-dir, which no running instance may use. With --all, the last file written
    is WHOLE, or MISSING with the ids of the games that could not be exported. Exits with 3 if there were such games.
    It is LOSS, and the exit code 4, where over a tenth of the games of --since is gone that the retention should have
    kept, Redis was emptied and nothing was imported since, or most games cannot be read: such an export replaces no
    earlier one, unless --accept-loss writes both files.
    """
    if is_all == bool(games):
        raise click.UsageError("say which games: --all, or --game ID")
    if len(games) > 1 and target.name.endswith(_SUFFIXES) and not target.is_dir():
        raise click.UsageError("several games need a directory")
    job = ExportJob(load_catalogue(settings.tilesets_dir), target, since, settings.retention, accepts_loss)
    counts = run_with_store(settings, lambda store: export_games(store, job, None if is_all else games))
    unchanged = "" if since is None else f", {counts['unchanged']} unchanged"
    click.echo(f"exported {counts['exported']} games to {target}{unchanged}, {counts['failed']} failed")
    sys.exit(GAMES_LOST if counts["losses"] else SOME_MISSING if counts["failed"] else 0)


class ExportJob(NamedTuple):
    """What games are exported with."""

    catalogue: TileSetCatalogue
    target: Path
    """A directory, or the file for a single game."""
    since: Path | None = None
    """The directory of an earlier export."""
    retention: Retention = Retention()
    accepts_loss: bool = False


async def export_games(store: RedisStore, job: ExportJob, games: Sequence[str] | None) -> Counter[str]:
    """Write games, or all for None, and then which are missing.

    Returns the numbers of games `exported`, `unchanged` and `failed`, and of `losses` that are not accepted. Raises
    OSError, StoreUnavailable.
    """
    progress, counts, running = Progress("exported"), Counter[str](), set[asyncio.Task[str]]()
    failed: list[str] = []
    if games is None:
        for mark in (WHOLE, MISSING, LOSS):
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
        losses = [*await asyncio.to_thread(_find_losses, job, {*failed})]
        if 2 * len(failed) > counts.total():
            losses.append(f"{len(failed)} of {counts.total()} games cannot be read")
        counts["losses"] = await _end_backup(store, job, losses, failed)
    return +counts


async def _end_backup(store: RedisStore, job: ExportJob, losses: list[str], failed: Sequence[str]) -> int:
    """Write the files that end an export of all games; return the number of losses that are not accepted."""
    if emptied_at := await store.transfer.load_emptied():
        losses.append(f"Redis was emptied at {timestamp(emptied_at)}, and nothing was imported since")
    marks = {LOSS: losses} if losses else {}
    if job.accepts_loss or not losses:
        marks[MISSING if failed else WHOLE] = [*failed]
    await asyncio.to_thread(os.sync)  # the links too, before the files that vouch for them
    for mark, lines in marks.items():
        write_atomically(job.target / mark, "".join(f"{line}\n" for line in lines).encode())
    for loss in losses:
        click.echo(f"marked {LOSS}: {loss}", err=True)
    new = 0 if job.accepts_loss else len(losses)
    try:
        await store.transfer.record_backup(len(failed), new)
        if losses and not new:
            await store.transfer.forget_emptied()
    except StoreUnavailable as error:  # a full Redis has been exported all the same
        click.echo(f"the metrics of backups do not show this export: {error}", err=True)
    return new


def _find_losses(job: ExportJob, failed: Container[str]) -> Iterator[str]:
    """Yield that too many games of the earlier export are gone, if so."""
    if job.since is None:
        return
    files = {file.name: file for file in iter_documents([job.since])}
    gone = files.keys() - {file.name for file in iter_documents([job.target])}
    ended_at, lost = job.since.stat().st_mtime, 0
    for name in gone:
        with report_failure(str(files[name])):
            document = archive.decode_document(read_file(files[name]))
            lost += document.game not in failed and not _may_be_gone(document, job.retention, ended_at)
    expected = len(files) - len(gone) + lost
    if lost > MAX_LOST_SHARE * expected:
        yield f"{lost} of {expected} games of {job.since} are gone before their time"


def _may_be_gone(document: archive.GameDocument, retention: Retention, exported_at: float) -> bool:
    """Return whether a game may have expired since it was exported, as it was then, or ended soon after."""
    changed_at = unix_seconds(document.updated_at)
    if document.status in ENDED_STATUSES:
        expires_at: float = changed_at + retention.finished
    else:
        expires_at = min(changed_at + retention.ttl_s(document.status), exported_at + retention.finished)
    return expires_at <= min(time.time(), exported_at + MAX_PAUSE_S)


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
        document = await archive.build_export(store, job.catalogue, game)
        if document is None and not is_required:
            return "deleted"
        if document is None:
            raise archive.InvalidDocument("there is no such game")
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
    name = archive.object_name(game, loaded.game.created_at)
    try:
        document = archive.decode_document(await asyncio.to_thread(read_file, since / name))
        if not await archive.is_current(store, loaded, document):
            return False
        (target / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.link(since / name, target / name)
    except FileExistsError:  # a scan may yield a game twice
        return True
    except (OSError, archive.InvalidDocument):  # it is new, its file is damaged, or there can be no links
        return False
    return True


def _target_file(document: archive.GameDocument, target: Path) -> tuple[Path, bytes]:
    """Return the file of a document, and its content."""
    if target.name.endswith(archive.SUFFIX) and not target.is_dir():
        return target, archive.encode_document(document)
    if target.name.endswith(_PLAIN_SUFFIX) and not target.is_dir():
        return target, canonical_json(document)
    return target / archive.object_name(document.game, document.created_at), archive.encode_document(document)


_HASH_BYTES = 32
_SALT_BYTES = 16
_COMMIT_ID_BYTES = 7


@click.command("import")
@click.argument("sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--replace", is_flag=True, help="Replace games that can be read too; without it they are skipped.")
@with_settings(*REDIS_SETTINGS, *RETENTION_SETTINGS)
def import_command(sources: Sequence[Path], *, replace: bool, settings: Settings) -> None:
    """Store games from files that `export` or the archive wrote; directories are searched for them.

    Each game is stored completely or not at all, and only if its document is consistent: log, digests, snapshot and
    tile set. Existing games are skipped, so an interrupted import can be repeated, and replaced only if they cannot be
    read. The retention of an imported game begins now. Archived games have no tokens: they can only be watched, and
    private ones cannot be imported. Exits with 1 if a document was rejected.
    """

    async def run(store: RedisStore) -> Counter[str]:
        counts = await import_files(store, iter_documents(sources), settings.retention, replace=replace)
        if counts["imported"]:
            await store.transfer.forget_emptied()
        log_change("replaced games" if replace else "imported games", _describe(counts))
        return counts

    counts = run_with_store(settings, run)
    click.echo(f"imported {_describe(counts)}")
    sys.exit(1 if counts["rejected"] else 0)


def _describe(counts: Counter[str]) -> str:
    return f"{counts['imported']} games, {counts['skipped']} skipped, {counts['rejected']} rejected"


def iter_documents(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield each path that is a file, and all game documents below each path that is a directory, sorted by name."""
    for path in paths:
        if path.is_dir():
            yield from sorted(
                file
                for file in path.rglob("*")
                if file.name.endswith(_SUFFIXES) and not file.name.startswith(".") and file.is_file()
            )
        else:
            yield path


async def import_files(
    store: RedisStore, files: Iterable[Path], retention: Retention, *, replace: bool
) -> Counter[str]:
    """Store the game of each file.

    Returns the numbers of games `imported`, `skipped` (they exist) and `rejected`. Raises StoreUnavailable.
    """
    progress, counts = Progress("imported"), Counter[str]()
    for file in files:
        outcome = "rejected"
        with report_failure(str(file)):
            document = archive.decode_document(await asyncio.to_thread(read_file, file))
            outcome = await _import(store, document, retention, replace=replace)
        counts[outcome] += 1
        progress.report(counts.total())
    return counts


async def _import(store: RedisStore, document: archive.GameDocument, retention: Retention, *, replace: bool) -> str:
    """Store one game; return its outcome. Raises InvalidDocument, GameOfLaterRelease, StoreUnavailable."""
    is_damaged = False
    if not replace:
        try:
            existing = await store.load(document.game)
            if existing is not None:
                _ = existing.game, existing.access  # which are decoded now
                return "skipped"
        except GameOfLaterRelease:
            raise
        except UnreadableGame as error:
            click.echo(escape_unprintable(f"game {document.game} is replaced: {error}"), err=True)
            is_damaged = True
    stored = await store.transfer.restore(make_restore(document, retention, replace=replace or is_damaged))
    return "imported" if stored else "skipped"


def make_restore(document: archive.GameDocument, retention: Retention, *, replace: bool) -> RestoreRequest:
    """Return the request that stores a document's game; its retention begins now. Raises InvalidDocument."""
    stored, diffs = archive.validate_document(document)
    game = stored.game
    if document.access is None:
        stored.access = _make_inaccessible(document, game)
    change = Change(
        stored=stored,
        id=secrets.token_hex(_COMMIT_ID_BYTES),
        snapshot=document.snapshot,
        access_record=document.access or encode_access(stored.access),
        diffs=diffs,
        ttl_s=retention.ttl_s(game.status),
        index_ttl_s=retention.index_ttl_s,
        due_at=next_due_at(game, time.time()),
    )
    return RestoreRequest(change, document.webhooks, replace)


def _make_inaccessible(document: archive.GameDocument, game: Game) -> AccessRecord:
    """Return an access record that no token opens, for an archived game.

    Raises InvalidDocument for a game that could not be continued or read without tokens.
    """
    if document.status not in ENDED_STATUSES:
        raise archive.InvalidDocument("it has no access record, so nobody could continue the game")
    if document.visibility == "private":
        raise archive.InvalidDocument("it is an archived private game, which has no tokens: nobody could read it")
    return AccessRecord(
        visibility=document.visibility,
        salt=secrets.token_bytes(_SALT_BYTES),
        owner=secrets.token_bytes(_HASH_BYTES),
        spectator=secrets.token_bytes(_HASH_BYTES),
        seats=[None] * len(game.players),
        owner_seats=[],
        tags=[None] * len(game.players),
    )
