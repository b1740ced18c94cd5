"""The bot `random`: a uniformly random legal move."""

from schemas.actions import Action
from service.games.bots.interface import Bot, GameState
from service.games.tilesets import SeededRNG


class RandomBot:
    """A bot that plays uniformly random legal moves."""

    name = "random"
    version = "1"
    description = "Plays a random legal move."
    heavy = False

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        """Return one of the legal moves."""
        moves = state.legal_moves()
        return moves[rng.below(len(moves))]


BOT: Bot = RandomBot()
