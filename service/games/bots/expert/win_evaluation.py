"""An estimate of a seat's chance to win, from a game between two turns.

Each seat's final points are expected to be those of its ships and a weighted sum of its inputs (`weights`). How far
the final points usually lie from that decides how much a lead is worth.
"""

from math import exp, fsum
from typing import Final

from service.engine import Game
from service.engine.final_scoring import final_score, ship_points, winning_seats
from service.games.bots.expert.inputs import InputCalculator
from service.games.bots.expert.weights import Weights
from service.games.bots.greedy.feature_estimates import FeatureEstimator, turns_left

POINTS_OF_A_WIN: Final = 10.0
LEAD_WEIGHT: Final = 0.5
"""What a certain win, and a point of the lead over the best of the others, count in the value of a game."""

SCALE_OF_SPREAD: Final = 0.78
"""The scale of the logistic choice model (Gumbel) is its standard deviation, multiplied by the root of 6 over pi."""


class WinEvaluator:
    """Evaluates games a few turns ahead of the estimator's."""

    def __init__(self, estimator: FeatureEstimator, weights: Weights) -> None:
        self._index = estimator.index
        self.inputs = InputCalculator(estimator)
        self._weights = weights

    def evaluate(self, game: Game, seat: int) -> float:
        """Return the value of a game for a seat, in points."""
        rivals = [other for other, player in enumerate(game.players) if other != seat and not player.resigned]
        if game.status == "active":
            points, spread = self.expected_points(game)
            lead = points[seat] - max([points[other] for other in rivals])
            scale = SCALE_OF_SPREAD * spread
            win = 1 / (1 + fsum([exp((points[other] - points[seat]) / scale) for other in rivals]))
        else:
            winners = winning_seats(self._index, game)
            totals = [final_score(self._index, game, other).total for other in range(len(game.players))]
            lead = float(totals[seat] - max([totals[other] for other in rivals]))
            win = (seat in winners) / len(winners)
        return POINTS_OF_A_WIN * win + LEAD_WEIGHT * lead

    def expected_points(self, game: Game) -> tuple[list[float], float]:
        """Return the expected final points of every seat, and how far the final ones may lie from them."""
        players = len(game.players)
        turns = turns_of_seats(game)
        points = []
        for seat, inputs in enumerate(self.inputs.compute(game, turns)):
            weights = self._weights.weights(players, turns[seat])
            expected = float(ship_points(self._index, game.players[seat]))
            for weight, value in zip(weights, inputs, strict=True):
                expected += weight * value
            points.append(expected)
        return points, self._weights.spread(players, turns[game.seat])


def turns_of_seats(game: Game) -> list[float]:
    """Return how many turns are left to each seat, between two turns; the next tile is drawn already."""
    return [turns_left(game, seat) + (seat == game.seat) for seat in range(len(game.players))]
