"""The value of wares to a player: the displayed ships that they pay for, or nearly pay for."""

from collections.abc import Sequence

from service.engine import TileSetIndex
from service.engine.final_scoring import WARES_PER_POINT
from service.engine.tileset_index import BANANAS, FISH, SHELLS, Payment
from service.games.bots.greedy import weights

MAX_PLANNED_DELIVERIES = 3
"""Number of deliveries that a plan looks ahead."""

MISSING_WARES_LIMIT = 5
"""A ship that misses this many wares or more counts for nothing."""


class WareValues:
    """The value of any stock of wares to one player, who can deliver in `turns_left` more turns.

    A ware alone has `loose_ware_value`; paying it costs `paid_ware_cost`. Both fall to a third of a point (R7.3).
    """

    def __init__(self, index: TileSetIndex, ships: Sequence[int], turns_left: float) -> None:
        self.index, self.ships, self.turns_left = index, ships, turns_left
        end = 1 / WARES_PER_POINT
        early = min(1.0, turns_left / weights.WARE_HORIZON)
        self.loose_ware_value = end + (weights.LOOSE_WARE_VALUE - end) * early
        self.paid_ware_cost = end + (weights.PAID_WARE_COST - end) * early
        self.profits = {ship: self._profit(ship) for ship in ships}
        self._values: dict[Payment, float] = {}

    def value(self, wares: Payment) -> float:
        """Return the expected points of a stock of wares."""
        value = self._values.get(wares)
        if value is None:
            value = self._values[wares] = self.loose_ware_value * sum(wares) + self._planned_profit(wares)
        return value

    def gain(self, wares: Payment, kind: int, amount: int) -> float:
        """Return the value that more wares of one kind add to a stock."""
        bananas, shells, fish = wares
        more = (
            bananas + amount * (kind == BANANAS),
            shells + amount * (kind == SHELLS),
            fish + amount * (kind == FISH),
        )
        return self.value(more) - self.value(wares)

    def _profit(self, ship: int) -> float:
        """Return a ship's points less the cost of its wares, at least 0."""
        data = self.index.ships[ship]
        return max(0.0, data.points - self.paid_ware_cost * data.total_wares)

    def _planned_profit(self, wares: Payment) -> float:
        """Return the profits of the deliveries that are affordable, and of the nearest one that is not."""
        value, share = 0.0, 1.0
        lacking = {ship: missing_wares(self.index, ship, wares) for ship in self.ships}
        for _ in range(min(MAX_PLANNED_DELIVERIES, int(self.turns_left))):
            payable = [ship for ship, number in lacking.items() if not number]
            if not payable:
                break
            ship = max(payable, key=self.profits.__getitem__)
            value += share * self.profits[ship]
            share *= weights.DELAY_DISCOUNT
            wares = pay(wares, most_even_payment(self.index, ship, wares))
            lacking = {other: missing_wares(self.index, other, wares) for other in lacking if other != ship}
        if self.turns_left < 1:
            return value
        step = weights.MISSING_WARE_DISCOUNT
        nearest = [
            self.profits[ship] * step ** max(1, number)
            for ship, number in lacking.items()
            if number < MISSING_WARES_LIMIT
        ]
        return value + share * max(nearest, default=0.0)


def missing_wares(index: TileSetIndex, ship: int, wares: Payment) -> int:
    """Return how many wares a stock lacks for a ship."""
    bananas, shells, fish = wares
    fewest = 99
    for needed_bananas, needed_shells, needed_fish in index.ships[ship].payments:
        lacking = 0
        if needed_bananas > bananas:
            lacking = needed_bananas - bananas
        if needed_shells > shells:
            lacking += needed_shells - shells
        if needed_fish > fish:
            lacking += needed_fish - fish
        if lacking < fewest:
            if not lacking:
                return 0
            fewest = lacking
    return fewest


def pay(wares: Payment, payment: Payment) -> Payment:
    """Return the stock after a payment."""
    return wares[0] - payment[0], wares[1] - payment[1], wares[2] - payment[2]


def most_even_payment(index: TileSetIndex, ship: int, wares: Payment) -> Payment:
    """Return the payment for a ship that leaves the most even stock; one must be affordable."""
    bananas, shells, fish = wares
    return min(
        (paid for paid in index.ships[ship].payments if paid[0] <= bananas and paid[1] <= shells and paid[2] <= fish),
        key=lambda paid: (bananas - paid[0]) ** 2 + (shells - paid[1]) ** 2 + (fish - paid[2]) ** 2,
    )
