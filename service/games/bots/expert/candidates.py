"""What a player can do with a turn: a placement together with the islander's move after it."""

from typing import NamedTuple

from schemas.actions import Action, PlaceTile
from service.engine import Game, apply_action, copy_game
from service.engine.islanders import has_islander_move, legal_islander_moves
from service.games.bots.greedy.evaluation import Before, Outcome, laid
from service.games.bots.greedy.feature_estimates import Prospects
from service.games.bots.greedy.move_scores import weigh_others


class Option(NamedTuple):
    """A move, and the islander's after it, where that is decided next."""

    worth: float
    """As `greedy` sees it."""
    move: Action
    then: Action | None

    def done(self, prospects: Prospects, game: Game) -> Game:
        """A copy of the game in which it is done."""
        ahead = copy_game(game)
        for action in (self.move, self.then):
            if action is not None:
                apply_action(prospects.index, ahead, action)
        return ahead


def options(prospects: Prospects, moves: list[Action]) -> list[Option]:
    """All options with these moves, the one that is worth most first."""
    if prospects.game.phase == "place_tile":
        before = Before(prospects)
        found = [option for move in moves if isinstance(move, PlaceTile) for option in _with(prospects, before, move)]
    else:
        found = [Option(worth, move, None) for move, worth in zip(moves, weigh_others(prospects, moves), strict=True)]
    return sorted(found, key=lambda option: -option.worth)


def _with(prospects: Prospects, before: Before, move: PlaceTile) -> list[Option]:
    """A placement with each of the islander's moves."""
    ahead = laid(prospects.index, prospects.game, move)
    outcome = Outcome(prospects, ahead, before)
    plain = outcome.plain()
    if not has_islander_move(ahead):
        return [Option(plain, move, None)]
    return [Option(plain + outcome.islander(then), move, then) for then in legal_islander_moves(prospects.index, ahead)]
