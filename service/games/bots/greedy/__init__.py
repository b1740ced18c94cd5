"""The bot `greedy`: it does what is worth most, now and later, in points of the final score.

Every placement is tried on a copy of the game, together with the best that an islander can do after it
(`positions`). A position is worth what everybody's wares will bring, given the ships of the display (`wares`), what
unfinished features are likely to give and to whom (`prospects`), and the islanders at home; the others' share counts
against the bot's own. `fitting` knows which tiles fit or close an open cell, `weights` holds every number that is a
belief and not a rule.

What is hidden stays hidden: the copy's bag and pile are sorted before anything else, so that nothing can follow from
their order. What they hold is public (R8.1; all ships are known, and so are those not turned up yet).
"""

from service.games.bots.greedy.decisions import choose, decide

__all__ = ["choose", "decide"]
