"""What unfinished features are likely to give, and to whom."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from service.engine import Game, TileSetIndex
from service.engine.evaluation import majority_seats
from service.engine.final_scoring import WARES_PER_POINT
from service.engine.segments import feature_segments, tile_order
from service.engine.tileset_index import FISH, SHIPS, Payment
from service.games.bots.greedy.tile_fit import Opening, fitting
from service.games.bots.greedy.ware_values import Purse
from service.games.bots.greedy.weights import Weights


class Feature(NamedTuple):
    """An unfinished feature, as far as its future goes."""

    kind: int
    symbols: int
    empty: int
    """Sides still open; a market's empty cells around it."""
    served: tuple[float, ...]
    """For each cell that a bridge, island or sea opens to, how likely the next tile is to close it there."""


class Known:
    """What follows from a bag, whatever lies on the board; whoever looks a few turns ahead goes on using it."""

    def __init__(self, index: TileSetIndex, game: Game, weights: Weights) -> None:
        self.index, self.weights = index, weights
        self.left = Counter(game.bag)
        self.tiles = max(1, len(game.bag))
        boats = sum(number for tile, number in self.left.items() if index.tiles[tile].boat is not None)
        self.boat = weights.harvest * boats / self.tiles
        self.served: dict[Opening, float] = {}
        self._purses: dict[tuple[tuple[int, ...], float], Purse] = {}

    def purse(self, display: tuple[int, ...], turns: float) -> Purse:
        """The worth of wares where these ships are waiting."""
        found = self._purses.get((display, turns))
        if found is None:
            found = self._purses[display, turns] = Purse(self.index, display, turns, self.weights)
        return found


class Prospects:
    """All that stays the same while the moves of one position are compared.

    Worths are the decider's: `sides` says how much of each seat's gain counts, the others' against it.
    """

    def __init__(self, index: TileSetIndex, game: Game, weights: Weights, known: Known | None = None) -> None:
        known = known or Known(index, game, weights)
        self.index, self.game, self.weights = index, game, weights
        self.me = game.decider
        self.fitting = fitting(index)
        self.known, self.left, self.tiles, self.boat = known, known.left, known.tiles, known.boat
        seats = len(game.players)
        self.turns = [_turns(game, seat, weights) for seat in range(seats)]
        against = -weights.rivals / (seats - 1)
        self.sides = [1.0 if seat == self.me else against for seat in range(seats)]
        self.wares: list[Payment] = [(p.wares[0], p.wares[1], p.wares[2]) for p in game.players]
        display = (*game.display,)
        self.purses = [known.purse(display, turns + (seat == game.seat)) for seat, turns in enumerate(self.turns)]
        self.best_ship = max((index.ships[ship].points for ship in game.display), default=0)
        self.homes = [_homes(weights, turns) for turns in self.turns]
        self._served = known.served
        self._gains: dict[tuple[int, int, int], float] = {}

    def openings(self, game: Game, label: int) -> dict[int, tuple[int, int]]:
        """The empty cells that a bridge, island or sea opens to, each with a side and a place there."""
        found: dict[int, tuple[int, int]] = {}
        if game.open_slots[label]:
            exits, cells, board = self.fitting.exits, game.cells, game.board
            for segment in feature_segments(game, label):
                order = tile_order(game, segment)
                for step, side, place in exits[game.oriented_tiles[order]][segment - game.first_segments[order]]:
                    if (cell := cells[order] + step) not in board:
                        found[cell] = (side, place)
        return found

    def feature(self, game: Game, label: int, kind: int, openings: dict[int, tuple[int, int]]) -> Feature:
        """A feature of the game, or of a copy of it."""
        frontier = game.frontier
        served = tuple([self.serve(frontier[cell], side, place) for cell, (side, place) in openings.items()])
        return Feature(kind, game.symbols[label], game.open_slots[label], served)

    def worth(self, feature: Feature, islanders: Sequence[int]) -> float:
        """An unfinished feature on which each seat has so many islanders."""
        winners = majority_seats([*islanders])
        return sum(
            [
                side * self._share(feature, seat, islanders[seat], wins=seat in winners)
                for seat, side in enumerate(self.sides)
                if islanders[seat]
            ]
        )

    def _share(self, feature: Feature, seat: int, islanders: int, *, wins: bool) -> float:
        """What a seat can expect of a feature, the return of its islanders included."""
        weights, turns = self.weights, self.turns[seat]
        back = islanders * weights.return_share * self.homes[seat][1]
        if feature.kind == SHIPS:
            in_time = feature.empty < turns * len(self.sides)
            return weights.market_step**feature.empty * (weights.future * self.best_ship + back) if in_time else 0.0
        chance = self._chance(feature, min(turns, weights.patience))
        if not wins:
            return chance * back
        then = back + weights.future * self.gain(seat, feature.kind, feature.symbols)
        return chance * then + (1 - chance) * feature.symbols / WARES_PER_POINT

    def limit(self, kind: int, symbols: int) -> float:
        """What the decider alone can expect of a feature at most; found without looking at its openings."""
        weights = self.weights
        back = weights.return_share * self.homes[self.me][1]
        if kind == SHIPS:
            return back + weights.future * self.best_ship
        return max(back + weights.future * self.gain(self.me, kind, symbols), symbols / WARES_PER_POINT)

    def _chance(self, feature: Feature, tries: float) -> float:
        """How likely so many draws are to complete a feature, or to bring a boat to it (R5.6)."""
        done = 1.0
        for served in feature.served:
            done *= 1 - (1 - served) ** tries
        if feature.kind == FISH and feature.served:
            done += (1 - done) * (1 - (1 - self.boat) ** tries)
        return done

    def serve(self, packed: int, side: int, place: int) -> float:
        """How likely the next tile is to close a feature at an opening; tiles that only extend it count for less."""
        found = self._served.get((packed, side, place))
        if found is None:
            left = self.left
            fit = sum([left[tile] for tile in self.fitting.fit.get(packed, ())])
            end = sum([left[tile] for tile in self.fitting.end.get((packed, side, place), ())])
            found = self._served[packed, side, place] = (end + self.weights.extend * (fit - end)) / self.tiles
        return found

    def gain(self, seat: int, kind: int, amount: int) -> float:
        """What more wares of one kind would add to a player's stock."""
        key = (seat, kind, amount)
        found = self._gains.get(key)
        if found is None:
            found = self._gains[key] = self.purses[seat].gain(self.wares[seat], kind, amount)
        return found


def _turns(game: Game, seat: int, weights: Weights) -> float:
    """How many turns a player will have after this one, as far as tiles and ships last (R7.1)."""
    seats = len(game.players)
    away = (seat - game.seat - 1) % seats
    tiles = max(0, (len(game.bag) - away + seats - 1) // seats)
    ships = weights.pace * (len(game.display) + len(game.ship_pile)) / seats
    return min(tiles, ships)


def _homes(weights: Weights, turns: float) -> tuple[float, ...]:
    """The worth of the first, second... islander at home."""
    share = min(1.0, turns / weights.islander_horizon)
    return tuple([share * worth for worth in weights.islander])
