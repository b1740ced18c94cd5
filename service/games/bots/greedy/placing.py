"""Weighing a placement together with what the islander does after it."""

from schemas.actions import Action, Pass, PlaceIslander, RetrieveIslander
from service.engine import Game
from service.engine.evaluation import counts, majority
from service.engine.islanders import may_retrieve
from service.engine.tables import NEIGHBOURS, SHIPS
from service.engine.where import kind_of, locate
from service.games.bots.greedy.prospects import Prospects, Standing, open_cells


class Laid:
    """A position with the tile on the board, compared with the one before."""

    def __init__(self, prospects: Prospects, before: Standing | None, game: Game) -> None:
        self.prospects = prospects
        self.game = game
        self.tables = prospects.tables
        seats = range(len(game.players))
        self.tile = self.tables.tiles[game.turned[-1] >> 2]
        self.base = game.bases[-1]
        self.labels = game.feature[self.base :]
        self.boat = None if self.tile.boat is None else self.labels[self.tile.boat]
        self.wares = [list(player.wares) for player in game.players]
        self.homes = [player.supply for player in game.players]
        self.points = [
            float(sum(self.tables.ships[ship].points for ship in player.ships[len(old.ships) :]))
            for player, old in zip(game.players, prospects.game.players, strict=True)
        ]
        self.cells: dict[int, tuple] = {}
        self.value = 0.0
        del seats
        self._settle(before)

    def _settle(self, before: Standing | None) -> None:
        game, prospects = self.game, self.prospects
        touched = dict(zip(self.labels, self.tile.kinds, strict=True))
        for label, kind in touched.items():
            if game.islanders[label]:
                self._feature(label, kind)
        if before is None:
            return
        here = game.cells[-1]
        near = {label for step in NEIGHBOURS for label in before.at.get(here + step, ())}
        for label, kind in before.kinds.items():
            now = game.feature[label]
            if now in touched:
                self.value -= before.value[label]
            elif kind == SHIPS:
                if game.islanders[label] == 0:
                    self.value -= before.value[label]
                elif game.open_slots[label] != prospects.game.open_slots[label]:
                    self.value -= before.value[label]
                    self._feature(label, kind)
            elif label in near:
                self.value += (
                    prospects.worth(game, label, kind, counts(game, label), before.cells[label]) - before.value[label]
                )

    def _feature(self, label: int, kind: int) -> None:
        game = self.game
        if game.open_slots[label] and label != self.boat:
            self.value += self.prospects.worth(game, label, kind, counts(game, label), self._cells(label, kind))
            return
        numbers = counts(game, label)
        for seat, number in enumerate(numbers):
            self.homes[seat] += number
        for seat in majority(numbers):
            if kind == SHIPS:
                self.points[seat] += self.prospects.best_ship
            else:
                self.wares[seat][kind] += game.symbols[label]

    def _cells(self, label: int, kind: int) -> tuple:
        if kind == SHIPS:
            return ()
        found = self.cells.get(label)
        if found is None:
            found = self.cells[label] = open_cells(self.tables, self.game, label)
        return found

    def total(self) -> float:
        """The worth of the position when no islander moves."""
        return self.value + sum(self._player(seat) for seat in range(len(self.homes)))

    def _player(self, seat: int) -> float:
        prospects, wares = self.prospects, self.wares[seat]
        return prospects.sides[seat] * (
            prospects.purses[seat].worth((wares[0], wares[1], wares[2]))
            + prospects.at_home(seat, self.homes[seat])
            + self.points[seat]
        )

    def best_islander(self) -> tuple[float, Action]:
        """What the islander should do, and how much better that is than nothing."""
        best: tuple[float, Action] = (0.0, Pass("islander"))
        game, me = self.game, self.prospects.me
        if game.phase != "islander" or game.number != self.prospects.game.number:
            return best
        if game.players[me].supply:
            for index, label in enumerate(self.labels):
                if not game.islanders[label]:
                    value = self._place(label, self.tile.kinds[index])
                    if value > best[0]:
                        best = (value, PlaceIslander(index))
        if game.players[me].standing and may_retrieve(game):
            for segment in game.players[me].standing:
                value = self._retrieve(segment)
                if value > best[0]:
                    best = (value, RetrieveIslander(*locate(game, segment)))
        return best

    def _place(self, label: int, kind: int) -> float:
        game, prospects = self.game, self.prospects
        me = prospects.me
        if not game.open_slots[label] or label == self.boat:
            if kind == SHIPS:
                return prospects.best_ship
            wares = self.wares[me]
            mine = (wares[0], wares[1], wares[2])
            return prospects.purses[me].gain(mine, kind, game.symbols[label])
        numbers = [0] * len(self.homes)
        numbers[me] = 1
        home = self.homes[me]
        return (
            prospects.worth(game, label, kind, numbers, self._cells(label, kind))
            + prospects.at_home(me, home - 1)
            - prospects.at_home(me, home)
        )

    def _retrieve(self, segment: int) -> float:
        game, prospects = self.game, self.prospects
        me, label = prospects.me, game.feature[segment]
        kind = kind_of(self.tables, game, label)
        if not game.open_slots[label] or label == self.boat:
            return 0.0
        numbers = counts(game, label)
        cells = self._cells(label, kind)
        value = -prospects.worth(game, label, kind, numbers, cells)
        numbers[me] -= 1
        if any(numbers):
            value += prospects.worth(game, label, kind, numbers, cells)
        home = self.homes[me]
        return value + prospects.at_home(me, home + 1) - prospects.at_home(me, home)
