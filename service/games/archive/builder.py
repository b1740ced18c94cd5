"""Build the document of a stored game: an archive or an export."""

import asyncio

from msgspec import Raw

from schemas.base import canonical_json
from service.engine import Game
from service.games.archive.document import LATEST_SCHEMA, GameDocument, InvalidDocument, WebhookDocument
from service.games.ports.game_store import GameRecord, GameStore, StoredDiff
from service.games.repository import decode_game, read_access, read_log
from service.games.shuffle import commitment
from service.games.tilesets import TileSetCatalogue

MAX_ATTEMPTS = 5
"""Number of attempts at a consistent read of a game that changes meanwhile."""


async def build_archive(store: GameStore, catalogue: TileSetCatalogue, loaded: GameRecord, game: Game) -> GameDocument:
    """Return the archive of a loaded game. Raises InvalidDocument, TileSetMissing, UnreadableGame, StoreUnavailable."""
    log = await _read_log(store, game.id, loaded)
    if log is None:
        raise InvalidDocument("its log does not match the game's version")
    return await asyncio.to_thread(_build, catalogue, loaded, game, log)


async def build_export(store: GameStore, catalogue: TileSetCatalogue, game_id: str) -> GameDocument | None:
    """Return the export of a game, or None if there is no such game. Raises what `build_archive` raises."""
    for _ in range(MAX_ATTEMPTS):
        loaded = await store.load(game_id)
        if loaded is None:
            return None
        log = await _read_log(store, game_id, loaded)
        webhooks = await _load_webhooks(store, game_id)
        if log is None or [one.registration.id for one in webhooks] != [*loaded.webhooks]:
            continue
        return _build(catalogue, loaded, decode_game(loaded), log, webhooks)
    raise InvalidDocument("its log does not match the game's version")


async def is_current(store: GameStore, loaded: GameRecord, document: GameDocument) -> bool:
    """Return whether an export of a game is what `build_export` would return for it. Raises StoreUnavailable."""
    return (
        (document.version, document.digest) == loaded.revision
        and document.access == loaded.access
        and [one.registration.id for one in document.webhooks] == [*loaded.webhooks]
        and (not loaded.webhooks or document.webhooks == await _load_webhooks(store, document.game))
    )


async def _load_webhooks(store: GameStore, game_id: str) -> list[WebhookDocument]:
    return [
        WebhookDocument(
            registration=one.registration,
            state=one.state,
            attempts=await store.webhooks.list_attempts(game_id, one.registration.id),
        )
        for one in await store.webhooks.list_by_subject(game_id)
    ]


async def _read_log(store: GameStore, game: str, loaded: GameRecord) -> list[StoredDiff] | None:
    """Return the log up to the loaded version, or None if it is no longer the log of the loaded game."""
    log = await read_log(store, game, loaded.revision.version)
    return log if len(log) == loaded.revision.version and log[-1].digest == loaded.revision.digest else None


def _build(
    catalogue: TileSetCatalogue,
    loaded: GameRecord,
    game: Game,
    log: list[StoredDiff],
    webhooks: list[WebhookDocument] | None = None,
) -> GameDocument:
    """Return the export with these webhooks, or the archive without any. Raises TileSetMissing, InvalidDocument."""
    tileset = catalogue.get(game.tileset)
    if commitment(game.id, game.seed, tileset.hash) != game.commitment:
        raise InvalidDocument(f"the tile set {game.tileset} has changed since the game started")
    return GameDocument(
        schema=LATEST_SCHEMA,
        kind="archive" if webhooks is None else "export",
        game=game.id,
        status=game.status,
        version=loaded.revision.version,
        digest=loaded.revision.digest,
        created_at=game.created_at,
        updated_at=game.updated_at,
        visibility=read_access(loaded).visibility,
        tileset=Raw(canonical_json(tileset.tileset)),
        tileset_hash=tileset.hash,
        snapshot=loaded.snapshot,
        diffs=[Raw(diff.data) for diff in log],
        access=None if webhooks is None else loaded.access,
        webhooks=webhooks or [],
    )
