"""What the bot believes about the game: one number each, in points of the final score unless said otherwise."""

from typing import NamedTuple


class Weights(NamedTuple):
    """The beliefs; the defaults were tuned by playing the bot against itself."""

    loose_ware: float = 1.25
    """A ware that no ship of the display asks for, while there is time; at the end a third (R7.3)."""
    ware_horizon: float = 8.0
    """Turns to go from which on a ware counts for the full `loose_ware` or `paid_ware`."""
    paid_ware: float = 0.775
    """What paying a ware to a ship is felt to cost, while there is time; at the end a third."""
    later_ship: float = 0.7
    """Share of a delivery's profit that is left for each turn it has to wait."""
    missing_ware: float = 0.4
    """Share of a delivery's profit that is left for each ware that is still missing."""
    islander: tuple[float, float, float, float] = (5.2, 1.6, 0.8, 0.6)
    """The first, second, third and fourth islander at home, while there is time."""
    islander_horizon: float = 8.0
    """Turns to go from which on an islander at home is worth its full value."""
    return_share: float = 0.33
    """Share of an islander's value that is counted for one on a feature that will surely be completed."""
    patience: float = 3.0
    """Own turns that a feature is given to be completed in; what takes longer is not counted."""
    extend: float = 0.25
    """How much a tile that only extends a feature at an open cell counts against one that closes it there."""
    harvest: float = 0.8
    """Chance that a boat tile, when drawn, can be put into a given open sea."""
    market_step: float = 0.93
    """Chance that one empty cell around a market is filled in time."""
    future: float = 0.65
    """Share of a future gain that is counted, against one that is made now."""
    rivals: float = 0.65
    """How much of the others' gain is counted as one's own loss; shared among them."""
    pace: float = 3.0
    """Turns between two ships taken, over all players."""


WEIGHTS = Weights()
