"""The scheduler: processes due games, whose bots are on turn or whose decider's time is up.

Any instance may process a due game; the commit decides who was first. A game that fails is postponed, with growing
pauses, and affects no other game.
"""

import asyncio
import logging
from random import shuffle
from time import perf_counter

from service.fair_queue import FairQueue, QueueFull, Requester, UnattendedLimits
from service.games import repository
from service.games.automatic_turns import UNATTENDED_TIMEOUT_S, apply_timeout, play_bots
from service.games.context import Context
from service.games.errors import NoSuchGame
from service.games.game_failures import record_failure
from service.games.lifecycle import bot_on_turn, is_attended, is_overdue, next_due_at, requester_of
from service.games.ports import StoreUnavailable, UnreadableGame
from service.supervision import Backoff
from service.telemetry import tracing
from service.telemetry.logs import LOG_CONTEXT, DueGameContext
from service.telemetry.metrics import ACTIONS, DUE_GAMES_IN_PROGRESS, TIMEOUTS

logger = logging.getLogger(__name__)

DUE_BATCH_SIZE = 100

MAX_IN_PROGRESS = 1000
"""Games that one instance processes at once, including those that wait for a slot."""

MAX_BOT_GAMES = 8
"""Games whose bots play at once; further ones wait for a slot."""

MAX_UNATTENDED_BOT_GAMES = 4
"""Of these, games without people."""

MAX_WAITING = 100
"""Games with people that wait for a slot, and as many without; further ones are deferred."""

MIN_DEFER_S = 5.0
"""Minimum time for which a game is deferred."""

DEFERRED_PER_S = 20
"""Deferred games that become due again in a second, however many there are."""

MOVE_TIMEOUT_S = 120.0
"""A due game whose bots take longer fails, and frees its slot."""

RETRY_BACKOFF = Backoff(2.0, 900.0, jitter=0.2)
"""Pauses after which a due game that failed is due again."""

STORE_RETRY_S = 1
"""The pause after a failure of the store, which all games share: none should be postponed for long."""


class BotSlots:
    """The slots for games whose bots play, the queue for them, and the times of deferred games."""

    def __init__(self) -> None:
        self.queue = FairQueue(MAX_BOT_GAMES, UnattendedLimits(MAX_UNATTENDED_BOT_GAMES), MAX_WAITING)
        self._last_deferred_until = 0.0

    def defer_until(self, now: float) -> int:
        """Return when the next deferred game is due, in Unix seconds."""
        self._last_deferred_until = max(now + MIN_DEFER_S, self._last_deferred_until + 1 / DEFERRED_PER_S)
        return int(self._last_deferred_until)


class Scheduler:
    """The due games that one instance processes."""

    def __init__(self, context: Context, interval_s: float) -> None:
        self._context = context
        self._interval_s = interval_s
        self._in_progress: set[str] = set()
        self._woken: set[str] = set()
        """Games in progress that were woken again meanwhile."""
        self._slots = BotSlots()

    async def run(self) -> None:
        """Process woken games at once, and query the store for due ones every `interval_s`, until cancelled."""
        wakeups = self._context.wakeups
        next_query_at = 0.0
        async with asyncio.TaskGroup() as tasks:
            while True:
                games = wakeups.take()
                self._woken.update(self._in_progress.intersection(games))
                if (now := perf_counter()) >= next_query_at:
                    due = await self._list_due_games()
                    next_query_at = 0.0 if len(due) >= DUE_BATCH_SIZE else now + self._interval_s
                    games += due
                for game_id in dict.fromkeys(games):
                    if game_id not in self._in_progress:
                        self._in_progress.add(game_id)
                        tasks.create_task(self._process(game_id))
                await wakeups.wait(max(0.0, next_query_at - perf_counter()))

    async def _list_due_games(self) -> list[str]:
        """Return due games that are not in progress; none while the store is unavailable."""
        limit = len(self._in_progress) + min(DUE_BATCH_SIZE, MAX_IN_PROGRESS - len(self._in_progress))
        try:
            due = await self._context.store.list_due(int(self._context.clock()), limit)
        except StoreUnavailable:
            return []
        games = [game for game in due if game not in self._in_progress]
        shuffle(games)  # so that instances seldom process the same one at once
        return games

    async def _process(self, game_id: str) -> None:
        DUE_GAMES_IN_PROGRESS.inc()
        try:
            await process_due_game(self._context, game_id, self._slots)
        finally:
            DUE_GAMES_IN_PROGRESS.dec()
            self._in_progress.discard(game_id)
            if game_id in self._woken:
                self._woken.discard(game_id)
                self._context.wakeups.add(game_id)


