"""Playing bots: each move is its own version, in the commit of the action before it, as far as time allows."""

import asyncio
from time import perf_counter

from service.engine import Game, TileSetIndex, apply_action, move_id
from service.games.bots.priority import requester_of
from service.games.context import Context
from service.games.diffs import record_change
from service.games.game_failures import record_failure
from service.games.lifecycle import bot_on_turn
from service.games.ports.game_store import StoredDiff
from service.telemetry import tracing
from service.telemetry.metrics import ACTIONS

__all__ = ["UNATTENDED_TIMEOUT_S", "play_bots"]

UNATTENDED_TIMEOUT_S = 20.0
"""Maximum wait of a game without people for a slot, and then for its bot's decision."""

DECISION_GRACE_S = 0.4
"""Extra time for a decision that has begun in time; a part of the second that a response may take."""

_BOTS = ACTIONS.labels("bot")


async def play_bots(context: Context, index: TileSetIndex, game: Game, *, is_patient: bool = False) -> list[StoredDiff]:
    """Play bots until a person must decide, the game ends, or the bot budget is spent; return their diffs.

    A decision that is late or fails is left to the scheduler, so that a person's action is stored whatever a bot does.
    With `is_patient`, for the scheduler itself, it is awaited or raises. No request waits for bots in a game without
    people.
    """
    diffs: list[StoredDiff] = []
    deadline = perf_counter() + context.bot_budget_s
    while (bot := bot_on_turn(game)) is not None and perf_counter() < deadline:
        seat, requester = game.decider, requester_of(game)
        if is_patient:
            timeout_s = None if requester.attended else UNATTENDED_TIMEOUT_S
        elif context.bots.is_deferred(requester):
            break
        else:
            timeout_s = deadline - perf_counter() + DECISION_GRACE_S
        try:
            with tracing.span("bot", attributes={"south_seas.bot": bot} if tracing.is_enabled() else None):
                action = await context.bots.choose(bot, index, game, timeout_s, requester)
        except Exception as error:  # whatever a bot does, the person's action before it is stored
            if is_patient:
                raise
            record_failure("bots", game.id, error, f"the bot {bot} decides later")
            break
        if action is None:
            break
        _BOTS.inc()
        action, events = apply_action(index, game, action)
        diffs.append(record_change(index, game, events, context.now(), seat=seat, move=move_id(action), by="bot"))
        await asyncio.sleep(0)
    return diffs
