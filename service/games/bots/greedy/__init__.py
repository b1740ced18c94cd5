"""The bot `greedy`: it plays the move with the highest estimated value, in points of the final score.

`placement_evaluation` tries every placement on a copy of the game, together with the best islander move after it. The
value of a board adds up the players' wares, given the displayed ships (`ware_values`), the expected yield of unfinished
features (`feature_estimates`) and the islanders in supply. The other players' values count against the bot's own.
`tile_fit` lists the tiles that fit or close an open cell, and `weights` holds every number that is an
estimate and not a rule.

The bot uses the contents of the bag and the pile, which are public (R8.1), and never their order.
"""

from schemas.actions import Action
from service.games.bots.greedy.move_scores import choose_move
from service.games.bots.interface import Bot, GameState, SeededRNG


class GreedyBot:
    """A bot that plays the move with the highest estimated value, looking at this turn only."""

    name = "greedy"
    version = "1"
    description = "Plays the move with the highest estimated value, looking at this turn only."
    heavy = False

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        """Return the move with the highest score; `rng` breaks ties."""
        return choose_move(state, rng)


BOT: Bot = GreedyBot()
