"""Playing bots: each move is its own version, in the commit of the action before it, as far as time allows."""

import asyncio
from time import perf_counter

from service.engine import Game, TileSetIndex, apply_action, move_id
from service.games.bots.priority import bot_on_turn, requester_of
from service.games.context import Context
from service.games.diffs import record_change
from service.games.game_failures import record_failure
from service.games.lifecycle import overdue_at
from service.games.ports import StoredDiff
from service.telemetry import tracing
from service.telemetry.metrics import ACTIONS

__all__ = ["UNATTENDED_TIMEOUT_S", "next_due_at", "play_bots"]

UNATTENDED_TIMEOUT_S = 20.0
"""How long a game that nobody plays waits for a slot, and in it for a bot's turn, before another has it."""

DECISION_GRACE_S = 0.4
"""How much longer a decision may take that was begun in time; it is a part of the second that an answer may wait."""

_BOTS = ACTIONS.labels("bot")


async def play_bots(context: Context, index: TileSetIndex, game: Game, *, patient: bool = False) -> list[StoredDiff]:
    """Play bots until a person must decide, the game ends, or the time is up; other requests go on in between.

    A decision that does not come in time, or fails, is left to later commits, unless `patient`: so what a person did is
    stored whatever a bot does. Where nobody plays, no request waits for bots.
    """
    diffs: list[StoredDiff] = []
    until = perf_counter() + context.bot_budget_s
    while (bot := bot_on_turn(game)) is not None and perf_counter() < until:
        seat, claim = game.decider, requester_of(game)
        if patient:
            within_s = None if claim.attended else UNATTENDED_TIMEOUT_S
        elif context.bots.is_deferred(claim):
            break
        else:
            within_s = until - perf_counter() + DECISION_GRACE_S
        try:
            with tracing.span("bot", attributes={"south_seas.bot": bot} if tracing.is_enabled() else None):
                action = await context.bots.choose(bot, index, game, within_s, claim)
        except Exception as error:
            if patient:
                raise
            record_failure("bots", game.id, error, f"the bot {bot} is asked again later")
            break
        if action is None:
            break
        _BOTS.inc()
        action, events = apply_action(index, game, action)
        diffs.append(record_change(index, game, events, at=context.now(), seat=seat, move=move_id(action), by="bot"))
        await asyncio.sleep(0)
    return diffs


def next_due_at(context: Context, game: Game) -> int | None:
    """When an instance must look at this game again: at once where a bot is still on turn, else after the deadline."""
    return int(context.clock()) if bot_on_turn(game) is not None else overdue_at(game)
