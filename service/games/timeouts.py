"""What happens at a deadline, as the game's creator chose: by the clock, in one commit.

`pass` decides for the player as little as the rules allow, to the end of what they had to decide, each decision its own
version; `bot` lets one stand in until the player returns; `resign` is as if the player had. The first version begins
with `turn_timed_out`.
"""

from collections.abc import Iterator

from schemas.actions import Action, Pass
from schemas.events import AnyEvent, TurnTimedOut
from service.engine import Game, TileSetIndex, apply_action, legal_moves, move_id, replace_player, resign
from service.games.bots.registry import FALLBACK_BOT
from service.games.diffs import record_change
from service.games.lifecycle import CLOCK
from service.games.ports import StoredDiff
from service.games.queries.games import move_sort_key


def apply_timeout(index: TileSetIndex, game: Game, at: str) -> Iterator[StoredDiff]:
    """Do what the policy says for the decider, whose time is up: one version after the other, with its diff."""
    seat = game.decider
    match game.on_timeout:
        case "bot":
            yield record_change(index, game, substitute_on_timeout(game, seat), at=at, seat=seat, by=CLOCK)
        case "resign":
            yield record_change(index, game, resign_on_timeout(index, game, seat), at=at, seat=seat, by=CLOCK)
        case _:
            yield from _pass(index, game, at)


def timeout_event(game: Game) -> TurnTimedOut:
    """The event that the first version begins with."""
    return TurnTimedOut(seat=game.decider, policy=game.on_timeout or "pass")


def substitute_on_timeout(game: Game, seat: int, bot: str = FALLBACK_BOT) -> list[AnyEvent]:
    """A bot stands in for somebody whose time is up."""
    return [timeout_event(game), *replace_player(game, seat, bot)]


def resign_on_timeout(index: TileSetIndex, game: Game, seat: int) -> list[AnyEvent]:
    """Somebody whose time is up resigns."""
    first = timeout_event(game)
    return [first, *resign(index, game, seat)]


def minimal_action(index: TileSetIndex, game: Game) -> Action:
    """As little as the rules allow: pass, else the first of the moves as they are listed (R2, R5.10)."""
    moves = legal_moves(index, game)
    passing = (move for move in moves if isinstance(move, Pass))
    return next(passing, None) or min(moves, key=move_sort_key)


def _pass(index: TileSetIndex, game: Game, at: str) -> Iterator[StoredDiff]:
    """Decide for one who is absent until somebody else must, or the turn is over."""
    seat, number = game.decider, game.turn_number
    first: list[AnyEvent] = [timeout_event(game)]
    while game.status == "active" and (game.decider, game.turn_number) == (seat, number):
        action, events = apply_action(index, game, minimal_action(index, game))
        yield record_change(index, game, first + events, at=at, seat=seat, move=move_id(action), by=CLOCK)
        first = []
