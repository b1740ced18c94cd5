"""What wares are worth to a player: the ships of the display that they pay for, or nearly pay for."""

from collections.abc import Sequence

from service.engine import Tables
from service.engine.ending import WARES_PER_POINT
from service.engine.tables import Payment
from service.games.bots.greedy.weights import Weights

PLANNED = 3
"""Deliveries that a player plans ahead."""


class Purse:
    """The worth of any stock of wares to one player, who has `turns` more turns in which to deliver."""

    def __init__(self, tables: Tables, ships: Sequence[int], turns: float, weights: Weights) -> None:
        self.tables = tables
        self.ships = tuple(ships)
        self.turns = turns
        self.weights = weights
        end = 1 / WARES_PER_POINT
        self.loose = end + (weights.loose_ware - end) * min(1.0, turns / weights.ware_horizon)
        self.known: dict[Payment, float] = {}

    def worth(self, wares: Payment) -> float:
        """What a stock of wares will bring."""
        found = self.known.get(wares)
        if found is None:
            found = self.known[wares] = self._plan(wares)
        return found

    def gain(self, wares: Payment, kind: int, amount: float) -> float:
        """What more of one kind would add, in fractions of a ware too."""
        whole = int(amount)
        more = (*wares[:kind], wares[kind] + whole, *wares[kind + 1 :])
        value = self.worth(more) - self.worth(wares)
        if amount > whole:
            most = (*wares[:kind], wares[kind] + whole + 1, *wares[kind + 1 :])
            value += (amount - whole) * (self.worth(most) - self.worth(more))
        return value

    def profit(self, ship: int) -> float:
        """A ship's points, less what its wares would bring otherwise."""
        table = self.tables.ships[ship]
        return table.points - self.loose * table.total

    def _plan(self, wares: Payment) -> float:
        value, share = 0.0, 1.0
        ships = list(self.ships)
        for _ in range(min(PLANNED, int(self.turns))):
            best, chosen = 0.0, None
            for ship in ships:
                profit = self.profit(ship)
                if profit > best and missing(self.tables, ship, wares) == 0:
                    best, chosen = profit, ship
            if chosen is None:
                break
            value += share * best + self.loose * self.tables.ships[chosen].total
            share *= self.weights.later_ship
            wares = after(wares, thriftiest(self.tables, chosen, wares))
            ships.remove(chosen)
        near = 0.0
        if self.turns >= 1:
            for ship in ships:
                lacking = missing(self.tables, ship, wares)
                if lacking <= 4:
                    near = max(near, self.profit(ship) * self.weights.missing_ware ** max(1, lacking))
        return value + share * near + self.loose * sum(wares)


def missing(tables: Tables, ship: int, wares: Payment) -> int:
    """How many wares a stock lacks for a ship."""
    bananas, shells, fish = wares
    least = 99
    for want_bananas, want_shells, want_fish in tables.ships[ship].payments:
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


def thriftiest(tables: Tables, ship: int, wares: Payment) -> Payment:
    """The payment for a ship that leaves the most even stock; one must be affordable."""
    bananas, shells, fish = wares
    return min(
        (p for p in tables.ships[ship].payments if p[0] <= bananas and p[1] <= shells and p[2] <= fish),
        key=lambda p: (bananas - p[0]) ** 2 + (shells - p[1]) ** 2 + (fish - p[2]) ** 2,
    )
