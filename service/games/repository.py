"""Loading and committing games: between the store and the commands that change a `StoredGame`."""

from collections.abc import Sequence
from time import perf_counter

from schemas.vocabulary import Status
from service.engine import Game, TileSetIndex, encode_snapshot
from service.games import ports
from service.games.access import encode_access
from service.games.context import Context
from service.games.errors import NoSuchGame, TooManyIdempotencyKeys
from service.games.idempotency import IdempotencyRecord, Replayed
from service.games.lifecycle import bot_on_turn, is_attended, next_due_at
from service.games.tilesets import TileSetCatalogue
from service.telemetry.metrics import COMMITS, DELIVERY_LAG, GAMES

LOG_PAGE_SIZE = 1000
"""Diffs in one read of a log."""


async def load_game(context: Context, game: str, key: str | None = None, since: int | None = None) -> ports.StoredGame:
    """Load a stored game.

    `key` is the stored key of an idempotency scope, whose record comes with the game; or the revision at version
    `since` does. Raises NoSuchGame, UnreadableGame, StoreUnavailable.
    """
    store = context.store
    stored = await (store.load(game, key) if since is None else store.load_since(game, since))
    if stored is None:
        raise NoSuchGame(game)
    return stored


async def commit(
    context: Context,
    stored: ports.StoredGame,
    diffs: Sequence[ports.StoredDiff],
    *,
    stores_access: bool = False,
    revokes_token: bool = False,
    idempotency: IdempotencyRecord | None = None,
) -> bool:
    """Store a game and diffs on top of its revision; then cache it, schedule it and publish the diffs.

    Return False after a version conflict, or where a request with the same idempotency key was first. Raises
    TooManyIdempotencyKeys, StoreUnavailable.
    """
    game = stored.game
    change = ports.Change(
        stored=stored,
        id=context.commit_id(),
        snapshot=encode_snapshot(game),
        access_record=encode_access(stored.access) if stores_access else None,
        revokes_token=revokes_token,
        diffs=diffs,
        idempotency=idempotency,
        ttl_s=context.retention.ttl_s(game.status),
        index_ttl_s=context.retention.index_ttl_s,
        due_at=next_due_at(game, context.clock()),
    )
    sent_at = perf_counter()
    outcome = await context.store.commit(change)
    _OUTCOMES[type(outcome)].inc()
    if isinstance(outcome, ports.Committed):
        _publish(context, change, sent_at)
        return True
    if isinstance(outcome, ports.KeyQuotaExceeded):
        raise TooManyIdempotencyKeys(max(1, outcome.reset_at - int(context.clock())))
    return False


def _publish(context: Context, change: ports.Change, sent_at: float) -> None:
    """Update and cache the game of a stored change, and tell whom it concerns."""
    stored, game = change.stored, change.stored.game
    if game.status != stored.status:
        _count_status(stored.status, game.status)
    stored.revision, stored.status, stored.snapshot = ports.Revision(game.version, game.digest), game.status, b""
    if change.revokes_token:
        stored.last_revocation = change.id
    if game.status == "active":
        context.cache.put(stored)
    if change.due_at is not None and bot_on_turn(game) is not None and is_attended(game):
        context.woken_games.add(game.id)
    if context.on_committed(change) and change.diffs:
        _LAG.observe(perf_counter() - sent_at)
    if stored.webhooks:
        context.woken_webhooks.add(*(ports.webhook_entry(game.id, webhook) for webhook in stored.webhooks))


def open_game(tilesets: TileSetCatalogue, stored: ports.StoredGame) -> tuple[TileSetIndex, Game]:
    """Return a stored game with its tile set's index. Raises TileSetMissing, UnreadableGame."""
    return tilesets.get(stored.game.tileset).index, stored.game


async def read_log(store: ports.GameStore, game_id: str, version: int) -> list[ports.StoredDiff]:
    """Read a game's log up to a version; it is shorter where the store lacks some of it. Raises StoreUnavailable."""
    log: list[ports.StoredDiff] = []
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
    ports.Committed: COMMITS.labels("committed"),
    ports.VersionConflict: COMMITS.labels("conflict"),
    Replayed: COMMITS.labels("replayed"),
    ports.KeyQuotaExceeded: COMMITS.labels("keys_spent"),
}
_LAG = DELIVERY_LAG.labels("local")
