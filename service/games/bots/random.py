"""The bot `random`: any legal move, each as likely."""

from schemas.actions import Action
from service.engine import Game, Tables, legal_moves
from service.games.shuffle import Chance


def choose(tables: Tables, game: Game, chance: Chance) -> Action:
    """Pick one of the legal moves; the game must be waiting for a decision."""
    moves = legal_moves(tables, game)
    return moves[chance.below(len(moves))]