async def run_scheduler(context: Context, interval_s: float = 1.0) -> None:
    """Process due games until cancelled, and query the store for them every `interval_s`."""
    await Scheduler(context, interval_s).run()


async def process_due_game(context: Context, game_id: str, slots: BotSlots | None = None) -> None:
    """Process a due game; postpone it if that fails, whatever the reason."""
    LOG_CONTEXT.set(DueGameContext(game_id))
    try:
        with tracing.span("turn", attributes={"south_seas.game": game_id}):
            await advance_due_game(context, game_id, slots)
    except Exception as error:  # noqa: BLE001  one failing game does not affect the others
        await _postpone(context, game_id, error)


async def _postpone(context: Context, game_id: str, error: Exception) -> None:
    """Postpone a game that failed, for longer after each failure in a row, and log the failure."""
    now = int(context.clock())
    try:
        if isinstance(error, StoreUnavailable) and not isinstance(error, UnreadableGame):
            await context.store.defer(game_id, now, now + STORE_RETRY_S)
            record_failure("scheduler", game_id, error, "is retried soon")
            return
        failures = await context.store.postpone(game_id, now, RETRY_BACKOFF)
    except StoreUnavailable as unavailable:
        record_failure("scheduler", game_id, error, f"cannot be postponed: {unavailable}")
    else:
        if failures:
            record_failure("scheduler", game_id, error, f"is postponed after failure {failures} in a row")


async def advance_due_game(context: Context, game_id: str, slots: BotSlots | None = None) -> None:
    """Apply the time-out and play the bots of a due game. If another commit comes first, that one stands.

    With `slots`, a game whose bot is on turn waits for a slot, and is then loaded again. Raises TileSetMissing,
    UnreadableGame, StoreUnavailable, and what bots raise.
    """
    try:
        stored = await repository.load_game(context, game_id)
    except NoSuchGame:
        await context.store.reschedule(game_id, None)
        return
    index, game = repository.open_game(context.tilesets, stored)
    if slots is not None and bot_on_turn(game) is not None:
        await _advance_in_slot(context, game_id, slots, requester_of(game))
        return
    policy = game.on_timeout or "pass"
    diffs = [*apply_timeout(index, game, context.now())] if is_overdue(game, int(context.clock())) else []
    timeouts = len(diffs)
    diffs += await play_bots(context, index, game, is_patient=not diffs)
    due_at = next_due_at(game, context.clock())
    if not diffs:
        if bot_on_turn(game) is not None and not is_attended(game):
            await context.store.defer(game_id, int(context.clock()), int(context.clock() + MIN_DEFER_S))
        else:
            await context.store.reschedule(game_id, due_at)
        return
    if not await repository.commit(context, stored, diffs):
        return
    if timeouts:
        TIMEOUTS.labels(policy).inc()
        ACTIONS.labels("clock").inc(timeouts)
    if due_at is None:
        await context.store.reschedule(game_id, None)


async def _advance_in_slot(context: Context, game_id: str, slots: BotSlots, requester: Requester) -> None:
    """Wait for a slot and advance the game; defer it if the queue is full, or it has no people and waits too long."""
    try:
        async with asyncio.timeout(None if requester.attended else UNATTENDED_TIMEOUT_S):
            started_at = await slots.queue.acquire(requester)
    except (QueueFull, TimeoutError):
        now = context.clock()
        await context.store.defer(game_id, int(now), slots.defer_until(now))
        return
    try:
        async with asyncio.timeout(MOVE_TIMEOUT_S):
            await advance_due_game(context, game_id)
    finally:
        slots.queue.release(requester, started_at)
