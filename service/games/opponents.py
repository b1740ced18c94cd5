"""Letting bots play: each move its own version, all in the commit of the action before them, as far as time allows.

What time did not allow, and whoever is too late, is found by any instance's `keep_going`.
"""

import asyncio
import logging
from random import shuffle
from time import perf_counter

from service.engine import Game, Tables, apply, move_id
from service.games import desk
from service.games.advancing import is_resting, overdue, overdue_at
from service.games.context import Context
from service.games.diffs import record
from service.games.errors import NoSuchGame
from service.games.failures import record_failure
from service.games.held import Table
from service.games.port import Committed, StoredDiff, StoreUnavailable, Unreadable
from service.games.timeouts import time_out
from service.supervision import Backoff
from service.telemetry import tracing
from service.telemetry.doing import DOING, Moving
from service.telemetry.meters import reading
from service.telemetry.metrics import ACTIONS, GAMES_MOVING, TIMEOUTS

logger = logging.getLogger(__name__)

DUE_AT_ONCE = 100

MOST_MOVING = 1000
"""Games that one instance moves, or lets wait for its bots; it looks for more when some of them are done."""

TOGETHER = 8
"""Games whose bots are let play beside each other; others look meanwhile at those that wait."""

MOVE_TIMEOUT_S = 120.0
"""A due game whose bots take longer fails, and leaves its slot to others."""

RETRY = Backoff(2.0, 900.0, jitter=0.2)
"""Pauses before a due game that failed is tried again, by any instance."""

STORE_RETRY_S = 1
"""The pause where not the game failed, but the store: then all games do, and none of them should wait longer after."""

LAST_S = 0.4
"""How much longer a decision may take that was begun in time; it is a part of the second that an answer may wait."""


_BOTS = ACTIONS.of("bot")


def bot_on_turn(game: Game) -> str | None:
    """The bot that must decide now, if it is a bot; none while the game rests."""
    bot = game.players[game.decider].bot if game.status == "active" else None
    return None if bot is None or is_resting(game) else bot


async def play_bots(context: Context, tables: Tables, game: Game, *, patient: bool = False) -> list[StoredDiff]:
    """Play bots until a person must decide, the game ends, or the time is up; other requests go on in between.

    A decision that does not come in time, or fails, is left to later commits, unless `patient`: so what a person did is
    stored whatever a bot does.
    """
    diffs: list[StoredDiff] = []
    until = perf_counter() + context.bots_s
    while (bot := bot_on_turn(game)) is not None and perf_counter() < until:
        seat = game.decider
        within_s = None if patient else until - perf_counter() + LAST_S
        try:
            with tracing.span("bot", attributes={"south_seas.bot": bot} if tracing.on() else None):
                action = await context.bots.choose(bot, tables, game, within_s)
        except Exception as error:
            if patient:
                raise
            record_failure("bots", game.id, error, f"the bot {bot} is asked again later")
            break
        if action is None:
            break
        _BOTS.n += 1
        action, events = apply(tables, game, action)
        diffs.append(record(tables, game, events, at=context.now(), seat=seat, move=move_id(action), by="bot"))
        await asyncio.sleep(0)
    return diffs


def due_at(context: Context, game: Game) -> int | None:
    """When an instance must look at this game again: at once where a bot is still on turn, else after the deadline."""
    return int(context.clock()) if bot_on_turn(game) is not None else overdue_at(game)


async def keep_going(context: Context, every_s: float = 1.0) -> None:
    """Until cancelled, move every game that is due: its bots, and whoever's time is up, which waits for no bot."""
    moving: set[str] = set()
    slots = asyncio.Semaphore(TOGETHER)

    async def move(game_id: str) -> None:
        try:
            await process_due_game(context, game_id, slots)
        finally:
            moving.discard(game_id)

    with reading(lambda: [GAMES_MOVING.at(len(moving))]):
        async with asyncio.TaskGroup() as tasks:
            while True:
                more = False
                try:
                    limit = len(moving) + min(DUE_AT_ONCE, MOST_MOVING - len(moving))
                    due = await context.store.due(int(context.clock()), limit)
                    games = [game for game in due if game not in moving]
                    more = len(games) >= DUE_AT_ONCE
                    shuffle(games)  # so that instances seldom take the same one at once
                    for game_id in games:
                        moving.add(game_id)
                        tasks.create_task(move(game_id))
                except StoreUnavailable as unavailable:
                    logger.warning("the store does not answer, bots and deadlines wait: %s", unavailable)
                await asyncio.sleep(0 if more else every_s)


async def process_due_game(context: Context, game_id: str, slots: asyncio.Semaphore | None = None) -> None:
    """Move a game that is due. Where that fails, whatever the reason, put it off and leave all other games alone."""
    DOING.set(Moving(game_id))
    try:
        await go_on(context, game_id, slots)
    except Exception as error:  # noqa: BLE001  one failing game must not end the work on all others
        await _postpone(context, game_id, error)


async def _postpone(context: Context, game_id: str, error: Exception) -> None:
    """Have a game that failed looked at again later, each time after a longer pause; log it once for each pause."""
    now = int(context.clock())
    try:
        if isinstance(error, StoreUnavailable) and not isinstance(error, Unreadable):
            await context.store.defer(game_id, now, now + STORE_RETRY_S)
            record_failure("scheduler", game_id, error, "is tried again soon")
            return
        failures = await context.store.postpone(game_id, now, RETRY)
    except StoreUnavailable as unavailable:
        record_failure("scheduler", game_id, error, f"cannot be put off: {unavailable}")
    else:
        if failures:
            record_failure("scheduler", game_id, error, f"is put off, failure {failures} in a row")


async def go_on(context: Context, game_id: str, slots: asyncio.Semaphore | None = None) -> None:
    """Move a game that is due; another instance, or the player, may be first, then that commit stands.

    Where a bot is on turn it waits for one of the `slots`, and then looks again.
    """
    table = await _opened(context, game_id)
    if table is None:
        return
    game, tables = table.game, table.tileset.tables
    if slots is not None and bot_on_turn(game) is not None:
        async with slots, asyncio.timeout(MOVE_TIMEOUT_S):
            await go_on(context, game_id)
        return
    policy = game.on_timeout or "pass"
    diffs = [*time_out(tables, game, context.now())] if overdue(game, int(context.clock())) else []
    timed_out = len(diffs)
    diffs += await play_bots(context, tables, game, patient=not diffs)
    due = due_at(context, game)
    if not diffs:
        await context.store.settle(game_id, due)
        return
    outcome = await desk.commit(context, table, diffs, due_at=due)
    if not isinstance(outcome, Committed):
        return
    if timed_out:
        TIMEOUTS.of(policy).n += 1
        ACTIONS.of("clock").n += timed_out
    if due is None:
        await context.store.settle(game_id, None)


async def _opened(context: Context, game_id: str) -> Table | None:
    """A game that is due; None, and its date settled, where it is gone. Raises TileSetMissing, Unreadable."""
    try:
        loaded, access = await desk.load(context, game_id)
        return desk.open_table(context, loaded, access)
    except NoSuchGame:
        await context.store.settle(game_id, None)
    return None
