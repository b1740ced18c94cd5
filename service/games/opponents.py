"""Letting bots play: each move its own version, all in the commit of the action before them, as far as time allows."""

import asyncio
import logging
from collections.abc import Callable
from time import perf_counter

from schemas.actions import Action
from schemas.vocabulary import BotKind
from service.engine import Game, Tables, apply, move_id
from service.games import context as desk
from service.games.bots import greedy, random
from service.games.context import Context
from service.games.diffs import record
from service.games.errors import NoSuchGame, TileSetMissing
from service.games.port import Committed, StoredDiff, StoreUnavailable
from service.games.shuffle import Chance

logger = logging.getLogger(__name__)

DUE_AT_ONCE = 100

LATER_S = 60
"""A game that this instance cannot play is looked at again by another."""

Choose = Callable[[Tables, Game, Chance], Action]

BOTS: dict[BotKind, Choose] = {"random": random.choose, "greedy": greedy.choose}


def bot_on_turn(game: Game) -> BotKind | None:
    """The bot that must decide now, if it is a bot."""
    if game.status != "active":
        return None
    name = game.players[game.decider].bot
    return next((kind for kind in BOTS if kind == name), None)


async def play_bots(context: Context, tables: Tables, game: Game) -> list[StoredDiff]:
    """Play bots until a person must decide, the game ends, or the time is up; other requests go on in between."""
    diffs: list[StoredDiff] = []
    until = perf_counter() + context.bots_s
    while (kind := bot_on_turn(game)) is not None and perf_counter() < until:
        seat = game.decider
        action = BOTS[kind](tables, game, Chance(game.seed, game.version))
        action, events = apply(tables, game, action)
        diffs.append(record(tables, game, events, at=context.now(), seat=seat, move=move_id(action), by="bot"))
        await asyncio.sleep(0)
    return diffs


def due_at(context: Context, game: Game) -> int | None:
    """When an instance must look at this game again: at once where a bot is still on turn."""
    return int(context.clock()) if bot_on_turn(game) is not None else None


async def keep_going(context: Context, every_s: float = 1.0) -> None:
    """Until cancelled, play the bots of every game that was left in the middle, by whichever instance."""
    while True:
        try:
            for game_id in await context.store.due(int(context.clock()), DUE_AT_ONCE):
                await go_on(context, game_id)
        except StoreUnavailable as unavailable:
            logger.warning("the store does not answer, bots wait: %s", unavailable)
        await asyncio.sleep(every_s)


async def go_on(context: Context, game_id: str) -> None:
    """Play the bots of a game that is due; another instance may be first, then its commit stands."""
    try:
        loaded, access = await desk.load(context, game_id)
    except NoSuchGame:
        await context.store.settle(game_id, None)
        return
    try:
        table = desk.open_table(context, loaded, access)
    except TileSetMissing as unknown:
        logger.warning("game %s needs the tile set %s, which this instance does not have", game_id, unknown.tileset)
        await context.store.settle(game_id, int(context.clock()) + LATER_S)
        return
    game = table.game
    diffs = await play_bots(context, table.tileset.tables, game)
    if not diffs:
        await context.store.settle(game_id, None)
        return
    due = due_at(context, game)
    outcome = await desk.commit(context, game, diffs, access=access, before=loaded, was="active", due_at=due)
    if isinstance(outcome, Committed):
        context.committed(game_id, diffs)
        if due is None:
            await context.store.settle(game_id, None)
