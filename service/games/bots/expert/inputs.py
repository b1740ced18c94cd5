"""The inputs of the evaluation: what each seat has between two turns, mostly in points as `greedy` estimates them."""

from service.engine import Game
from service.engine.evaluation import islander_counts, majority_seats
from service.engine.segments import feature_kind
from service.engine.tileset_index import SHIPS, Payment
from service.games.bots.greedy.feature_estimates import FeatureEstimator
from service.games.bots.greedy.ware_values import missing_wares, most_even_payment, pay

DELIVERY_INPUTS = ("first_ship", "second_ship", "near", "next_near")
WARE_INPUTS = ("wares", "kinds", "pairs")
SUPPLY_INPUTS = ("supply", "more_supply")
FEATURE_INPUTS = ("islands", "bridges", "seas", "markets")
INPUT_NAMES = ("turns", *DELIVERY_INPUTS, *WARE_INPUTS, *SUPPLY_INPUTS, *FEATURE_INPUTS)

_FEATURE_OFFSET = INPUT_NAMES.index("islands")

PAID_WARE_COST = 0.6
"""Cost of a paid ware when ships are compared, in points."""

FORECAST_ROUNDS = 2
"""Number of deliveries of each seat that are forecast."""

Display = tuple[int, ...]


class InputCalculator:
    """Computes the inputs of games a few turns ahead of the estimator's."""

    def __init__(self, estimator: FeatureEstimator) -> None:
        self.root = estimator
        self.index = estimator.index
        self._best_deliveries: dict[tuple[Payment, Display], tuple[int, Payment] | None] = {}
        self._nearest_ships: dict[tuple[Payment, Display], list[float]] = {}

    def compute(self, game: Game, turns: list[float]) -> list[list[float]]:
        """Return the inputs of every seat, in the order of INPUT_NAMES; `turns` is what is left to each."""
        estimator = FeatureEstimator(self.index, game, self.root.bag)
        deliveries, stocks = self._forecast_deliveries(game, turns)
        seats = [
            [
                turns[seat],
                *deliveries[seat],
                *[float(sum([min(count, most) for count in stocks[seat]])) for most in (99, 1, 2)],
                float(min(1, player.supply)),
                float(max(0, player.supply - 1)),
                *[0.0] * len(FEATURE_INPUTS),
            ]
            for seat, player in enumerate(game.players)
        ]
        for label in {game.feature_labels[segment] for player in game.players for segment in player.islander_segments}:
            kind, islanders = feature_kind(self.index, game, label), islander_counts(game, label)
            openings = {} if kind == SHIPS else estimator.openings(game, label)
            feature = estimator.unfinished_feature(game, label, kind, openings)
            winners = majority_seats([*islanders])
            for seat, count in enumerate(islanders):
                if count:
                    seats[seat][_FEATURE_OFFSET + kind] += estimator.expected_share(
                        feature, seat, count, wins=seat in winners
                    )
        return seats

    def _forecast_deliveries(self, game: Game, turns: list[float]) -> tuple[list[list[float]], list[Payment]]:
        """Return the delivery inputs of each seat, as if nobody gained a ware any more, and the stocks after them.

        From the seat on turn on, each seat delivers once a turn (R6.1) to the best ship that the others have left.
        """
        seats, display = len(game.players), (*game.display,)
        stocks: list[Payment] = [(player.wares[0], player.wares[1], player.wares[2]) for player in game.players]
        points: list[list[float]] = [[] for _ in stocks]
        for number in range(FORECAST_ROUNDS):
            for step in range(seats):
                seat = (game.seat + step) % seats
                delivery = self._best_delivery(stocks[seat], display) if turns[seat] > number else None
                if delivery is None:
                    points[seat].append(0.0)
                    continue
                ship, stocks[seat] = delivery
                points[seat].append(float(self.index.ships[ship].points))
                display = tuple([other for other in display if other != ship])
        for seat, stock in enumerate(stocks):
            points[seat] += self._nearest(stock, display)
        return points, stocks

    def _nearest(self, stock: Payment, display: Display) -> list[float]:
        """Return the two ships nearest to being payable: their points, halved for each ware that is missing."""
        cached = self._nearest_ships.get((stock, display))
        if cached is None:
            index = self.index
            nearest = sorted(
                [index.ships[ship].points * 0.5 ** missing_wares(index, ship, stock) for ship in display], reverse=True
            )
            cached = self._nearest_ships[stock, display] = [*nearest[:2], *[0.0] * (2 - len(nearest))]
        return cached

    def _best_delivery(self, stock: Payment, display: Display) -> tuple[int, Payment] | None:
        """Return the most profitable ship that a stock pays for, and the stock after it."""
        key = (stock, display)
        if key not in self._best_deliveries:
            index, best, most = self.index, -1, float("-inf")
            for ship in display:
                profit = index.ships[ship].points - PAID_WARE_COST * index.ships[ship].total_wares
                if profit > most and not missing_wares(index, ship, stock):
                    best, most = ship, profit
            self._best_deliveries[key] = None if best < 0 else (best, pay(stock, most_even_payment(index, best, stock)))
        return self._best_deliveries[key]
