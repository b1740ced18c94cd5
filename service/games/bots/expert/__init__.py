"""The bot `expert`: it plays on from its best options in its head, and takes the one that turns out best.

First every option is weighed as `greedy` does; a placement together with the islander's move after it (`options`). The
best of them are then judged by the lead that they will bring in the end (`judgement`), first as they stand, then, fewer
and fewer of them, after the next two turns with tiles that may come (`search`). Those are played about as `greedy`
would (`playing`). How much of that is done follows from the position alone, so that the same game gives the same moves.
"""

from schemas.actions import Action
from service.games.bots.expert.search import choose
from service.games.bots.interface import Bot, GameState, SeededRNG


class ExpertBot:
    """Looks at the answers to its best options."""

    name = "expert"
    version = "1"
    description = "Plays on from its best moves in its head, and takes the one that turns out best."
    heavy = True

    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        """The move that turns out best."""
        return choose(position, chance)


BOT: Bot = ExpertBot()
