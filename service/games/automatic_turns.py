"""Turns that no person takes: bots, and what happens at a deadline.

Each move of a bot is its own version, in the commit of the action before it, as far as time allows.

At a deadline the policy of the game's creator applies, in one commit. `pass` makes the minimal decisions for the player
until their turn ends, each as a version of its own. `bot` lets a bot play the seat until the player returns. `resign`
resigns the seat. The first version begins with `turn_timed_out`.
"""

import asyncio
from collections.abc import Callable, Iterator
from time import perf_counter

from schemas.actions import Action, Pass
from schemas.events import AnyEvent, TurnTimedOut
from service.engine import Game, TileSetIndex, apply_action, legal_moves, move_id, replace_player, resign
from service.games.bots.registry import FALLBACK_BOT
from service.games.diffs import record_change
from service.games.due_work import record_failure
from service.games.legal_moves import move_sort_key
from service.games.lifecycle import CLOCK, bot_on_turn, requester_of
from service.games.ports import StoredDiff
from service.games.repository import Context
from service.telemetry.metrics import ACTIONS

UNATTENDED_TIMEOUT_S = 20.0
"""Maximum wait of a game without people for a slot, and then for its bot's decision."""

DECISION_GRACE_S = 0.4
"""Extra time for a decision that has begun in time; a part of the second that a response may take."""

_BOTS = ACTIONS.labels("bot")


async def play_bots(
    context: Context,
    index: TileSetIndex,
    game: Game,
    *,
    is_patient: bool = False,
    do_others_wait: Callable[[], bool] = lambda: False,
) -> list[StoredDiff]:
    """Play bots until a person must decide, the game ends, or the bot budget is spent; return their diffs.

    After each decision it ends if others wait.

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
        if do_others_wait():
            break
    return diffs


def apply_timeout(index: TileSetIndex, game: Game, at: str) -> Iterator[StoredDiff]:
    """Apply the game's policy to the decider, whose time is up, and yield the diff of each version."""
    seat = game.decider
    match game.on_timeout:
        case "bot":
            yield record_change(index, game, substitute_on_timeout(game, seat), at, seat=seat, by=CLOCK)
        case "resign":
            yield record_change(index, game, resign_on_timeout(index, game, seat), at, seat=seat, by=CLOCK)
        case _:
            yield from _pass_turn(index, game, at)


def timeout_event(game: Game) -> TurnTimedOut:
    """Return the event that the first version begins with."""
    return TurnTimedOut(seat=game.decider, policy=game.on_timeout or "pass")


def substitute_on_timeout(game: Game, seat: int, bot: str = FALLBACK_BOT) -> list[AnyEvent]:
    """Let a bot play the seat, and return the events."""
    return [timeout_event(game), *replace_player(game, seat, bot)]


def resign_on_timeout(index: TileSetIndex, game: Game, seat: int) -> list[AnyEvent]:
    """Resign the seat, and return the events."""
    first = timeout_event(game)
    return [first, *resign(index, game, seat)]


def minimal_action(index: TileSetIndex, game: Game) -> Action:
    """Return the least that the rules allow: a pass, else the first legal move as they are listed (R2, R5.10)."""
    moves = legal_moves(index, game)
    passing = (move for move in moves if isinstance(move, Pass))
    return next(passing, None) or min(moves, key=move_sort_key)


def _pass_turn(index: TileSetIndex, game: Game, at: str) -> Iterator[StoredDiff]:
    """Decide for the absent player until another player must, or the turn is over."""
    seat, number = game.decider, game.turn_number
    first: list[AnyEvent] = [timeout_event(game)]
    while game.status == "active" and (game.decider, game.turn_number) == (seat, number):
        action, events = apply_action(index, game, minimal_action(index, game))
        yield record_change(index, game, first + events, at, seat=seat, move=move_id(action), by=CLOCK)
        first = []
