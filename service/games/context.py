"""What commands and queries need: store, tile sets, clock, cached games, and callbacks after a commit."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle

import msgspec

from schemas.vocabulary import Status
from service.games.bots.registry import BotRegistry, built_in_registry
from service.games.due_work import Wakeups
from service.games.ports import GameStore, StoredDiff, StoredGame
from service.games.tilesets import TileSetCatalogue
from service.telemetry.clock import DAY_S, timestamp
from service.telemetry.metrics import GAME_CACHE_MISSES

INSTANCE_BYTES = 4

UNARCHIVED_TTL_S = 3650 * DAY_S
"""Of an ended game that is not archived yet: long enough for any outage of the archive."""

MAX_CACHED_GAMES = 1000
"""Games in one cache, some 15 KB each."""


@dataclass(frozen=True)
class Retention:
    """TTL of a game after its last change, in seconds, by status."""

    waiting: int = 7 * DAY_S
    active: int = 60 * DAY_S
    finished: int = 60 * DAY_S
    until_archived: bool = False
    """Whether an ended game stays until it is archived; the archiver then sets its TTL."""

    @cached_property
    def index_ttl_s(self) -> int:
        """The TTL of an index key: longer than any game's, because it is extended once a day."""
        return max(self.waiting, self.active, self.finished) + 2 * DAY_S

    def ttl_s(self, status: Status) -> int:
        """Return the TTL of a game of this status."""
        match status:
            case "waiting":
                return self.waiting
            case "active":
                return self.active
            case "finished" | "aborted":
                return UNARCHIVED_TTL_S if self.until_archived else self.finished


class GameCache:
    """The games of this instance's latest commits; the least recently committed one is evicted first.

    So the next action of a game needs no load and no decoding. A command pops its game, so that no other command runs
    on it, and the commit puts it back. A cached game may be stale: the commit compares its revision with the
    store's. So it may accept a command, never reject one; `commands.execute` loads the stored game before it rejects.
    """

    def __init__(self, max_size: int = MAX_CACHED_GAMES) -> None:
        self._max_size = max_size
        self._games: dict[str, StoredGame] = {}

    def __len__(self) -> int:
        """Return how many games there are."""
        return len(self._games)

    def pop(self, game: str) -> StoredGame | None:
        """Take a game out of the cache; return None where there is none."""
        stored = self._games.pop(game, None)
        if stored is None:
            GAME_CACHE_MISSES.inc()
        return stored

    def evict_older(self, game: str, version: int) -> None:
        """Evict a game if its version is lower than this one."""
        stored = self._games.get(game)
        if stored is not None and stored.game.version < version:
            del self._games[game]

    def put(self, stored: StoredGame) -> None:
        """Cache a game as it is stored, unless a later version is cached."""
        other = self._games.get(stored.id)
        if other is not None and other.game.version > stored.game.version:
            return
        self._games[stored.id] = stored
        if len(self._games) > self._max_size:
            del self._games[next(iter(self._games))]


def _commit_ids() -> Callable[[], str]:
    """Return a generator of ids of 14 hexadecimal digits: random ones of the instance, and a number."""
    instance, numbers = secrets.token_hex(INSTANCE_BYTES), cycle(range(2**24))
    return map(f"{instance}{{:06x}}".format, numbers).__next__


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """The dependencies of one instance."""

    store: GameStore
    tilesets: TileSetCatalogue
    clock: Callable[[], float]
    """Unix seconds."""
    on_committed: Callable[[str, Sequence[StoredDiff]], bool | None]
    """Called with a game's id and its diffs after a commit; returns whether subscribers of this instance got them."""
    on_token_revoked: Callable[[str], None] = lambda _game: None
    """Called with a game's id after a commit that revoked a token."""
    retention: Retention = Retention()
    bots: BotRegistry = msgspec.field(default_factory=built_in_registry)
    bot_budget_s: float = 0.5
    """Seconds that a request may play bots; their later moves follow in later commits."""
    cache: GameCache = msgspec.field(default_factory=GameCache)
    """The games that this instance committed last."""
    woken_games: Wakeups = msgspec.field(default_factory=Wakeups)
    """Games whose bots play on at once, because a person waits for them."""
    woken_webhooks: Wakeups = msgspec.field(default_factory=Wakeups)
    """Webhooks that have something to send, as `ports.webhook_entry` names them."""
    commit_id: Callable[[], str] = msgspec.field(default_factory=_commit_ids)
    """Returns a new id, unique among all instances."""

    def now(self) -> str:
        """Return the current time as a timestamp."""
        return timestamp(int(self.clock()))
