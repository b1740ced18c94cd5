"""The scheduler: processes due games, whose bots are on turn or whose decider's time is up.

Any instance may process a due game, without a lease: the commit decides who was first.
"""

import asyncio
from collections.abc import Callable
from functools import partial

from service.fair_queue import FairQueue, QueueFull, Requester, UnattendedLimits
from service.games import repository
from service.games.automatic_turns import UNATTENDED_TIMEOUT_S, apply_timeout, play_bots
from service.games.due_work import RETRY_S, Deferred, DueWorker
from service.games.errors import NoSuchGame
from service.games.lifecycle import bot_on_turn, is_attended, is_overdue, next_due_at, requester_of
from service.games.ports import StoredDiff
from service.games.repository import Context
from service.telemetry import tracing
from service.telemetry.metrics import ACTIONS, TIMEOUTS

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


class BotSlots:
    """The slots for games whose bots play, the queue for them, and the times of deferred games."""

    def __init__(self) -> None:
        self.queue = FairQueue(MAX_BOT_GAMES, UnattendedLimits(MAX_UNATTENDED_BOT_GAMES), MAX_WAITING)
        self._last_deferred_until = 0.0

    def next_delay_s(self, now: float) -> float:
        """Return for how long the next game is deferred."""
        self._last_deferred_until = max(now + MIN_DEFER_S, self._last_deferred_until + 1 / DEFERRED_PER_S)
        return self._last_deferred_until - now


def make_scheduler(context: Context, interval_s: float = 1.0) -> DueWorker:
    """Return the worker that processes due games."""
    slots = BotSlots()

    async def process(game_id: str) -> int | None:
        with tracing.span("turn", attributes={"south_seas.game": game_id}):
            return await advance_due_game(context, game_id, slots)

    return DueWorker("scheduler", context.store.due_games, process, context.clock, context.woken_games, interval_s)


async def advance_due_game(
    context: Context, game_id: str, slots: BotSlots | None = None, do_others_wait: Callable[[], bool] = lambda: False
) -> int | None:
    """Apply the time-out and play the bots of a due game; return when it is due again, None for never.

    If another commit comes first, that one stands. With `slots`, a game whose bot or clock decides waits for a slot,
    and is then loaded again; clocks wait like the bots of games without people. Raises Deferred, TileSetMissing,
    UnreadableGame, StoreUnavailable, and what bots raise.
    """
    try:
        stored = await repository.load_game(context, game_id)
    except NoSuchGame:
        return None
    index, game = repository.open_game(context.tilesets, stored)
    is_late = is_overdue(game, int(context.clock()))
    requester = Requester(game.creator, attended=False) if is_late else requester_of(game)
    if slots is not None and (is_late or bot_on_turn(game) is not None):
        return await _advance_in_slot(context, game_id, slots, requester)
    policy, diffs = game.on_timeout or "pass", list[StoredDiff]()
    if is_late:
        async with context.bots.light_slot(requester):
            diffs += apply_timeout(index, game, context.now())
    timeouts = len(diffs)
    diffs += await play_bots(context, index, game, is_patient=not diffs, do_others_wait=do_others_wait)
    if not diffs and bot_on_turn(game) is not None and not is_attended(game):
        raise Deferred(MIN_DEFER_S)
    if diffs and not await repository.commit(context, stored, diffs):
        raise Deferred(RETRY_S)
    if timeouts:
        TIMEOUTS.labels(policy).inc()
        ACTIONS.labels("clock").inc(timeouts)
    return next_due_at(game, context.clock())


async def _advance_in_slot(context: Context, game_id: str, slots: BotSlots, requester: Requester) -> int | None:
    """Wait for a slot and advance the game; defer it if the queue is full, or it has no people and waits too long.

    Between two decisions the slot goes to others who wait for it.
    """
    try:
        async with asyncio.timeout(None if requester.attended else UNATTENDED_TIMEOUT_S):
            started_at = await slots.queue.acquire(requester)
    except (QueueFull, TimeoutError):
        raise Deferred(slots.next_delay_s(context.clock())) from None
    try:
        async with asyncio.timeout(MOVE_TIMEOUT_S):
            return await advance_due_game(context, game_id, None, partial(slots.queue.do_others_wait, requester))
    finally:
        slots.queue.release(requester, started_at)
