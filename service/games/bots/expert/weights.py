"""The trained weights of the evaluation, in `weights.json`, which `python -m tools.expert_training` writes."""

from functools import cache
from importlib import resources
from itertools import pairwise

import msgspec

from service.games.bots.expert.inputs import INPUT_NAMES

KNOTS = (0, 1, 3, 7, 14)
"""The numbers of turns left that have weights of their own; between them, weights are interpolated."""

WEIGHTS_FILE = resources.files("service.games.bots.expert").joinpath("weights.json")


class TableWeights(msgspec.Struct):
    """The weights for one number of players: a value for each knot."""

    inputs: dict[str, list[float]]
    """By input, in points."""
    spread: list[float]
    """How far the final points lie from the expected ones: the standard deviation."""


class TrainedWeights(msgspec.Struct):
    """The file."""

    command: str
    """What trained the weights."""
    tileset: str
    date: str
    errors: list[dict[int, list[float]]]
    """For each round and number of players, the mean error of the expected points before and after its fit."""
    tables: dict[int, TableWeights]
    """By the number of players."""


class Weights:
    """The weights at any number of turns left."""

    def __init__(self, trained: TrainedWeights) -> None:
        self._tables = trained.tables
        self._weights: dict[tuple[int, float], list[float]] = {}

    def weights(self, players: int, turns: float) -> list[float]:
        """Return the weights of a player with a number of turns left, in the order of INPUT_NAMES."""
        weights = self._weights.get((players, turns))
        if weights is None:
            by_input, shares = self._tables[players].inputs, knot_shares(turns)
            weights = [sum(share * by_input[name][knot] for knot, share in shares) for name in INPUT_NAMES]
            self._weights[players, turns] = weights
        return weights

    def spread(self, players: int, turns: float) -> float:
        """Return the standard deviation of the final points from the expected ones."""
        spread = self._tables[players].spread
        return sum(share * spread[knot] for knot, share in knot_shares(turns))


def knot_shares(turns: float) -> list[tuple[int, float]]:
    """Return the knots next to a number of turns left, each with its share.

    >>> knot_shares(4), knot_shares(20)
    ([(2, 0.75), (3, 0.25)], [(4, 1.0)])
    """
    for knot, (before, after) in enumerate(pairwise(KNOTS)):
        if turns < after:
            share = (turns - before) / (after - before)
            return [(knot, 1 - share), (knot + 1, share)]
    return [(len(KNOTS) - 1, 1.0)]


def decode_weights(data: bytes) -> Weights:
    """Return the weights of a file's content."""
    return Weights(msgspec.json.decode(data, type=TrainedWeights))


@cache
def load_weights() -> Weights:
    """Return the weights that the service has."""
    return decode_weights(WEIGHTS_FILE.read_bytes())
