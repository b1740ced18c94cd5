"""What every question to the games needs: the store, the tile sets, the clock, and whom to tell of a commit."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import NamedTuple
from uuid import uuid4

import msgspec

from schemas.vocabulary import Status
from service.engine import Game, decode, encode
from service.games.access import Access, decode_access, encode_access, names
from service.games.bots.table import Bots, built_in
from service.games.errors import NoSuchGame
from service.games.port import Commit, Committed, Keep, Loaded, Outcome, Store, StoredDiff
from service.games.tilesets import LoadedTileSet, TileSetCatalogue

DAY_S = 86_400

FOUND_LONGER_S = 2 * DAY_S
"""What a game is found by is kept on once a day, so this much longer than the game itself."""


class Retention(NamedTuple):
    """How long a game is kept after its last change, in seconds."""

    waiting: int = 7 * DAY_S
    active: int = 60 * DAY_S
    finished: int = 60 * DAY_S

    def longest(self) -> int:
        """Seconds that any game is kept for at most."""
        return max(self)

    def of(self, status: Status) -> int:
        """Seconds from now for a game of this status."""
        match status:
            case "waiting":
                return self.waiting
            case "active":
                return self.active
            case "finished" | "aborted":
                return self.finished


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """One instance's means; it keeps no game."""

    store: Store
    tilesets: TileSetCatalogue
    clock: Callable[[], float]
    """Unix seconds."""
    committed: Callable[[str, Sequence[StoredDiff]], None]
    """Called with a game's id and diffs when this instance has committed them."""
    hooked: Callable[[str, Sequence[str]], None] = lambda _game, _hooks: None
    """Called with a game's id and its webhooks' when this instance has committed something that they wait for."""
    retention: Retention = Retention()
    bots: Bots = msgspec.field(default_factory=built_in)
    bots_s: float = 0.5
    """How long one request may play bots; the rest follows in later commits."""

    def now(self) -> str:
        """The time as the contract writes it."""
        return timestamp(int(self.clock()))


class Table(msgspec.Struct):
    """A game as it was loaded, decoded, with what is needed to play it on."""

    loaded: Loaded
    game: Game
    access: Access
    tileset: LoadedTileSet


@lru_cache(maxsize=4)
def timestamp(seconds: int) -> str:
    """Unix seconds as UTC, whole seconds, `Z`; a busy second's is made once."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def unix_seconds(at: str) -> int:
    """The inverse of `timestamp`."""
    return int(datetime.fromisoformat(at).timestamp())


async def load(context: Context, game: str, key: str | None = None) -> tuple[Loaded, Access]:
    """The stored game and its access record, the snapshot not yet decoded; raises NoSuchGame."""
    loaded = await context.store.load(game, key)
    if loaded is None:
        raise NoSuchGame(game)
    return loaded, decode_access(loaded.access)


def open_table(context: Context, loaded: Loaded, access: Access) -> Table:
    """Decode a loaded game; raises TileSetMissing."""
    game = decode(loaded.snapshot)
    return Table(loaded, game, access, context.tilesets.of_game(game.tileset))


async def commit(  # noqa: PLR0913 (what one commit is made of)
    context: Context,
    game: Game,
    diffs: Sequence[StoredDiff],
    *,
    access: Access,
    before: Loaded | None,
    was: Status | None,
    store_access: bool = False,
    keep: Keep | None = None,
    due_at: int | None = None,
) -> Outcome:
    """Store a changed game with its diffs, on top of what was loaded (None creates it)."""
    hooks = () if before is None else before.hooks
    outcome = await context.store.commit(
        Commit(
            game=game.id,
            id=uuid4().hex,
            expected=None if before is None else (before.version, before.digest),
            snapshot=encode(game),
            access=encode_access(access) if store_access else None,
            diffs=diffs,
            keep=keep,
            status=game.status,
            was=was,
            listed=access.visibility == "public",
            created_at=unix_seconds(game.created_at),
            expire_s=context.retention.of(game.status),
            due_at=due_at,
            found_by=partial(names, access),
            found_s=context.retention.longest() + FOUND_LONGER_S,
            hooks=hooks,
        )
    )
    if hooks and isinstance(outcome, Committed):
        context.hooked(game.id, hooks)
    return outcome
