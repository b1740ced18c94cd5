"""`south-seas export`: games out of a Redis, each as one file."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from schemas.base import canonical_json
from service.archive_storage.atomic_files import write_atomically
from service.cli.progress import Progress, report_failure
from service.games.archive.builder import build_export
from service.games.archive.document import GameDocument, InvalidDocument, encode_document
from service.games.archive.object_names import SUFFIX, object_name
from service.games.ports import StoreUnavailable
from service.games.tilesets import TileSetCatalogue
from service.store.game_store import RedisStore
from service.supervision import spawn

__all__ = ["export_games"]

FATAL_ERRORS = (OSError, StoreUnavailable)
"""End the export."""

MAX_CONCURRENT = 8
_PLAIN_SUFFIX = ".json"


async def export_games(
    store: RedisStore, catalogue: TileSetCatalogue, games: Sequence[str] | None, target: Path
) -> Counter[str]:
    """Write games (None: all) to `target`, a directory, or the file of the only game; counts `exported` and `failed`.

    Raises OSError, StoreUnavailable.
    """
    progress, counts, running = Progress("exported"), Counter[str](), set[asyncio.Task[str]]()
    async for game in _iter_games(store, games):
        running.add(
            spawn("export", _export(store, catalogue, game, target, named=games is not None), expected=FATAL_ERRORS)
        )
        if len(running) >= MAX_CONCURRENT:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            counts.update(task.result() for task in done)
            progress.count(len(done))
    counts.update(await asyncio.gather(*running))
    return counts


async def _iter_games(store: RedisStore, games: Sequence[str] | None) -> AsyncIterator[str]:
    if games is None:
        async for game in store.transfer.iter_games():
            yield game
    else:
        for game in games:
            yield game


async def _export(store: RedisStore, catalogue: TileSetCatalogue, game: str, target: Path, *, named: bool) -> str:
    """Write one game; gives what came of it."""
    outcome, file = "failed", None
    with report_failure(f"game {game}"):
        document = await build_export(store, catalogue, game)
        if document is None and not named:
            return "gone"
        if document is None:
            raise InvalidDocument("there is no such game")
        outcome, file = "exported", _target_file(document, target)
    if file is not None:
        await asyncio.to_thread(write_atomically, *file)
    return outcome


def _target_file(document: GameDocument, target: Path) -> tuple[Path, bytes]:
    """Where a document goes, and as what."""
    if target.name.endswith(SUFFIX) and not target.is_dir():
        return target, encode_document(document)
    if target.name.endswith(_PLAIN_SUFFIX) and not target.is_dir():
        return target, canonical_json(document)
    return target / object_name(document.game, document.created_at), encode_document(document)
