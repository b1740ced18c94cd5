"""The expected yield of unfinished features, for each player.

Which tiles of a tile set fit an open cell, and which of them close a feature there.

The value of wares to a player: the displayed ships that they pay for, or nearly pay for.

The estimates that the bot plays by, in points of the final score unless said otherwise; tuned by self-play.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import fsum
from typing import Final, NamedTuple

from service.engine import Game, TileSetIndex
from service.engine.evaluation import majority_seats
from service.engine.final_scoring import WARES_PER_POINT
from service.engine.segments import feature_segments, tile_order
from service.engine.tileset_index import FISH, SHIPS, SIDE_OFFSETS, Payment

Opening = tuple[int, int, int]
"""Where a feature continues: the edges around an empty cell (or the step to it), its side, the slot along that side."""


class TileFit(NamedTuple):
    """Tables of tiles and openings, so that no look-up has to rotate a tile."""

    exits: tuple[tuple[tuple[Opening, ...], ...], ...]
    """[oriented tile][segment] -> its openings where no tile is adjacent; a step instead of the edges."""
    fitting_tiles: dict[int, tuple[int, ...]]
    """The edges around a cell -> the tiles that fit it (R3.3)."""
    closing_tiles: dict[Opening, tuple[int, ...]]
    """The edges around a cell, side and slot -> the tiles that close a feature there."""


@lru_cache(maxsize=32)
def build_tile_fit(index: TileSetIndex) -> TileFit:
    """Return the tables of a tile set; they are cached."""
    fitting: dict[int, list[int]] = {}
    closing: dict[Opening, dict[int, None]] = {}
    exits = tuple(
        tuple(_exits(sides, segment) for segment in range(len(index.tiles[oriented >> 2].kinds)))
        for oriented, sides in enumerate(index.slots_clockwise)
    )
    for tile, by_edges in enumerate(index.fitting_rotations):
        for packed, rotations in enumerate(by_edges):
            if rotations:
                fitting.setdefault(packed, []).append(tile)
            for rotation in rotations:
                for side, slot in _closed_openings(index.slots_clockwise[tile * 4 + rotation], packed):
                    closing.setdefault((packed, side, slot), {})[tile] = None
    return TileFit(
        exits,
        {packed: tuple(tiles) for packed, tiles in fitting.items()},
        {opening: tuple(tiles) for opening, tiles in closing.items()},
    )


def _exits(sides: tuple[tuple[int, ...], ...], segment: int) -> tuple[Opening, ...]:
    return tuple(
        (SIDE_OFFSETS[side], side ^ 2, len(slots) - 1 - slots.index(segment))
        for side, slots in enumerate(sides)
        if segment in slots
    )


def _closed_openings(sides: tuple[tuple[int, ...], ...], packed: int) -> list[tuple[int, int]]:
    """Return the sides and slots whose segment touches no side without a neighbour."""
    edges = [packed >> 2 * side & 3 for side in range(4)]
    open_segments = {segment for side, slots in enumerate(sides) if not edges[side] for segment in slots}
    return [
        (side, slot)
        for side, slots in enumerate(sides)
        if edges[side]
        for slot, segment in enumerate(slots)
        if segment not in open_segments
    ]


LOOSE_WARE_VALUE: Final = 1.25
"""Value of a ware that no displayed ship needs, early in the game; it falls to a third at the end (R7.3)."""
WARE_HORIZON: Final = 8.0
"""Number of turns left from which on a ware has the full `LOOSE_WARE_VALUE` or `PAID_WARE_COST`."""
PAID_WARE_COST: Final = 0.775
"""Cost of paying a ware to a ship, early in the game; it falls to a third at the end."""
DELAY_DISCOUNT: Final = 0.7
"""Factor on a delivery's profit for each turn that it has to wait."""
MISSING_WARE_DISCOUNT: Final = 0.4
"""Factor on a delivery's profit for each ware that is still missing."""
ISLANDER_VALUES: tuple[float, ...] = (5.2, 1.6, 0.8, 0.6)
"""Values of the first, second, third and fourth islander in supply, early in the game."""
ISLANDER_HORIZON: Final = 8.0
"""Number of turns left from which on an islander in supply has its full value."""
RETURN_SHARE: Final = 0.33
"""Share of an islander's value that counts for one on a feature that is certain to be completed."""
COMPLETION_TURNS: Final = 3.0
"""Number of own turns within which a feature may be completed; later completions do not count."""
EXTENSION_WEIGHT: Final = 0.25
"""Weight of a tile that only extends a feature at an open cell, relative to one that closes it there."""
BOAT_FIT_CHANCE: Final = 0.8
"""Probability that a drawn boat tile fits a given open sea region."""
MARKET_FILL_CHANCE: Final = 0.93
"""Probability that one empty cell around a market is filled in time."""
FUTURE_DISCOUNT: Final = 0.65
"""Factor on a future gain, relative to an immediate one."""
RIVAL_WEIGHT: Final = 0.65
"""Share of the other players' gains that counts as the bot's own loss, divided among them."""
TURNS_PER_SHIP: Final = 3.0
"""Number of turns between two ships taken, over all players."""


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
        early = min(1.0, turns_left / WARE_HORIZON)
        self.loose_ware_value = end + (LOOSE_WARE_VALUE - end) * early
        self.paid_ware_cost = end + (PAID_WARE_COST - end) * early
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
        more = [*wares]
        more[kind] += amount
        return self.value((more[0], more[1], more[2])) - self.value(wares)

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
            share *= DELAY_DISCOUNT
            wares = pay(wares, most_even_payment(self.index, ship, wares))
            lacking = {other: missing_wares(self.index, other, wares) for other in lacking if other != ship}
        if self.turns_left < 1:
            return value
        step = MISSING_WARE_DISCOUNT
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


