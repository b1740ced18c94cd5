"""The numeric inputs of the lead evaluation: what each seat has in a game."""

from service.engine import Game
from service.engine.evaluation import islander_counts
from service.engine.segments import feature_kind
from service.engine.tileset_index import FISH, SHIPS, Payment
from service.games.bots.greedy.feature_estimates import FeatureEstimator
from service.games.bots.greedy.ware_values import missing_wares, most_even_payment, pay

SOON_DRAWS = 3
"""Number of draws that count as soon."""

PAID_WARE_COST = 0.6
"""Cost of a paid ware when ships are compared, in points."""

WARE_INPUTS = (
    *("wares", "kinds", "pairs", "threes"),
    *("first_ship", "first_cost", "second_ship", "second_cost", "near", "next_near"),
)
SUPPLY_INPUTS = ("supply_1", "supply_2", "supply_3", "supply_4")
FEATURE_INPUTS = tuple(
    f"{kind}_{name}" for kind in ("island", "bridge", "sea") for name in ("soon", "in_time", "symbols")
)
ISLANDER_INPUTS = ("return_soon", "return_in_time", "away", "behind_soon", "behind")
MARKET_INPUTS = ("market_nearly", "market_half", "market_started")

INPUT_NAMES = (*WARE_INPUTS, *SUPPLY_INPUTS, *FEATURE_INPUTS, *ISLANDER_INPUTS, *MARKET_INPUTS)

_FEATURE_OFFSET = len(WARE_INPUTS) + len(SUPPLY_INPUTS)
_ISLANDER_OFFSET = _FEATURE_OFFSET + len(FEATURE_INPUTS)
_MARKET_OFFSET = _ISLANDER_OFFSET + len(ISLANDER_INPUTS)


class InputCalculator:
    """Computes the inputs of games a few turns ahead of the estimator's."""

    def __init__(self, estimator: FeatureEstimator) -> None:
        self.estimator = estimator
        self._wares: dict[tuple[Payment, tuple[int, ...]], list[float]] = {}

    def compute(self, game: Game, turns: float) -> list[list[float]]:
        """Return the inputs of every seat, in the order of INPUT_NAMES; `turns` is the average left to a player."""
        display = tuple(game.display)
        seats = [
            [
                *self._ware_inputs((player.wares[0], player.wares[1], player.wares[2]), display),
                *[float(player.supply > count) for count in range(4)],
                *[0.0] * (len(INPUT_NAMES) - _FEATURE_OFFSET),
            ]
            for player in game.players
        ]
        for label in {game.feature_labels[segment] for player in game.players for segment in player.islander_segments}:
            self._add_feature(game, label, turns, seats)
        return seats

    def _add_feature(self, game: Game, label: int, turns: float, seats: list[list[float]]) -> None:
        kind, islanders = feature_kind(self.estimator.index, game, label), islander_counts(game, label)
        most, symbols = max(islanders), game.symbols[label]
        if kind == SHIPS:
            seats[islanders.index(most)][_MARKET_OFFSET + min(2, game.open_slots[label] // 3)] += 1.0
            return
        soon, in_time = self._completion_chances(game, label, kind, turns)
        for seat, count in enumerate(islanders):
            if not count:
                continue
            inputs = seats[seat]
            inputs[_ISLANDER_OFFSET] += count * soon
            inputs[_ISLANDER_OFFSET + 1] += count * in_time
            inputs[_ISLANDER_OFFSET + 2] += count
            if count == most:
                inputs[_FEATURE_OFFSET + 3 * kind] += symbols * soon
                inputs[_FEATURE_OFFSET + 3 * kind + 1] += symbols * in_time
                inputs[_FEATURE_OFFSET + 3 * kind + 2] += symbols
            else:
                inputs[_ISLANDER_OFFSET + 3] += count * soon
                inputs[_ISLANDER_OFFSET + 4] += count

    def _completion_chances(self, game: Game, label: int, kind: int, turns: float) -> tuple[float, float]:
        """Return the probabilities that a feature is completed, or visited by a boat: soon, and before the end."""
        estimator, frontier = self.estimator, game.frontier
        soon = in_time = 1.0
        draws = max(1.0, turns)
        for cell, (side, slot) in estimator.openings(game, label).items():
            failure = 1 - estimator.closing_chance(frontier[cell], side, slot)
            soon *= 1 - failure**SOON_DRAWS
            in_time *= 1 - failure**draws
        if kind == FISH:
            failure = 1 - estimator.boat_chance
            soon += (1 - soon) * (1 - failure**SOON_DRAWS)
            in_time += (1 - in_time) * (1 - failure**draws)
        return soon, in_time

    def _ware_inputs(self, wares: Payment, display: tuple[int, ...]) -> list[float]:
        cached = self._wares.get((wares, display))
        if cached is None:
            cached = self._wares[wares, display] = self._compute_ware_inputs(wares, display)
        return cached

    def _compute_ware_inputs(self, wares: Payment, display: tuple[int, ...]) -> list[float]:
        """Return the inputs of a stock: its wares, the two best ships it pays for, the two nearest after those."""
        index = self.estimator.index
        inputs = [float(sum(wares)), *[float(sum([min(count, most) for count in wares])) for most in (1, 2, 3)]]
        ships = [*display]
        for _ in range(2):
            payable = [ship for ship in ships if not missing_wares(index, ship, wares)]
            if not payable:
                inputs += [0.0, 0.0]
                continue
            ship = max(
                payable, key=lambda ship: index.ships[ship].points - PAID_WARE_COST * index.ships[ship].total_wares
            )
            inputs += [float(index.ships[ship].points), float(index.ships[ship].total_wares)]
            wares = pay(wares, most_even_payment(index, ship, wares))
            ships.remove(ship)
        missing = [(index.ships[ship].points, missing_wares(index, ship, wares)) for ship in ships]
        nearest = sorted((points * 0.5**count for points, count in missing if count), reverse=True)
        return [*inputs, *nearest[:2], *[0.0] * (2 - len(nearest))]
