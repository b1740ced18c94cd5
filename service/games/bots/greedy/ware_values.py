"""What wares are worth to a player: the ships of the display that they pay for, or nearly pay for."""

from collections.abc import Sequence

from service.engine import TileSetIndex
from service.engine.final_scoring import WARES_PER_POINT
from service.engine.tileset_index import BANANAS, FISH, SHELLS, Payment
from service.games.bots.greedy.weights import Weights

PLANNED = 3
"""Deliveries that a player plans ahead."""

FAR = 5
"""A ship for which so many wares are missing is not counted on."""


class Purse:
    """The worth of any stock of wares to one player, who can deliver in `turns` more turns.

    A ware is worth `loose` as such, and feels like `cost` when it is paid; both come down to R7.3's third at the end.
    """

    def __init__(self, index: TileSetIndex, ships: Sequence[int], turns: float, weights: Weights) -> None:
        self.index, self.ships, self.turns, self.weights = index, ships, turns, weights
        end = 1 / WARES_PER_POINT
        early = min(1.0, turns / weights.ware_horizon)
        self.loose = end + (weights.loose_ware - end) * early
        self.cost = end + (weights.paid_ware - end) * early
        self.profits = {ship: self._profit(ship) for ship in ships}
        self._known: dict[Payment, float] = {}

    def worth(self, wares: Payment) -> float:
        """What a stock of wares will bring."""
        found = self._known.get(wares)
        if found is None:
            found = self._known[wares] = self.loose * sum(wares) + self._plan(wares)
        return found

    def gain(self, wares: Payment, kind: int, amount: int) -> float:
        """What more wares of one kind would add to a stock."""
        bananas, shells, fish = wares
        more = (
            bananas + amount * (kind == BANANAS),
            shells + amount * (kind == SHELLS),
            fish + amount * (kind == FISH),
        )
        return self.worth(more) - self.worth(wares)

    def _profit(self, ship: int) -> float:
        """A ship's points, less what paying for it costs; nothing where that is more."""
        table = self.index.ships[ship]
        return max(0.0, table.points - self.cost * table.total_wares)

    def _plan(self, wares: Payment) -> float:
        """The profits of the deliveries that can be made, and of those that nearly can."""
        value, share = 0.0, 1.0
        lacking = {ship: missing(self.index, ship, wares) for ship in self.ships}
        for _ in range(min(PLANNED, int(self.turns))):
            payable = [ship for ship, number in lacking.items() if not number]
            if not payable:
                break
            ship = max(payable, key=self.profits.__getitem__)
            value += share * self.profits[ship]
            share *= self.weights.later_ship
            wares = after(wares, thriftiest(self.index, ship, wares))
            lacking = {other: missing(self.index, other, wares) for other in lacking if other != ship}
        if self.turns < 1:
            return value
        step = self.weights.missing_ware
        near = [self.profits[ship] * step ** max(1, number) for ship, number in lacking.items() if number < FAR]
        return value + share * max(near, default=0.0)


def missing(index: TileSetIndex, ship: int, wares: Payment) -> int:
    """How many wares a stock lacks for a ship."""
    bananas, shells, fish = wares
    least = 99
    for want_bananas, want_shells, want_fish in index.ships[ship].payments:
        lacking = 0
        if want_bananas > bananas:
            lacking = want_bananas - bananas
        if want_shells > shells:
            lacking += want_shells - shells
        if want_fish > fish:
            lacking += want_fish - fish
        if lacking < least:
            if not lacking:
                return 0
            least = lacking
    return least


def after(wares: Payment, payment: Payment) -> Payment:
    """What is left of a stock after a payment."""
    return wares[0] - payment[0], wares[1] - payment[1], wares[2] - payment[2]


def thriftiest(index: TileSetIndex, ship: int, wares: Payment) -> Payment:
    """The payment for a ship that leaves the most even stock; one must be affordable."""
    bananas, shells, fish = wares
    return min(
        (paid for paid in index.ships[ship].payments if paid[0] <= bananas and paid[1] <= shells and paid[2] <= fish),
        key=lambda paid: (bananas - paid[0]) ** 2 + (shells - paid[1]) ** 2 + (fish - paid[2]) ** 2,
    )
