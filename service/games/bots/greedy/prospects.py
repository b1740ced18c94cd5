"""What unfinished features will bring: how likely each is to be completed, and what it would then give to whom."""

from collections import Counter
from collections.abc import Iterable

from service.engine import Game, Tables
from service.engine.evaluation import counts, majority
from service.engine.tables import BANANAS, FISH, NEIGHBOURS, SHELLS, SHIPS, Payment
from service.engine.where import kind_of, members, order_of
from service.games.bots.greedy.wares import Purse
from service.games.bots.greedy.weights import Weights


class Prospects:
    """Everything about a position that stays the same while one decision is weighed."""

    def __init__(self, tables: Tables, game: Game, weights: Weights) -> None:
        self.tables = tables
        self.game = game
        self.weights = weights
        self.me = game.decider
        seats = len(game.players)
        self.left = Counter(game.bag)
        self.drawn = max(1, len(game.bag))
        self.turns = [_turns(game, seat, weights) for seat in range(seats)]
        self.purses = [
            Purse(tables, game, game.display, turns + (seat == game.seat), weights)
            for seat, turns in enumerate(self.turns)
        ]
        self.wares: list[Payment] = [(p.wares[0], p.wares[1], p.wares[2]) for p in game.players]
        against = -weights.rivals / (seats - 1)
        self.sides = [1.0 if seat == self.me else against for seat in range(seats)]
        self.best_ship = max((tables.ships[ship].points for ship in game.display), default=0)
        boats = sum(number for tile, number in self.left.items() if tables.tiles[tile].boat is not None)
        self.boat_share = boats / self.drawn
        self.steps = {BANANAS: weights.island_step, SHELLS: weights.bridge_step, FISH: weights.sea_step}
        self._served: dict[tuple[int, int, int], float] = {}
        self._gains: dict[tuple[int, int, float], float] = {}

    def at_home(self, seat: int, number: int) -> float:
        """The worth of so many islanders at home."""
        weights = self.weights
        return sum(weights.islander[:number]) * min(1.0, self.turns[seat] / weights.islander_horizon)

    def gain(self, seat: int, kind: int, amount: float) -> float:
        """What wares of one kind would add to a player's stock."""
        amount = round(amount * 2) / 2
        key = (seat, kind, amount)
        found = self._gains.get(key)
        if found is None:
            found = self._gains[key] = self.purses[seat].gain(self.wares[seat], kind, amount)
        return found

    def worth(self, game: Game, label: int, kind: int, numbers: list[int], cells: Iterable[int]) -> float:
        """What an unfinished feature means to the player who decides; `cells` are the empty ones it opens to."""
        sides, weights = self.sides, self.weights
        value = 0.0
        symbols = game.symbols[label]
        winners = majority(numbers)
        for seat, number in enumerate(numbers):
            if not number:
                continue
            turns = self.turns[seat]
            back = number * weights.return_share * weights.islander[1] * min(1.0, turns / weights.islander_horizon)
            if kind == SHIPS:
                chance = (
                    weights.market_step ** game.open_slots[label]
                    if turns * len(sides) > game.open_slots[label]
                    else 0.0
                )
                value += sides[seat] * chance * (weights.future * self.best_ship + back)
                continue
            chance, growth = self.chance(game, kind, cells, turns)
            own = chance * back
            if seat in winners:
                own += chance * weights.future * self.gain(seat, kind, symbols + growth)
                own += (1 - chance) * symbols / 3
            value += sides[seat] * own
        return value

    def chance(self, game: Game, kind: int, cells: Iterable[int], turns: float) -> tuple[float, float]:
        """How likely a player with so many turns is to complete a feature, and how much it grows till then."""
        weights = self.weights
        tries = min(turns, weights.patience)
        done, number = 1.0, 0
        for cell, side, place in cells:
            done *= 1 - (1 - self.served(game.frontier[cell], side, place)) ** tries
            number += 1
        if kind == FISH and number:
            boat = 1 - (1 - self.boat_share * weights.harvest) ** tries
            done = 1 - (1 - done) * (1 - boat)
        return done, weights.growth * number

    def served(self, packed: int, side: int, place: int) -> float:
        """How many tiles of the bag fit a cell whose neighbours show `packed` edges."""
        found = self._served.get((packed, side, place))
        if found is None:
            fits, clockwise = self.tables.fits, self.tables.clockwise
            fit = close = 0
            for tile, number in self.left.items():
                rotations = fits[tile][packed]
                if rotations:
                    fit += number
                    for rotation in rotations:
                        sides = clockwise[tile * 4 + rotation]
                        segment = sides[side][place]
                        if all(segment not in slots or packed >> 2 * at & 3 for at, slots in enumerate(sides)):
                            close += number
                            break
            found = (close + self.weights.extend * (fit - close)) / self.drawn
            self._served[packed, side, place] = found
        return found


def _turns(game: Game, seat: int, weights: Weights) -> float:
    """How many more turns a player will have after this one, as far as tiles and ships last."""
    seats = len(game.players)
    away = (seat - game.seat - 1) % seats
    tiles = max(0, (len(game.bag) - away + seats - 1) // seats)
    ships = weights.pace * (len(game.display) + len(game.pile)) / seats
    return min(tiles, ships)


def open_cells(tables: Tables, game: Game, label: int) -> tuple[tuple[int, int, int], ...]:
    """The empty cells that a bridge, island or sea opens to."""
    if not game.open_slots[label]:
        return ()
    cells = {}
    for segment in members(game, label):
        order = order_of(game, segment)
        index = segment - game.bases[order]
        for side, slots in enumerate(tables.clockwise[game.turned[order]]):
            if index in slots and (cell := game.cells[order] + NEIGHBOURS[side]) not in game.board:
                cells[cell] = (cell, side ^ 2, len(slots) - 1 - slots.index(index))
    return tuple(cells.values())


class Standing:
    """The occupied features of a position before a tile is placed, and what each is worth."""

    def __init__(self, prospects: Prospects) -> None:
        tables, game = prospects.tables, prospects.game
        self.cells: dict[int, tuple] = {}
        self.kinds: dict[int, int] = {}
        self.value: dict[int, float] = {}
        self.at: dict[int, list[int]] = {}
        labels = {game.feature[segment] for player in game.players for segment in player.standing}
        for label in sorted(labels):
            kind = self.kinds[label] = kind_of(tables, game, label)
            cells = () if kind == SHIPS else open_cells(tables, game, label)
            self.cells[label] = cells
            self.value[label] = prospects.worth(game, label, kind, counts(game, label), cells)
            for cell, _, _ in cells:
                self.at.setdefault(cell, []).append(label)
