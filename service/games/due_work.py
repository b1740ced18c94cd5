"""What is due: games whose bots or clocks are, webhooks with something to send, ended games to archive.

Each kind of work has a queue of entries, from which any instance takes. A commit sets an entry's date before it is
stored, so that nothing is missed when an instance dies. A worker processes what is due, and at once what its own
instance has woken. An entry that fails is postponed, with growing pauses, and affects no other. Where two instances
must not work on one entry, one leases it; after a crash the lease expires, and another instance does the work again.

Failures of one game, whatever the work, are counted and logged here, so that they neither affect other games nor go
unnoticed.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from random import shuffle
from time import monotonic, perf_counter

from service.games.access import key_of_subject
from service.games.errors import TileSetMissing
from service.games.ports import DueQueue, StoreUnavailable, UnreadableGame
from service.supervision import Backoff
from service.telemetry.logs import LOG_CONTEXT, DueGameContext
from service.telemetry.metrics import GAME_FAILURES

logger = logging.getLogger(__name__)

BATCH_SIZE = 100
"""Entries that are listed at once."""

MAX_IN_PROGRESS = 1_000
"""Entries that a worker has listed, including those that wait for a slot."""

MAX_WAKEUPS = 1_000
"""Further entries wait for the next query."""

RETRY_BACKOFF = Backoff(2.0, 900.0, jitter=0.2)
"""Pauses after which an entry that failed is due again."""

RETRY_S = 1
"""The pause after a failure of the store, which all entries share, and while another instance has the lease."""

LOG_INTERVAL_S = 60.0
"""A line is not repeated within this time: requests for a damaged game must not fill the log."""

MAX_LOGGED = 1_000
"""Recent lines that are remembered."""

EXPECTED_ERRORS = (UnreadableGame, TileSetMissing)
"""Errors whose message says enough; all others are logged with their stack trace."""


class LeaseTaken(Exception):
    """Another instance has the lease."""


class Deferred(Exception):
    """An entry that did not fail cannot be processed now, and is due again after `delay_s`.

    If that is true of all others too, the worker pauses for so long, and then tries a single one.
    """

    def __init__(self, delay_s: float, *, all_entries: bool = False) -> None:
        super().__init__()
        self.delay_s = delay_s
        self.all_entries = all_entries


@asynccontextmanager
async def lease(queue: DueQueue, entry: str, seconds: int) -> AsyncIterator[str]:
    """Lease an entry while the block runs, for `seconds` at most, and yield the lease's holder. Raises LeaseTaken."""
    holder = await queue.acquire_lease(entry, seconds)
    if holder is None:
        raise LeaseTaken
    try:
        yield holder
    finally:
        await queue.release_lease(entry, holder)


