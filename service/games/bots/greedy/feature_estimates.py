"""The expected yield of unfinished features, for each player."""

from collections import Counter
from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from service.engine import Game, TileSetIndex
from service.engine.evaluation import majority_seats
from service.engine.final_scoring import WARES_PER_POINT
from service.engine.segments import feature_segments, tile_order
from service.engine.tileset_index import FISH, SHIPS, Payment
from service.games.bots.greedy import weights
from service.games.bots.greedy.tile_fit import Opening, build_tile_fit
from service.games.bots.greedy.ware_values import WareValues


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
        self.boat_chance = weights.BOAT_FIT_CHANCE * boats / self.bag_size
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
        rival_weight = -weights.RIVAL_WEIGHT / (seats - 1)
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
        return_value = islanders * weights.RETURN_SHARE * self.islander_values[seat][1]
        if feature.kind == SHIPS:
            in_time = feature.open_count < turns * len(self.seat_weights)
            return (
                weights.MARKET_FILL_CHANCE**feature.open_count
                * (weights.FUTURE_DISCOUNT * self.best_ship_points + return_value)
                if in_time
                else 0.0
            )
        chance = self._completion_chance(feature, min(turns, weights.COMPLETION_TURNS))
        if not wins:
            return chance * return_value
        completed_value = return_value + weights.FUTURE_DISCOUNT * self.ware_gain(seat, feature.kind, feature.symbols)
        return chance * completed_value + (1 - chance) * feature.symbols / WARES_PER_POINT

    def max_feature_value(self, kind: int, symbols: int) -> float:
        """Return an upper bound of what the decider alone can expect, without computing the openings."""
        return_value = weights.RETURN_SHARE * self.islander_values[self.own_seat][1]
        if kind == SHIPS:
            return return_value + weights.FUTURE_DISCOUNT * self.best_ship_points
        return max(
            return_value + weights.FUTURE_DISCOUNT * self.ware_gain(self.own_seat, kind, symbols),
            symbols / WARES_PER_POINT,
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

        A tile that only extends the feature counts with `weights.EXTENSION_WEIGHT`.
        """
        cached = self._closing_chances.get((packed, side, slot))
        if cached is None:
            counts = self.tile_counts
            fitting = sum([counts[tile] for tile in self.tile_fit.fitting_tiles.get(packed, ())])
            closing = sum([counts[tile] for tile in self.tile_fit.closing_tiles.get((packed, side, slot), ())])
            cached = self._closing_chances[packed, side, slot] = (
                closing + weights.EXTENSION_WEIGHT * (fitting - closing)
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
    ships = weights.TURNS_PER_SHIP * (len(game.display) + len(game.ship_pile)) / seats
    return min(tiles, ships)


def _islander_values(turns: float) -> tuple[float, ...]:
    """Return the values of the first, second, third and fourth islander in supply."""
    share = min(1.0, turns / weights.ISLANDER_HORIZON)
    return tuple([share * value for value in weights.ISLANDER_VALUES])
