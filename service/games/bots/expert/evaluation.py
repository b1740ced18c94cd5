"""How far ahead a seat will be in the end, judged from a position between two turns.

The weights in `weights.json` were found by regression: they best told the final lead from the traits, over 135,000
positions of two-player games that `greedy` played against itself. Each trait has two for the player who has just moved
and two for the others: one while there is time, one for the end, between which the turns to come decide.
"""

from functools import cache
from importlib import resources

import msgspec

from service.engine import Game
from service.engine.final_scoring import WARES_PER_POINT, final_score, ship_points
from service.games.bots.expert.inputs import TRAITS, Traits
from service.games.bots.greedy.feature_estimates import Prospects

HORIZON = 12
"""Turns to come from which on there is time."""


class Weights(msgspec.Struct, frozen=True):
    """For each trait: while there is time, and at the end."""

    moved: dict[str, tuple[float, float]]
    waiting: dict[str, tuple[float, float]]


class Judgement:
    """Judges positions that lie not far ahead of the one that `prospects` knows."""

    def __init__(self, prospects: Prospects) -> None:
        self._index = prospects.index
        self._traits = Traits(prospects)

    def lead(self, game: Game, seat: int, moved: int) -> float:
        """The final points of `seat` less the others' on average, where `moved` has just had its turn."""
        if game.status == "active":
            points = self._expected(game, moved)
        else:
            points = [self._final(game, one) for one in range(len(game.players))]
        return points[seat] - (sum(points) - points[seat]) / (len(points) - 1)

    def _final(self, game: Game, seat: int) -> float:
        """Points at the end; wares that are no whole point break ties, as they are worth something to have had."""
        return final_score(self._index, game, seat).total + sum(game.players[seat].wares) % WARES_PER_POINT / 10

    def _expected(self, game: Game, moved: int) -> list[float]:
        seats = len(game.players)
        tiles = len(game.bag) + (game.seat != moved)
        turns = [max(0, (tiles - (seat - moved - 1) % seats + seats - 1) // seats) for seat in range(seats)]
        points = []
        for seat, traits in enumerate(self._traits.of(game, sum(turns) / seats)):
            weights = _blended(min(HORIZON, turns[seat]), moved=seat == moved)
            expected = sum([weight * trait for weight, trait in zip(weights, traits, strict=True)])
            points.append(ship_points(self._index, game.players[seat]) + expected)
        return points


@cache
def _blended(turns: int, *, moved: bool) -> list[float]:
    """The weights with so many turns to come."""
    share = turns / HORIZON
    both = _weights().moved if moved else _weights().waiting
    return [share * both[trait][0] + (1 - share) * both[trait][1] for trait in TRAITS]


@cache
def _weights() -> Weights:
    written = resources.files("service.games.bots.expert").joinpath("weights.json").read_bytes()
    return msgspec.json.decode(written, type=Weights)