class UnfinishedFeature(NamedTuple):
    """The properties of an unfinished feature that decide its value."""

    kind: int
    symbols: int
    open_count: int
    """The number of open sides; for a market, the number of empty cells around it."""
    closing_chances: tuple[float, ...]
    """For each cell that the feature opens to, the probability that the next tile closes it there."""


class BagStatistics:
    """The tile counts of a bag and what follows from them; a search reuses them for all boards a few turns ahead."""

    def __init__(self, index: TileSetIndex, game: Game) -> None:
        self.index = index
        self.tile_counts = Counter(game.bag)
        self.bag_size = max(1, len(game.bag))
        boats = sum(number for tile, number in self.tile_counts.items() if index.tiles[tile].boat is not None)
        self.boat_chance = BOAT_FIT_CHANCE * boats / self.bag_size
        self.closing_chances: dict[Opening, float] = {}
        self._ware_values: dict[tuple[tuple[int, ...], float], WareValues] = {}

    def ware_values(self, display: tuple[int, ...], turns_left: float) -> WareValues:
        """Return the ware values for a display; they are cached."""
        cached = self._ware_values.get((display, turns_left))
        if cached is None:
            cached = self._ware_values[display, turns_left] = WareValues(self.index, display, turns_left)
        return cached


class FeatureEstimator:
    """Everything that stays the same while the moves of one game state are compared.

    Values are from the decider's point of view: `seat_weights` is 1 for its own seat and negative for the others.
    """

    def __init__(self, index: TileSetIndex, game: Game, bag: BagStatistics | None = None) -> None:
        bag = bag or BagStatistics(index, game)
        self.index, self.game = index, game
        self.own_seat = game.decider
        self.tile_fit = build_tile_fit(index)
        self.bag, self.tile_counts = bag, bag.tile_counts
        self.bag_size, self.boat_chance = bag.bag_size, bag.boat_chance
        seats = len(game.players)
        self.turns_left = [turns_left(game, seat) for seat in range(seats)]
        rival_weight = -RIVAL_WEIGHT / (seats - 1)
        self.seat_weights = [1.0 if seat == self.own_seat else rival_weight for seat in range(seats)]
        self.wares: list[Payment] = [(p.wares[0], p.wares[1], p.wares[2]) for p in game.players]
        display = (*game.display,)
        self.ware_values = [
            bag.ware_values(display, turns + (seat == game.seat)) for seat, turns in enumerate(self.turns_left)
        ]
        self.best_ship_points = max((index.ships[ship].points for ship in game.display), default=0)
        self.islander_values = [_islander_values(turns) for turns in self.turns_left]
        self._closing_chances = bag.closing_chances
        self._gains: dict[tuple[int, int, int], float] = {}

    def openings(self, game: Game, label: int) -> dict[int, tuple[int, int]]:
        """Return the empty cells that a bridge, island or sea opens to, each with its side and slot."""
        openings: dict[int, tuple[int, int]] = {}
        if game.open_slots[label]:
            exits, cells, board = self.tile_fit.exits, game.cells, game.board
            for segment in feature_segments(game, label):
                order = tile_order(game, segment)
                for step, side, slot in exits[game.oriented_tiles[order]][segment - game.first_segments[order]]:
                    if (cell := cells[order] + step) not in board:
                        openings[cell] = (side, slot)
        return openings

    def unfinished_feature(
        self, game: Game, label: int, kind: int, openings: dict[int, tuple[int, int]]
    ) -> UnfinishedFeature:
        """Describe a feature of the game, or of a copy of it."""
        frontier = game.frontier
        closing_chances = tuple(
            [self.closing_chance(frontier[cell], side, slot) for cell, (side, slot) in openings.items()]
        )
        return UnfinishedFeature(kind, game.symbols[label], game.open_slots[label], closing_chances)

    def feature_value(self, feature: UnfinishedFeature, islanders: Sequence[int]) -> float:
        """Return the value of an unfinished feature; `islanders` counts each seat's on it."""
        winners = majority_seats([*islanders])
        return fsum(
            [
                seat_weight * self.expected_share(feature, seat, islanders[seat], wins=seat in winners)
                for seat, seat_weight in enumerate(self.seat_weights)
                if islanders[seat]
            ]
        )

    def expected_share(self, feature: UnfinishedFeature, seat: int, islanders: int, *, wins: bool) -> float:
        """Return what a seat can expect of a feature, including the return of its islanders."""
        turns = self.turns_left[seat]
        return_value = islanders * RETURN_SHARE * self.islander_values[seat][1]
        if feature.kind == SHIPS:
            if feature.open_count >= turns * len(self.seat_weights):
                return 0.0
            return MARKET_FILL_CHANCE**feature.open_count * (FUTURE_DISCOUNT * self.best_ship_points + return_value)
        chance = self._completion_chance(feature, min(turns, COMPLETION_TURNS))
        if not wins:
            return chance * return_value
        completed_value = return_value + FUTURE_DISCOUNT * self.ware_gain(seat, feature.kind, feature.symbols)
        return chance * completed_value + (1 - chance) * feature.symbols / WARES_PER_POINT

    def max_feature_value(self, kind: int, symbols: int) -> float:
        """Return an upper bound of what the decider alone can expect, without computing the openings."""
        return_value = RETURN_SHARE * self.islander_values[self.own_seat][1]
        if kind == SHIPS:
            return return_value + FUTURE_DISCOUNT * self.best_ship_points
        return max(
            return_value + FUTURE_DISCOUNT * self.ware_gain(self.own_seat, kind, symbols), symbols / WARES_PER_POINT
        )

    def _completion_chance(self, feature: UnfinishedFeature, draws: float) -> float:
        """Return the probability that `draws` tiles complete a feature, or bring a boat to it (R5.6)."""
        chance = 1.0
        for closing_chance in feature.closing_chances:
            chance *= 1 - (1 - closing_chance) ** draws
        if feature.kind == FISH and feature.closing_chances:
            chance += (1 - chance) * (1 - (1 - self.boat_chance) ** draws)
        return chance

    def closing_chance(self, packed: int, side: int, slot: int) -> float:
        """Return the probability that the next tile closes a feature at an opening.

        A tile that only extends the feature counts with `EXTENSION_WEIGHT`.
        """
        cached = self._closing_chances.get((packed, side, slot))
        if cached is None:
            counts = self.tile_counts
            fitting = sum([counts[tile] for tile in self.tile_fit.fitting_tiles.get(packed, ())])
            closing = sum([counts[tile] for tile in self.tile_fit.closing_tiles.get((packed, side, slot), ())])
            cached = self._closing_chances[packed, side, slot] = (
                closing + EXTENSION_WEIGHT * (fitting - closing)
            ) / self.bag_size
        return cached

    def ware_gain(self, seat: int, kind: int, amount: int) -> float:
        """Return the value that more wares of one kind add to a player's stock."""
        key = (seat, kind, amount)
        cached = self._gains.get(key)
        if cached is None:
            cached = self._gains[key] = self.ware_values[seat].gain(self.wares[seat], kind, amount)
        return cached


def turns_left(game: Game, seat: int) -> float:
    """Return how many turns a player has after this one, until tiles or ships run out (R7.1)."""
    seats = len(game.players)
    turns_away = (seat - game.seat - 1) % seats
    tiles = max(0, (len(game.bag) - turns_away + seats - 1) // seats)
    ships = TURNS_PER_SHIP * (len(game.display) + len(game.ship_pile)) / seats
    return min(tiles, ships)


def _islander_values(turns: float) -> tuple[float, ...]:
    """Return the values of the first, second, third and fourth islander in supply."""
    share = min(1.0, turns / ISLANDER_HORIZON)
    return tuple([share * value for value in ISLANDER_VALUES])
