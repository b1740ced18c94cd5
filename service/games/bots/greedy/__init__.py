"""The bot `greedy`: it does what is worth most, now and later, in points of the final score.

Every placement is tried on a copy of the game, together with the best that an islander can do after it
(`positions`). A position is worth what everybody's wares will bring, given the ships of the display (`wares`), what
unfinished features are likely to give and to whom (`prospects`), and the islanders at home; the others' share counts
against the bot's own. `fitting` knows which tiles fit or close an open cell, `weights` holds every number that is a
belief and not a rule.

It does not look at the order of bag and pile, which its chance has made up, only at what they hold. That is public
(R8.1; all ships are known, and so are those not turned up yet).
"""

from schemas.actions import Action
from service.games.bots.greedy.move_scores import decide
from service.games.bots.greedy.weights import WEIGHTS
from service.games.bots.interface import Bot, GameState, SeededRNG

__all__ = ["BOT", "decide"]


class GreedyBot:
    """Does what is worth most by its own measure, without looking further than this turn."""

    name = "greedy"
    version = "1"
    description = "Does what is worth most now and later, looking at this turn alone."
    heavy = False

    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        """The move that is worth most, `chance` deciding among equals."""
        return decide(position, chance, WEIGHTS)


BOT: Bot = GreedyBot()
