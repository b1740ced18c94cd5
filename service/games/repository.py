"""From the store to a table, on which a game is played on, and back: loading, decoding, committing."""

from collections.abc import Sequence
from functools import partial
from time import perf_counter

from schemas.vocabulary import Status
from service.engine import encode
from service.engine.checksum import sealed
from service.games.access import Access, encode_access, names
from service.games.bots.priority import bot_on_turn, is_attended
from service.games.cache import Table
from service.games.context import Context
from service.games.errors import NoSuchGame, TooManyKeys
from service.games.ports import Answered, Commit, Committed, Keep, KeysSpent, Loaded, Lost, Stored, StoredDiff
from service.games.stored import access_of, game_of
from service.games.timestamps import unix_seconds
from service.telemetry import clock, tracing
from service.telemetry.metrics import COMMITS, GAMES, LAG


async def load(context: Context, game: str, key: str | None = None) -> tuple[Loaded, Access]:
    """The stored game and its access record, the snapshot not yet decoded; raises NoSuchGame, Unreadable."""
    with tracing.span("load", "client"):
        loaded = await context.store.load(game, key)
    if loaded is None:
        raise NoSuchGame(game)
    return loaded, access_of(loaded)


def open_table(context: Context, loaded: Loaded, access: Access) -> Table:
    """Decode a loaded game; raises TileSetMissing, Unreadable."""
    with tracing.span("decode"):
        game = game_of(loaded)
    return Table(game, access, context.tilesets.of_game(game.tileset), loaded.stored, game.status)


async def commit(  # noqa: PLR0913 (what one commit may change)
    context: Context,
    table: Table,
    diffs: Sequence[StoredDiff],
    *,
    store_access: bool = False,
    ends_tokens: bool = False,
    keep: Keep | None = None,
    due_at: int | None = None,
) -> bool:
    """Store a table's game with its diffs, on top of what is stored; once stored, everybody is told of it.

    False where somebody else's commit came first, or the key was answered meanwhile. Raises TooManyKeys.
    """
    game, stored = table.game, table.stored
    with tracing.span("encode"):
        snapshot = sealed(encode(game))
    commit_id, sent = context.commit_id(), perf_counter()
    change = Commit(
        game=game.id,
        id=commit_id,
        expected=stored,
        snapshot=snapshot,
        access=encode_access(table.access) if store_access else None,
        ends_tokens=ends_tokens,
        diffs=diffs,
        keep=keep,
        status=game.status,
        was=table.was,
        listed=table.access.visibility == "public",
        created_at=unix_seconds(game.created_at),
        expire_s=context.retention.of(game.status),
        due_at=due_at,
        found_by=partial(names, table.access),
        found_s=context.retention.found(),
        meta=clock.stamp(tracing.traceparent()),
    )
    with tracing.span("commit", "client"):
        outcome = await context.store.commit(change)
    _OUTCOMES[type(outcome)].inc()
    if isinstance(outcome, KeysSpent):
        raise TooManyKeys(max(1, outcome.until - int(context.clock())))
    if not isinstance(outcome, Committed):
        return False
    _count(table.was, game.status)
    hooks = () if stored is None else stored.hooks
    tokens = commit_id if ends_tokens else "" if stored is None else stored.tokens
    table.stored, table.was = Stored(game.version, game.digest, hooks, tokens), game.status
    if game.status == "active":
        context.held.put(table)
    if due_at is not None and bot_on_turn(game) is not None and is_attended(game):
        context.wakeups.add(game.id)
    if ends_tokens:
        context.tokens_ended(game.id)
    if diffs and context.committed(game.id, diffs):
        _LAG.observe(perf_counter() - sent)
    if hooks:
        context.hooked(game.id, hooks)
    return True


def _count(was: Status | None, status: Status) -> None:
    """Count a game that has come to another point of its life."""
    if was is None:
        GAMES.labels("created").inc()
    if status not in (was, "waiting"):
        if was in (None, "waiting") and status != "aborted":
            GAMES.labels("started").inc()
        if status != "active":
            GAMES.labels(status).inc()


_OUTCOMES = {
    Committed: COMMITS.labels("committed"),
    Lost: COMMITS.labels("conflict"),
    Answered: COMMITS.labels("replayed"),
    KeysSpent: COMMITS.labels("keys_spent"),
}
_LAG = LAG.labels("here")
