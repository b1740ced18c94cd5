"""`south-seas export`: write games from a Redis to files, one document each."""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import click

from schemas.base import canonical_json
from service.cli.progress import Progress, report_failure
from service.cli.store import REDIS_SETTINGS, run_with_store
from service.files import write_atomically
from service.games.archive.builder import build_export
from service.games.archive.document import SUFFIX, GameDocument, InvalidDocument, encode_document, object_name
from service.games.ports.game_store import StoreUnavailable
from service.games.tilesets import InvalidTileSetFile, TileSetCatalogue, load_catalogue
from service.settings import Settings, with_settings
from service.store.game_store import RedisStore
from service.supervision import spawn

__all__ = ["export_command", "export_games"]

FATAL_ERRORS = (OSError, StoreUnavailable)
"""Errors that end the whole export."""

MAX_CONCURRENT = 8
"""Games that are read and written at once."""
_PLAIN_SUFFIX = ".json"


@click.command("export")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--game", "games", multiple=True, help="Id of a game; may be given several times.")
@click.option("--all", "is_all", is_flag=True, help="All games in this Redis.")
@with_settings(*REDIS_SETTINGS, "archive_url", "tilesets_dir")
def export_command(target: Path, games: Sequence[str], *, is_all: bool, settings: Settings) -> None:
    """Write games of any status from a Redis to files, one document each.

    TARGET is a directory, or for one game a file NAME.json.gz or NAME.json. A document contains the whole log and the
    snapshot with the hidden order of the tiles; the HASHES OF ITS TOKENS, so that they stay valid after an import; and
    its WEBHOOKS WITH THEIR SECRETS. Files are readable by this user alone: protect them as you protect the Redis
    server. Responses stored for idempotent retries are not exported: stop the service before you move games. Without
    --redis-url the games are those in --data-dir, which no running instance may use. Exits with 1 if a game could not
    be exported.
    """
    if is_all == bool(games):
        raise click.UsageError("say which games: --all, or --game ID")
    if len(games) > 1 and target.name.endswith((SUFFIX, _PLAIN_SUFFIX)) and not target.is_dir():
        raise click.UsageError("several games need a directory")
    try:
        catalogue = load_catalogue(settings.tilesets_dir)
    except InvalidTileSetFile as error:
        raise click.ClickException(str(error)) from error
    counts = run_with_store(settings, lambda store: export_games(store, catalogue, None if is_all else games, target))
    click.echo(f"exported {counts['exported']} games to {target}, {counts['failed']} failed")
    sys.exit(1 if counts["failed"] else 0)


async def export_games(
    store: RedisStore, catalogue: TileSetCatalogue, games: Sequence[str] | None, target: Path
) -> Counter[str]:
    """Write games, or all for None, to `target`: a directory, or the file for a single game.

    Returns the numbers of games `exported` and `failed`. Raises OSError, StoreUnavailable.
    """
    progress, counts, running = Progress("exported"), Counter[str](), set[asyncio.Task[str]]()
    async for game in _iter_games(store, games):
        running.add(
            spawn(
                "export", _export(store, catalogue, game, target, is_required=games is not None), expected=FATAL_ERRORS
            )
        )
        if len(running) >= MAX_CONCURRENT:
            finished, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            counts.update(task.result() for task in finished)
            progress.report(counts.total())
    counts.update(await asyncio.gather(*running))
    return counts


async def _iter_games(store: RedisStore, games: Sequence[str] | None) -> AsyncIterator[str]:
    if games is None:
        async for game in store.transfer.iter_games():
            yield game
    else:
        for game in games:
            yield game


async def _export(store: RedisStore, catalogue: TileSetCatalogue, game: str, target: Path, *, is_required: bool) -> str:
    """Write one game; return its outcome."""
    outcome, file = "failed", None
    with report_failure(f"game {game}"):
        document = await build_export(store, catalogue, game)
        if document is None and not is_required:
            return "deleted"
        if document is None:
            raise InvalidDocument("there is no such game")
        outcome, file = "exported", _target_file(document, target)
    if file is not None:
        await asyncio.to_thread(write_atomically, *file)
    return outcome


def _target_file(document: GameDocument, target: Path) -> tuple[Path, bytes]:
    """Return the file of a document, and its content."""
    if target.name.endswith(SUFFIX) and not target.is_dir():
        return target, encode_document(document)
    if target.name.endswith(_PLAIN_SUFFIX) and not target.is_dir():
        return target, canonical_json(document)
    return target / object_name(document.game, document.created_at), encode_document(document)
