"""`south-seas import`: store games from documents in a Redis, each completely or not at all."""

import asyncio
import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import click

from schemas.vocabulary import ENDED_STATUSES
from service.cli.audit import record_change
from service.cli.progress import Progress, report_failure
from service.cli.store import REDIS_SETTINGS, RETENTION_SETTINGS, run_with_store
from service.engine import Game
from service.files import read_file
from service.games.access import AccessRecord, encode_access, index_keys
from service.games.archive.document import SUFFIX, GameDocument, InvalidDocument, decode_document
from service.games.archive.port import RestoreRequest
from service.games.archive.validation import ValidatedDocument, validate_document
from service.games.context import Retention
from service.games.lifecycle import next_due_at
from service.games.ports.game_store import Commit
from service.settings import Settings, with_settings
from service.store.game_store import RedisStore
from service.telemetry.clock import unix_seconds

__all__ = ["import_command", "import_files", "iter_documents", "make_restore"]

_SUFFIXES = (SUFFIX, ".json")
_HASH_BYTES = 32
_SALT_BYTES = 16
_COMMIT_ID_BYTES = 7


@click.command("import")
@click.argument("sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--replace", is_flag=True, help="Replace games that exist already; without it they are skipped.")
@with_settings(*REDIS_SETTINGS, *RETENTION_SETTINGS)
def import_command(sources: Sequence[Path], *, replace: bool, settings: Settings) -> None:
    """Store games from files that `export` or the archive wrote; directories are searched for them.

    Each game is stored completely or not at all, and only if its document is consistent: log, digests, snapshot and
    tile set. Existing games are skipped, so an interrupted import can be repeated. The retention of an imported game
    begins now. Archived games have no tokens: they can only be watched, and private ones cannot be imported. Exits with
    1 if a document was rejected.
    """

    async def run(store: RedisStore) -> Counter[str]:
        counts = await import_files(store, iter_documents(sources), settings.retention, replace=replace)
        await record_change(store, "replaced games" if replace else "imported games", _describe(counts))
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
            document = decode_document(await asyncio.to_thread(read_file, file))
            outcome = await _import(store, document, retention, replace=replace)
        counts[outcome] += 1
        progress.report(counts.total())
    return counts


async def _import(store: RedisStore, document: GameDocument, retention: Retention, *, replace: bool) -> str:
    """Store one game; return its outcome. Raises InvalidDocument, StoreUnavailable."""
    if not replace and await store.load_versions([document.game]) != [None]:
        return "skipped"
    stored = await store.transfer.restore(make_restore(document, retention, replace=replace))
    return "imported" if stored else "skipped"


def make_restore(document: GameDocument, retention: Retention, *, replace: bool) -> RestoreRequest:
    """Return the request that stores a document's game. Raises InvalidDocument."""
    validated = validate_document(document)
    commit = _make_commit(
        document, validated, validated.access or _make_inaccessible(document, validated.game), retention
    )
    return RestoreRequest(commit, document.webhooks, replace)


def _make_inaccessible(document: GameDocument, game: Game) -> AccessRecord:
    """Return an access record that no token opens, for an archived game.

    Raises InvalidDocument for a game that could not be continued or read without tokens.
    """
    if document.status not in ENDED_STATUSES:
        raise InvalidDocument("it has no access record, so nobody could continue the game")
    if document.visibility == "private":
        raise InvalidDocument("it is an archived private game, which has no tokens: nobody could read it")
    return AccessRecord(
        visibility=document.visibility,
        salt=secrets.token_bytes(_SALT_BYTES),
        owner=secrets.token_bytes(_HASH_BYTES),
        spectator=secrets.token_bytes(_HASH_BYTES),
        seats=[None] * len(game.players),
        owner_seats=[],
        tags=[None] * len(game.players),
    )


def _make_commit(
    document: GameDocument, validated: ValidatedDocument, access: AccessRecord, retention: Retention
) -> Commit:
    """Return the commit that creates the game with its whole log; its retention begins now."""
    game = validated.game
    return Commit(
        game=game.id,
        id=secrets.token_hex(_COMMIT_ID_BYTES),
        expected=None,
        snapshot=document.snapshot,
        access=document.access or encode_access(access),
        diffs=validated.diffs,
        idempotency=None,
        status=game.status,
        previous_status=None,
        is_public=access.visibility == "public",
        created_at=unix_seconds(game.created_at),
        ttl_s=retention.ttl_s(game.status),
        due_at=next_due_at(game, time.time()),
        index_keys=partial(index_keys, access),
        index_ttl_s=retention.index_ttl_s,
    )
