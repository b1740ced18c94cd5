"""From the store to a table, on which a game is played on, and back: loading, decoding, committing."""

from collections.abc import Sequence
from functools import partial

from service.engine import decode, encode
from service.games.access import Access, decode_access, encode_access, names
from service.games.context import DAY_S, Context
from service.games.errors import NoSuchGame
from service.games.held import Table
from service.games.port import Commit, Committed, Keep, Loaded, Outcome, Stored, StoredDiff
from service.games.times import unix_seconds

FOUND_LONGER_S = 2 * DAY_S
"""What a game is found by is kept on once a day, so this much longer than the game itself."""


async def load(context: Context, game: str, key: str | None = None) -> tuple[Loaded, Access]:
    """The stored game and its access record, the snapshot not yet decoded; raises NoSuchGame."""
    loaded = await context.store.load(game, key)
    if loaded is None:
        raise NoSuchGame(game)
    return loaded, decode_access(loaded.access)


def open_table(context: Context, loaded: Loaded, access: Access) -> Table:
    """Decode a loaded game; raises TileSetMissing."""
    game = decode(loaded.snapshot)
    return Table(game, access, context.tilesets.of_game(game.tileset), loaded.stored, game.status)


async def commit(
    context: Context,
    table: Table,
    diffs: Sequence[StoredDiff],
    *,
    store_access: bool = False,
    keep: Keep | None = None,
    due_at: int | None = None,
) -> Outcome:
    """Store a table's game with its diffs, on top of what is stored; once stored, everybody is told of it."""
    game, stored = table.game, table.stored
    outcome = await context.store.commit(
        Commit(
            game=game.id,
            id=context.commit_id(),
            expected=stored,
            snapshot=encode(game),
            access=encode_access(table.access) if store_access else None,
            diffs=diffs,
            keep=keep,
            status=game.status,
            was=table.was,
            listed=table.access.visibility == "public",
            created_at=unix_seconds(game.created_at),
            expire_s=context.retention.of(game.status),
            due_at=due_at,
            found_by=partial(names, table.access),
            found_s=context.retention.longest() + FOUND_LONGER_S,
        )
    )
    if isinstance(outcome, Committed):
        hooks = () if stored is None else stored.hooks
        table.stored, table.was = Stored(game.version, game.digest, hooks), game.status
        if game.status == "active":
            context.held.put(table)
        context.committed(game.id, diffs)
        if hooks:
            context.hooked(game.id, hooks)
    return outcome
