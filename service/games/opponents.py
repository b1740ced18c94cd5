"""Letting bots play: each move its own version, all in the commit of the action before them, as far as time allows.

What time did not allow, and whoever is too late, is found by any instance's `keep_going`.
"""

import asyncio
import logging
from random import shuffle
from time import perf_counter

from service.engine import Game, Tables, apply, move_id
from service.games import desk
from service.games.advancing import overdue, overdue_at
from service.games.context import Context
from service.games.diffs import record
from service.games.errors import NoSuchGame, TileSetMissing
from service.games.held import Table
from service.games.port import Committed, StoredDiff, StoreUnavailable, Unreadable
from service.games.timeouts import time_out
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

LATER_S = 60
"""A game that this instance cannot play is looked at again by another."""

LAST_S = 0.4
"""How much longer a decision may take that was begun in time; it is a part of the second that an answer may wait."""


_BOTS = ACTIONS.of("bot")


def bot_on_turn(game: Game) -> str | None:
    """The bot that must decide now, if it is a bot."""
    return game.players[game.decider].bot if game.status == "active" else None


async def play_bots(context: Context, tables: Tables, game: Game, *, patient: bool = False) -> list[StoredDiff]:
    """Play bots until a person must decide, the game ends, or the time is up; other requests go on in between.

    A decision that does not come in time is left to later commits, unless `patient`.
    """
    diffs: list[StoredDiff] = []
    until = perf_counter() + context.bots_s
    while (bot := bot_on_turn(game)) is not None and perf_counter() < until:
        seat = game.decider
        within_s = None if patient else until - perf_counter() + LAST_S
        with tracing.span("bot", attributes={"south_seas.bot": bot} if tracing.on() else None):
            action = await context.bots.choose(bot, tables, game, within_s)
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
        DOING.set(Moving(game_id))
        try:
            await go_on(context, game_id, slots)
        except StoreUnavailable as unavailable:
            logger.warning("the store does not answer, game %s waits: %s", game_id, unavailable)
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


async def go_on(context: Context, game_id: str, slots: asyncio.Semaphore | None = None) -> None:
    """Move a game that is due; another instance, or the player, may be first, then that commit stands.

    Where a bot is on turn it waits for one of the `slots`, and then looks again.
    """
    table = await _opened(context, game_id)
    if table is None:
        return
    game, tables = table.game, table.tileset.tables
    if slots is not None and bot_on_turn(game) is not None:
        async with slots:
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
    """A game that is due; None, and its date settled, where it is gone or this instance cannot play it."""
    try:
        loaded, access = await desk.load(context, game_id)
        return desk.open_table(context, loaded, access)
    except NoSuchGame:
        await context.store.settle(game_id, None)
    except (TileSetMissing, Unreadable) as unreadable:
        logger.warning("game %s cannot be played by this instance: %s", game_id, unreadable)
        await context.store.settle(game_id, int(context.clock()) + LATER_S)
    return None
