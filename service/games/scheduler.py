"""Letting bots play: each move its own version, all in the commit of the action before them, as far as time allows.

What time did not allow, and whoever is too late, is found by any instance's `keep_going`.
"""

import asyncio
import logging
from collections.abc import Collection
from random import shuffle
from time import perf_counter

from service.games import repository
from service.games.bot_turns import UNATTENDED_TIMEOUT_S, next_due_at, play_bots
from service.games.bots.fair_queue import FairQueue, QueueFull, Requester, UnattendedLimits
from service.games.bots.priority import bot_on_turn, is_attended, requester_of
from service.games.cache import GameSession
from service.games.context import Context
from service.games.errors import NoSuchGame
from service.games.game_failures import record_failure
from service.games.lifecycle import is_overdue
from service.games.ports import StoreUnavailable, UnreadableGame
from service.games.timeouts import apply_timeout
from service.supervision import Backoff
from service.telemetry.log_context import LOG_CONTEXT, DueGameContext
from service.telemetry.metrics import ACTIONS, DUE_GAMES_IN_PROGRESS, TIMEOUTS

logger = logging.getLogger(__name__)

DUE_BATCH_SIZE = 100

MAX_IN_PROGRESS = 1000
"""Games that one instance moves, or lets wait for its bots; it looks for more when some of them are done."""

MAX_BOT_GAMES = 8
"""Games whose bots are let play beside each other; others look meanwhile at those that wait."""

MAX_UNATTENDED_BOT_GAMES = 4
"""Those of them that nobody plays."""

MAX_WAITING = 100
"""Games of people, and as many that nobody plays, that wait for that; others are looked at again later."""

MIN_DEFER_S = 5.0
"""How much later at least."""

DEFERRED_PER_S = 20
"""Games put off that come up again in a second, however many there are."""

MOVE_TIMEOUT_S = 120.0
"""A due game whose bots take longer fails, and leaves its slot to others."""

RETRY_BACKOFF = Backoff(2.0, 900.0, jitter=0.2)
"""Pauses before a due game that failed is tried again, by any instance."""

STORE_RETRY_S = 1
"""The pause where not the game failed, but the store: then all games do, and none of them should wait longer after."""


class BotSlots:
    """Games whose bots play now, those that wait for it, and when the others are looked at again."""

    def __init__(self) -> None:
        self.queue = FairQueue(MAX_BOT_GAMES, UnattendedLimits(MAX_UNATTENDED_BOT_GAMES), MAX_WAITING)
        self._later = 0.0

    def later(self, now: float) -> int:
        """When a game for which there is no room is due again, in Unix seconds."""
        self._later = max(now + MIN_DEFER_S, self._later + 1 / DEFERRED_PER_S)
        return int(self._later)


async def run_scheduler(context: Context, every_s: float = 1.0) -> None:
    """Until cancelled, move every game that is due: its bots, and whoever's time is up, which waits for no bot.

    What this instance has left to do for people, it begins at once; the rest it finds by looking at the store.
    """
    moving: set[str] = set()
    woken: set[str] = set()
    slots = BotSlots()

    async def move(game_id: str) -> None:
        DUE_GAMES_IN_PROGRESS.inc()
        try:
            await process_due_game(context, game_id, slots)
        finally:
            DUE_GAMES_IN_PROGRESS.dec()
            moving.discard(game_id)
            if game_id in woken:
                woken.discard(game_id)
                context.wakeups.add(game_id)

    async with asyncio.TaskGroup() as tasks:
        looks_at = 0.0
        while True:
            games = context.wakeups.take()
            woken.update(moving.intersection(games))
            if (now := perf_counter()) >= looks_at:
                try:
                    due = await _list_due_games(context, moving)
                except StoreUnavailable as unavailable:
                    logger.warning("the store does not answer, bots and deadlines wait: %s", unavailable)
                    due = []
                looks_at = 0.0 if len(due) >= DUE_BATCH_SIZE else now + every_s
                games += due
            for game_id in dict.fromkeys(games):
                if game_id not in moving:
                    moving.add(game_id)
                    tasks.create_task(move(game_id))
            await context.wakeups.wait(max(0.0, looks_at - perf_counter()))


