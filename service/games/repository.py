"""Stored games: how long they live; loading, caching and committing them for the commands that change them.

`Context` has what commands and queries need besides: tile sets, clock, bots, and callbacks after a commit.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from time import perf_counter

import msgspec

from schemas.vocabulary import ENDED_STATUSES, Status
from service.engine import Game, TileSetIndex, encode_snapshot
from service.games import ports
from service.games.access import encode_access
from service.games.bots.registry import BotRegistry, built_in_registry
from service.games.due_work import Wakeups
from service.games.errors import NoSuchGame, TooManyIdempotencyKeys
from service.games.idempotency import IdempotencyRecord, Replayed
from service.games.lifecycle import bot_on_turn, is_attended, next_due_at
from service.games.tilesets import TileSetCatalogue
from service.telemetry.clock import DAY_S, timestamp
from service.telemetry.metrics import COMMITS, DELIVERY_LAG, GAME_CACHE_MISSES, GAMES

INSTANCE_BYTES = 4

UNARCHIVED_TTL_S = 3650 * DAY_S
"""Of an ended game that is not archived yet: long enough for any outage of the archive."""

MAX_CACHED_GAMES = 1000
"""Games in one cache, some 15 KB each."""

LOG_PAGE_SIZE = 1000
"""Diffs in one read of a log."""


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
        if status in ENDED_STATUSES:
            return UNARCHIVED_TTL_S if self.until_archived else self.finished
        return self.waiting if status == "waiting" else self.active


class GameCache:
    """The games of this instance's latest commits; the least recently committed one is evicted first.

    So the next action of a game needs no load and no decoding. A command pops its game, so that no other command runs
    on it, and the commit puts it back. A cached game may be stale: the commit compares its revision with the
    store's. So it may accept a command, never reject one; `commands.execute` loads the stored game before it rejects.
    """

    def __init__(self, max_size: int = MAX_CACHED_GAMES) -> None:
        self._max_size = max_size
        self._games: dict[str, ports.StoredGame] = {}

    def __len__(self) -> int:
        """Return how many games there are."""
        return len(self._games)

    def pop(self, game: str) -> ports.StoredGame | None:
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

    def put(self, stored: ports.StoredGame) -> None:
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

    store: ports.GameStore
    tilesets: TileSetCatalogue
    clock: Callable[[], float]
    """Unix seconds."""
    on_committed: Callable[[ports.Change], bool | None]
    """Called after a commit; returns whether subscribers of this instance got its diffs."""
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
