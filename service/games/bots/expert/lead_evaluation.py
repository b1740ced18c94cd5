"""An estimate of a seat's final lead, from a game between two turns.

The weights in `weights.json` come from a regression of the final lead on the inputs, over 135,000 states of two-player
games that `greedy` played against itself. Each input has two weights for the player who has just moved and two for the
others: one for early in the game and one for its end. The number of turns left interpolates between the two.
"""

from functools import cache
from importlib import resources
from math import fsum

import msgspec

from service.engine import Game
from service.engine.final_scoring import WARES_PER_POINT, final_score, ship_points
from service.games.bots.expert.inputs import INPUT_NAMES, InputCalculator
from service.games.bots.greedy.feature_estimates import FeatureEstimator

HORIZON_TURNS = 12
"""Number of turns left from which on the early weights apply alone."""


class LeadEvaluator:
    """Evaluates games a few turns ahead of the estimator's."""

    def __init__(self, estimator: FeatureEstimator) -> None:
        self._index = estimator.index
        self._inputs = InputCalculator(estimator)

    def estimate_lead(self, game: Game, seat: int, last_mover: int) -> float:
        """Return the expected final points of `seat` less the others' average; `last_mover` has just had its turn."""
        if game.status == "active":
            points = self._expected_points(game, last_mover)
        else:
            points = [self._final_points(game, other) for other in range(len(game.players))]
        return points[seat] - (fsum(points) - points[seat]) / (len(points) - 1)

    def _final_points(self, game: Game, seat: int) -> float:
        """Return the final points; a remainder of wares counts a tenth of a point each, to break ties."""
        return final_score(self._index, game, seat).total + sum(game.players[seat].wares) % WARES_PER_POINT / 10

    def _expected_points(self, game: Game, last_mover: int) -> list[float]:
        seats = len(game.players)
        tiles = len(game.bag) + (game.seat != last_mover)
        turns = [max(0, (tiles - (seat - last_mover - 1) % seats + seats - 1) // seats) for seat in range(seats)]
        points = []
        for seat, inputs in enumerate(self._inputs.compute(game, sum(turns) / seats)):
            weights = _blend_weights(min(HORIZON_TURNS, turns[seat]), has_moved=seat == last_mover)
            expected = fsum([weight * value for weight, value in zip(weights, inputs, strict=True)])
            points.append(ship_points(self._index, game.players[seat]) + expected)
        return points


@cache
def _blend_weights(turns: int, *, has_moved: bool) -> list[float]:
    """Return the weights for a number of turns left, in the order of INPUT_NAMES."""
    share = turns / HORIZON_TURNS
    pairs = _load_weights()["moved" if has_moved else "waiting"]
    return [share * pairs[name][0] + (1 - share) * pairs[name][1] for name in INPUT_NAMES]


@cache
def _load_weights() -> dict[str, dict[str, tuple[float, float]]]:
    """Return the weights of each input, early in the game and at its end, by whether the player has just moved."""
    data = resources.files("service.games.bots.expert").joinpath("weights.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, dict[str, tuple[float, float]]])
