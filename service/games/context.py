"""What every question to the games needs: the store, the tile sets, the clock, and whom to tell of a commit."""

import secrets
from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

import msgspec

from schemas.vocabulary import Status
from service.games.bots.registry import BotRegistry, built_in_registry
from service.games.cache import GameCache
from service.games.ports import GameStore, StoredDiff
from service.games.tilesets import TileSetCatalogue
from service.games.timestamps import DAY_S, timestamp
from service.games.wakeups import Wakeups

INSTANCE_BYTES = 16


class Retention(NamedTuple):
    """How long a game is kept after its last change, in seconds."""

    waiting: int = 7 * DAY_S
    active: int = 60 * DAY_S
    finished: int = 60 * DAY_S

    def index_ttl_s(self) -> int:
        """Seconds that what finds a game is kept for: as it is kept on once a day, longer than any game."""
        return max(self) + 2 * DAY_S

    def ttl_s(self, status: Status) -> int:
        """Seconds from now for a game of this status."""
        match status:
            case "waiting":
                return self.waiting
            case "active":
                return self.active
            case "finished" | "aborted":
                return self.finished


def _commit_ids() -> Callable[[], str]:
    """The instance's own chance and a number: to ask the system for chance each time would cost more than the rest."""
    instance, numbers = secrets.token_hex(INSTANCE_BYTES), count()
    return map(f"{instance}-{{}}".format, numbers).__next__


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """One instance's means; what it holds of games may be lost at any moment."""

    store: GameStore
    tilesets: TileSetCatalogue
    clock: Callable[[], float]
    """Unix seconds."""
    on_committed: Callable[[str, Sequence[StoredDiff]], bool | None]
    """Called with a game's id and diffs when this instance has committed them; true where somebody watches here."""
    on_webhooks_due: Callable[[str, Sequence[str]], None] = lambda _game, _hooks: None
    """Called with a game's id and its webhooks' when this instance has committed something that they wait for."""
    on_token_revoked: Callable[[str], None] = lambda _game: None
    """Called with a game's id when this instance has ended one of its tokens."""
    retention: Retention = Retention()
    bots: BotRegistry = msgspec.field(default_factory=built_in_registry)
    bot_budget_s: float = 0.5
    """How long one request may play bots; the rest follows in later commits."""
    cache: GameCache = msgspec.field(default_factory=GameCache)
    """Tables of games that this instance has changed lately."""
    wakeups: Wakeups = msgspec.field(default_factory=Wakeups)
    """Games whose bots go on at once, as a person waits for them."""
    commit_id: Callable[[], str] = msgspec.field(default_factory=_commit_ids)
    """Gives an id that no other commit of any instance has."""

    def now(self) -> str:
        """The time as the contract writes it."""
        return timestamp(int(self.clock()))