class Wakeups:
    """Entries that this instance processes at once, without waiting for the next query of the store.

    This is an optimization: each entry is due in the store too, where any instance gets it.
    """

    def __init__(self) -> None:
        self._entries: dict[str, None] = {}
        self._added = asyncio.Event()

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self._entries)

    def add(self, *entries: str) -> None:
        """Add entries."""
        for entry in entries:
            if len(self._entries) < MAX_WAKEUPS:
                self._entries[entry] = None
                self._added.set()

    def take(self) -> list[str]:
        """Remove and return all entries."""
        entries = [*self._entries]
        self._entries.clear()
        self._added.clear()
        return entries

    async def wait(self, timeout_s: float) -> None:
        """Wait until there is an entry, or until the timeout."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._added.wait()


@dataclass
class DueWorker:
    """Processes the entries of one queue on one instance."""

    name: str
    """In metrics and log lines."""
    queue: DueQueue
    work: Callable[[str], Awaitable[int | None]]
    """Processes an entry, and returns when it is due again (Unix seconds, None for never).

    It raises Deferred or LeaseTaken for an entry that it leaves as it is.
    """
    clock: Callable[[], float]
    wakeups: Wakeups = field(default_factory=Wakeups)
    interval_s: float = 1.0
    max_concurrent: int = MAX_IN_PROGRESS
    hidden_s: int = 0
    """For how long `work` may move an entry while it has the lease, so that other instances leave it alone."""
    in_progress: set[str] = field(init=False, default_factory=set)
    _woken: set[str] = field(init=False, default_factory=set)
    """Entries in progress that were woken again meanwhile."""
    _pause_ends_at: float = field(init=False, default=0.0)
    """When a single entry is tried; 0 if all are processed."""

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.max_concurrent)

    async def run(self) -> None:
        """Process woken entries at once, and query the store for due ones every `interval_s`, until cancelled."""
        next_query_at = 0.0
        async with asyncio.TaskGroup() as tasks:
            while True:
                due: list[str] = []
                if (now := perf_counter()) >= max(next_query_at, self._pause_ends_at):
                    due = await self.list_due()
                    next_query_at = 0.0 if len(due) >= BATCH_SIZE else now + self.interval_s
                woken = self.wakeups.take()
                self._woken.update(self.in_progress.intersection(woken))
                for entry in dict.fromkeys(woken + due):
                    if entry not in self.in_progress:
                        self.in_progress.add(entry)
                        tasks.create_task(self._process_in_slot(entry))
                await self.wakeups.wait(max(0.0, max(next_query_at, self._pause_ends_at) - perf_counter()))

    async def list_due(self) -> list[str]:
        """Return due entries that are not in progress; none while the store is unavailable."""
        number = len(self.in_progress)
        limit = 1 if self._pause_ends_at else number + min(BATCH_SIZE, MAX_IN_PROGRESS - number)
        self._pause_ends_at = 0.0
        try:
            due = await self.queue.list_due(int(self.clock()), limit)
        except StoreUnavailable:
            return []
        entries = [entry for entry in due if entry not in self.in_progress]
        shuffle(entries)  # so that instances seldom process the same one at once
        return entries

    async def _process_in_slot(self, entry: str) -> None:
        try:
            async with self._slots:
                if not self._pause_ends_at:  # else it stays due
                    await self.process(entry)
        finally:
            self.in_progress.discard(entry)
            if entry in self._woken:
                self._woken.discard(entry)
                self.wakeups.add(entry)

    async def process(self, entry: str) -> None:
        """Process an entry, and move its date. It stays due while the store is unavailable."""
        subject, _, webhook = entry.partition(" ")
        LOG_CONTEXT.set(DueGameContext(subject if key_of_subject(subject) is None else None))
        with suppress(StoreUnavailable):
            try:
                until = await self.work(entry)
            except LeaseTaken:
                until = int(self.clock()) + RETRY_S
            except Deferred as deferred:
                await self._defer(entry, deferred)
                return
            except Exception as error:  # noqa: BLE001  one failing entry does not affect the others
                if is_outage(error):
                    await self._defer(entry, Deferred(RETRY_S))
                elif failures := await self.queue.postpone(entry, int(self.clock()) + self.hidden_s, RETRY_BACKOFF):
                    what = f"its webhook {webhook} is" if webhook else "is"
                    record_failure(self.name, subject, error, f"{what} postponed after failure {failures} in a row")
                return
            await self.queue.reschedule(entry, int(self.clock()), until)

    async def _defer(self, entry: str, deferred: Deferred) -> None:
        if deferred.all_entries:
            self._pause_ends_at = perf_counter() + deferred.delay_s
        now = self.clock()
        await self.queue.defer(entry, int(now), int(now + deferred.delay_s))


def is_outage(error: Exception) -> bool:
    """Return whether an error is one of the store, which is the same for all games."""
    return isinstance(error, StoreUnavailable) and not isinstance(error, UnreadableGame)


def record_failure(operation: str, game: str, error: Exception, consequence: str) -> None:
    """Count and log that `operation` failed for a game; `consequence` says what happens to the game now.

    Outages of the store, which are the same for all games, are only counted: the store logs them.
    """
    GAME_FAILURES.labels(operation).inc()
    if is_outage(error) or _is_logged((operation, game, consequence)):
        return
    if isinstance(error, EXPECTED_ERRORS):
        logger.warning("%s: game %s failed and %s: %s", operation, game, consequence, error)
    else:
        logger.error("%s: game %s failed and %s", operation, game, consequence, exc_info=error)


def _is_logged(line: tuple[str, str, str]) -> bool:
    """Return whether a line was logged within LOG_INTERVAL_S, and remember it."""
    now = monotonic()
    if now - _logged.get(line, -LOG_INTERVAL_S) < LOG_INTERVAL_S:
        return True
    _logged[line] = now
    _logged.move_to_end(line)
    if len(_logged) > MAX_LOGGED:
        _logged.popitem(last=False)
    return False


_logged: OrderedDict[tuple[str, str, str], float] = OrderedDict()
