"""The estimates that the bot plays by, in points of the final score unless said otherwise."""

from typing import NamedTuple


class Weights(NamedTuple):
    """Estimates about the game; the defaults were tuned by self-play."""

    loose_ware_value: float = 1.25
    """Value of a ware that no displayed ship needs, early in the game; it falls to a third at the end (R7.3)."""
    ware_horizon: float = 8.0
    """Number of turns left from which on a ware has the full `loose_ware_value` or `paid_ware_cost`."""
    paid_ware_cost: float = 0.775
    """Cost of paying a ware to a ship, early in the game; it falls to a third at the end."""
    delay_discount: float = 0.7
    """Factor on a delivery's profit for each turn that it has to wait."""
    missing_ware_discount: float = 0.4
    """Factor on a delivery's profit for each ware that is still missing."""
    islander_values: tuple[float, float, float, float] = (5.2, 1.6, 0.8, 0.6)
    """Values of the first, second, third and fourth islander in supply, early in the game."""
    islander_horizon: float = 8.0
    """Number of turns left from which on an islander in supply has its full value."""
    return_share: float = 0.33
    """Share of an islander's value that counts for one on a feature that is certain to be completed."""
    completion_turns: float = 3.0
    """Number of own turns within which a feature may be completed; later completions do not count."""
    extension_weight: float = 0.25
    """Weight of a tile that only extends a feature at an open cell, relative to one that closes it there."""
    boat_fit_chance: float = 0.8
    """Probability that a drawn boat tile fits a given open sea region."""
    market_fill_chance: float = 0.93
    """Probability that one empty cell around a market is filled in time."""
    future_discount: float = 0.65
    """Factor on a future gain, relative to an immediate one."""
    rival_weight: float = 0.65
    """Share of the other players' gains that counts as the bot's own loss, divided among them."""
    turns_per_ship: float = 3.0
    """Number of turns between two ships taken, over all players."""


DEFAULT_WEIGHTS = Weights()