async def _list_due_games(context: Context, moving: Collection[str]) -> list[str]:
    """Games that the store says are due, and that are not moving already."""
    limit = len(moving) + min(DUE_BATCH_SIZE, MAX_IN_PROGRESS - len(moving))
    due = [game for game in await context.store.list_due(int(context.clock()), limit) if game not in moving]
    shuffle(due)  # so that instances seldom take the same one at once
    return due


async def process_due_game(context: Context, game_id: str, slots: "BotSlots | None" = None) -> None:
    """Move a game that is due. Where that fails, whatever the reason, put it off and leave all other games alone."""
    LOG_CONTEXT.set(DueGameContext(game_id))
    try:
        await advance_due_game(context, game_id, slots)
    except Exception as error:  # noqa: BLE001  one failing game must not end the work on all others
        await _postpone(context, game_id, error)


async def _postpone(context: Context, game_id: str, error: Exception) -> None:
    """Have a game that failed looked at again later, each time after a longer pause; log it once for each pause."""
    now = int(context.clock())
    try:
        if isinstance(error, StoreUnavailable) and not isinstance(error, UnreadableGame):
            await context.store.defer(game_id, now, now + STORE_RETRY_S)
            record_failure("scheduler", game_id, error, "is tried again soon")
            return
        failures = await context.store.postpone(game_id, now, RETRY_BACKOFF)
    except StoreUnavailable as unavailable:
        record_failure("scheduler", game_id, error, f"cannot be put off: {unavailable}")
    else:
        if failures:
            record_failure("scheduler", game_id, error, f"is put off, failure {failures} in a row")


async def advance_due_game(context: Context, game_id: str, slots: "BotSlots | None" = None) -> None:
    """Move a game that is due; another instance, or the player, may be first, then that commit stands.

    Where a bot is on turn it waits for one of the `slots`, and then looks again.
    """
    table = await _load_session(context, game_id)
    if table is None:
        return
    game, index = table.game, table.tileset.index
    if slots is not None and bot_on_turn(game) is not None:
        await _advance_in_slot(context, game_id, slots, requester_of(game))
        return
    policy = game.on_timeout or "pass"
    diffs = [*apply_timeout(index, game, context.now())] if is_overdue(game, int(context.clock())) else []
    timed_out = len(diffs)
    diffs += await play_bots(context, index, game, patient=not diffs)
    due = next_due_at(context, game)
    if not diffs:
        if bot_on_turn(game) is not None and not is_attended(game):
            await context.store.defer(game_id, int(context.clock()), int(context.clock() + MIN_DEFER_S))
        else:
            await context.store.reschedule(game_id, due)
        return
    if not await repository.commit(context, table, diffs, due_at=due):
        return
    if timed_out:
        TIMEOUTS.labels(policy).inc()
        ACTIONS.labels("clock").inc(timed_out)
    if due is None:
        await context.store.reschedule(game_id, None)


async def _advance_in_slot(context: Context, game_id: str, slots: "BotSlots", claim: Requester) -> None:
    """Move a game in one of the slots; one that nobody plays does not wait for it for long, but is looked at later."""
    try:
        async with asyncio.timeout(None if claim.attended else UNATTENDED_TIMEOUT_S):
            began = await slots.queue.acquire(claim)
    except (QueueFull, TimeoutError):
        now = context.clock()
        await context.store.defer(game_id, int(now), slots.later(now))
        return
    try:
        async with asyncio.timeout(MOVE_TIMEOUT_S):
            await advance_due_game(context, game_id)
    finally:
        slots.queue.release(claim, began)


async def _load_session(context: Context, game_id: str) -> GameSession | None:
    """A game that is due; None, and its date settled, where it is gone. Raises TileSetMissing, Unreadable."""
    try:
        loaded, access = await repository.load_game(context, game_id)
        return repository.open_session(context, loaded, access)
    except NoSuchGame:
        await context.store.reschedule(game_id, None)
    return None
