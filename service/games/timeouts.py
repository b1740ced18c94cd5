"""Time-out policies: what happens at a deadline, as the game's creator chose, in one commit.

`pass` makes the minimal decisions for the player until their turn ends, each as a version of its own. `bot` lets a bot
play the seat until the player returns. `resign` resigns the seat. The first version begins with `turn_timed_out`.
"""

from collections.abc import Iterator

from schemas.actions import Action, Pass
from schemas.events import AnyEvent, TurnTimedOut
from service.engine import Game, TileSetIndex, apply_action, legal_moves, move_id, replace_player, resign
from service.games.bots.registry import FALLBACK_BOT
from service.games.diffs import record_change
from service.games.lifecycle import CLOCK
from service.games.ports.game_store import StoredDiff
from service.games.queries.legal_moves import move_sort_key


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
