"""The bot `random`: any legal move, each as likely."""

from schemas.actions import Action
from service.games.bots.interface import Bot, GameState, SeededRNG


class RandomBot:
    """Picks one of the legal moves."""

    name = "random"
    version = "1"
    description = "Plays any legal move, each as likely."
    heavy = False

    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        """One of the legal moves."""
        moves = position.legal_moves()
        return moves[chance.below(len(moves))]


BOT: Bot = RandomBot()
