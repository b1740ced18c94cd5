"""The estimates that the bot plays by, in points of the final score unless said otherwise; tuned by self-play."""

from typing import Final

LOOSE_WARE_VALUE: Final = 1.25
"""Value of a ware that no displayed ship needs, early in the game; it falls to a third at the end (R7.3)."""
WARE_HORIZON: Final = 8.0
"""Number of turns left from which on a ware has the full `LOOSE_WARE_VALUE` or `PAID_WARE_COST`."""
PAID_WARE_COST: Final = 0.775
"""Cost of paying a ware to a ship, early in the game; it falls to a third at the end."""
DELAY_DISCOUNT: Final = 0.7
"""Factor on a delivery's profit for each turn that it has to wait."""
MISSING_WARE_DISCOUNT: Final = 0.4
"""Factor on a delivery's profit for each ware that is still missing."""
ISLANDER_VALUES: Final = (5.2, 1.6, 0.8, 0.6)
"""Values of the first, second, third and fourth islander in supply, early in the game."""
ISLANDER_HORIZON: Final = 8.0
"""Number of turns left from which on an islander in supply has its full value."""
RETURN_SHARE: Final = 0.33
"""Share of an islander's value that counts for one on a feature that is certain to be completed."""
COMPLETION_TURNS: Final = 3.0
"""Number of own turns within which a feature may be completed; later completions do not count."""
EXTENSION_WEIGHT: Final = 0.25
"""Weight of a tile that only extends a feature at an open cell, relative to one that closes it there."""
BOAT_FIT_CHANCE: Final = 0.8
"""Probability that a drawn boat tile fits a given open sea region."""
MARKET_FILL_CHANCE: Final = 0.93
"""Probability that one empty cell around a market is filled in time."""
FUTURE_DISCOUNT: Final = 0.65
"""Factor on a future gain, relative to an immediate one."""
RIVAL_WEIGHT: Final = 0.65
"""Share of the other players' gains that counts as the bot's own loss, divided among them."""
TURNS_PER_SHIP: Final = 3.0
"""Number of turns between two ships taken, over all players."""
