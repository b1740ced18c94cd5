"""Loading, decoding, encoding and committing games: between the store's records and a `GameSession`."""

from collections.abc import Sequence
from functools import partial
from time import perf_counter

import msgspec

from schemas.vocabulary import Status
from service.engine import Game, LaterRelease, TileSetIndex, decode_snapshot, encode_snapshot
from service.games.access import AccessRecord, decode_access, encode_access, index_keys
from service.games.context import Context, GameSession
from service.games.errors import NoSuchGame, TooManyIdempotencyKeys
from service.games.idempotency import IdempotencyRecord, Replayed
from service.games.lifecycle import bot_on_turn, is_attended, next_due_at
from service.games.ports import (
    Commit,
    Committed,
    GameOfLaterRelease,
    GameRecord,
    GameStore,
    KeyQuotaExceeded,
    Revision,
    StoredDiff,
    UnreadableGame,
    VersionConflict,
)
from service.games.tilesets import TileSetCatalogue
from service.telemetry.clock import unix_seconds
from service.telemetry.metrics import COMMITS, DELIVERY_LAG, GAMES

LOG_PAGE_SIZE = 1000
"""Diffs in one read of a log."""


async def load_game(
    context: Context, game: str, key: str | None = None, since: int | None = None
) -> tuple[GameRecord, AccessRecord]:
    """Load a stored game, its snapshot still encoded, and its access record.

    `key` is the stored key of an idempotency scope, whose record comes with the game; or the revision at version
    `since` does. Raises NoSuchGame, UnreadableGame, StoreUnavailable.
    """
    store = context.store
    record = await (store.load(game, key) if since is None else store.load_since(game, since))
    if record is None:
        raise NoSuchGame(game)
    return record, read_access(record)


def open_session(context: Context, record: GameRecord, access: AccessRecord) -> GameSession:
    """Decode a loaded game. Raises TileSetMissing, UnreadableGame."""
    game = decode_game(record)
    tileset = context.tilesets.get(game.tileset)
    return GameSession(game, access, tileset, record.revision, record.webhooks, record.last_revocation, game.status)


async def commit(
    context: Context,
    session: GameSession,
    diffs: Sequence[StoredDiff],
    *,
    store_access: bool = False,
    revokes_token: bool = False,
    idempotency: IdempotencyRecord | None = None,
) -> bool:
    """Store a session's game and diffs on top of its revision; then cache it, schedule it and publish the diffs.

    Return False after a version conflict, or where a request with the same idempotency key was first. Raises
    TooManyIdempotencyKeys, StoreUnavailable.
    """
    game = session.game
    change = Commit(
        game=game.id,
        id=context.commit_id(),
        expected=session.revision,
        expected_webhooks=session.webhooks,
        expected_revocation=session.last_revocation,
        snapshot=encode_snapshot(game),
        access=encode_access(session.access) if store_access else None,
        revokes_token=revokes_token,
        diffs=diffs,
        idempotency=idempotency,
        status=game.status,
        previous_status=session.stored_status,
        is_public=session.access.visibility == "public",
        created_at=unix_seconds(game.created_at),
        ttl_s=context.retention.ttl_s(game.status),
        due_at=next_due_at(game, context.clock()),
        index_keys=partial(index_keys, session.access),
        index_ttl_s=context.retention.index_ttl_s,
    )
    sent_at = perf_counter()
    outcome = await context.store.commit(change)
    _OUTCOMES[type(outcome)].inc()
    if isinstance(outcome, Committed):
        _publish(context, session, change, sent_at)
        return True
    if isinstance(outcome, KeyQuotaExceeded):
        raise TooManyIdempotencyKeys(max(1, outcome.reset_at - int(context.clock())))
    return False


def _publish(context: Context, session: GameSession, change: Commit, sent_at: float) -> None:
    """Update and cache the session of a stored commit, and tell whom it concerns."""
    game = session.game
    if game.status != session.stored_status:
        _count_status(session.stored_status, game.status)
    session.revision, session.stored_status = Revision(game.version, game.digest), game.status
    if change.revokes_token:
        session.last_revocation = change.id
    if game.status == "active":
        context.cache.put(session)
    if change.due_at is not None and bot_on_turn(game) is not None and is_attended(game):
        context.wakeups.add(game.id)
    if change.revokes_token:
        context.on_token_revoked(game.id)
    if change.diffs and context.on_committed(game.id, change.diffs):
        _LAG.observe(perf_counter() - sent_at)
    if session.webhooks:
        context.on_webhooks_due(game.id, session.webhooks)


def decode_game(record: GameRecord) -> Game:
    """Decode a stored game's snapshot. Raises GameOfLaterRelease, UnreadableGame."""
    try:
        return decode_snapshot(record.snapshot)
    except LaterRelease as error:
        raise GameOfLaterRelease(str(error)) from error
    except msgspec.DecodeError as error:
        raise UnreadableGame(f"the snapshot cannot be read: {error}") from error


def decode_with_index(tilesets: TileSetCatalogue, record: GameRecord) -> tuple[TileSetIndex, Game]:
    """Decode a loaded game, and return it with its tile set's index. Raises TileSetMissing, UnreadableGame."""
    game = decode_game(record)
    return tilesets.get(game.tileset).index, game


def read_access(record: GameRecord) -> AccessRecord:
    """Decode a stored game's access record. Raises UnreadableGame."""
    try:
        return decode_access(record.access)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableGame(f"the access record cannot be read: {error}") from error


async def read_log(store: GameStore, game_id: str, version: int) -> list[StoredDiff]:
    """Read a game's log up to a version; it is shorter where the store lacks some of it. Raises StoreUnavailable."""
    log: list[StoredDiff] = []
    while len(log) < version:
        page = await store.load_diffs(game_id, len(log), min(LOG_PAGE_SIZE, version - len(log)))
        if not page:
            break
        log += page
    return log


def _count_status(previous: Status | None, status: Status) -> None:
    """Count a game that was created, started, finished or aborted."""
    if previous is None:
        GAMES.labels("created").inc()
    if status != "waiting":
        if previous in (None, "waiting") and status != "aborted":
            GAMES.labels("started").inc()
        if status != "active":
            GAMES.labels(status).inc()


_OUTCOMES = {
    Committed: COMMITS.labels("committed"),
    VersionConflict: COMMITS.labels("conflict"),
    Replayed: COMMITS.labels("replayed"),
    KeyQuotaExceeded: COMMITS.labels("keys_spent"),
}
_LAG = DELIVERY_LAG.labels("local")
