"""The bot `expert`: it plays out its best candidates and takes the one with the best result.

`candidates` scores every move as `greedy` does, a placement together with the islander move after it. `evaluation`
estimates the final lead that the best of them lead to, from the `inputs` of each seat. `search` repeats that for fewer
and fewer candidates after `playout` has played two more turns, with shuffled bags. The amount of work follows from the
game alone, so the same game always gives the same move.
"""

from schemas.actions import Action
from service.games.bots.expert.search import Search
from service.games.bots.interface import Bot, GameState, SeededRNG


class ExpertBot:
    """A bot that searches the moves that `greedy` scores best."""

    name = "expert"
    version = "1"
    description = "Plays out its best moves for two more turns, and takes the one with the best result."
    heavy = True

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        """Return the best move of the search."""
        moves = state.legal_moves()
        return moves[0] if len(moves) == 1 else Search(state, rng).best_candidate(moves).move


BOT: Bot = ExpertBot()
