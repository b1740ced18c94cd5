"""The worth of a position with the tile on the board, and of what the islander does then."""

from msgspec.structs import replace

from schemas.actions import Action, PlaceIslander, PlaceTile, RetrieveIslander
from service.engine import Game, TileSetIndex
from service.engine.evaluation import islander_counts, majority_seats
from service.engine.islanders import can_retrieve
from service.engine.placement import place_tile
from service.engine.segments import feature_kind
from service.engine.tileset_index import SHIPS, SIDE_OFFSETS, pack_cell
from service.games.bots.greedy.feature_estimates import Feature, Prospects


def laid(index: TileSetIndex, game: Game, move: PlaceTile) -> Game:
    """The game with its tile on the board and nothing evaluated yet; all that this does not change is shared."""
    ahead: Game = replace(
        game,
        phase="islander",
        board=game.board.copy(),
        cells=game.cells.copy(),
        oriented_tiles=game.oriented_tiles.copy(),
        first_segments=game.first_segments.copy(),
        frontier=game.frontier.copy(),
        markets=game.markets.copy(),
        feature_labels=game.feature_labels.copy(),
        feature_ring=game.feature_ring.copy(),
        open_slots=game.open_slots.copy(),
        symbols=game.symbols.copy(),
        islanders=game.islanders.copy(),
    )
    place_tile(index, ahead, pack_cell(move.x, move.y), game.tile * 4 + move.rotation)
    return ahead


class Before:
    """The board before a tile is placed: the occupied features and their worth."""

    def __init__(self, prospects: Prospects) -> None:
        game = self.game = prospects.game
        self.kinds: dict[int, int] = {}
        self.openings: dict[int, dict[int, tuple[int, int]]] = {}
        self.worth: dict[int, float] = {}
        self.at: dict[int, list[int]] = {}
        """Empty cell -> the occupied features that open to it."""
        for label in sorted(
            {game.feature_labels[segment] for player in game.players for segment in player.islander_segments}
        ):
            kind = self.kinds[label] = feature_kind(prospects.index, game, label)
            openings = self.openings[label] = {} if kind == SHIPS else prospects.openings(game, label)
            self.worth[label] = prospects.worth(
                prospects.feature(game, label, kind, openings), islander_counts(game, label)
            )
            for cell in openings:
                self.at.setdefault(cell, []).append(label)


class Outcome:
    """The game with the tile on the board, before the islander moves; or after it, where only a pass was possible.

    Where `before` is given, `best` compares the whole position with it. What the tile completes is counted as given,
    as it will be unless an islander is retrieved from it.
    """

    def __init__(self, prospects: Prospects, game: Game, before: Before | None = None) -> None:
        self.prospects, self.game = prospects, game
        tile = prospects.index.tiles[game.oriented_tiles[-1] >> 2]
        self.labels = game.feature_labels[game.first_segments[-1] :]
        self.kinds = dict(zip(self.labels, tile.kinds, strict=True))
        self.boat = None if tile.boat is None else self.labels[tile.boat]
        if self.boat is not None and not game.symbols[self.boat] and game.edition == "german":
            self.boat = None
        self.wares = [player.wares.copy() for player in game.players]
        self.homes = [player.supply for player in game.players]
        self.points = [0] * len(self.homes)
        self.value = 0.0
        self._features: dict[int, Feature] = {}
        for label, kind in self.kinds.items():
            if game.islanders[label]:
                self._add(label, kind)
        if before is not None:
            self._compare(before)

    def best(self) -> float:
        """The position with the best that the islander can do in it."""
        return self.plain() + self._best_islander()

    def plain(self) -> float:
        """The position where the islander does nothing."""
        prospects, value = self.prospects, self.value
        for seat, side in enumerate(prospects.sides):
            bananas, shells, fish = self.wares[seat]
            wares = prospects.purses[seat].worth((bananas, shells, fish))
            value += side * (wares + sum(prospects.homes[seat][: self.homes[seat]]) + self.points[seat])
        return value

    def islander(self, move: Action) -> float:
        """How much better a move of the islander is than none."""
        game = self.game
        match move:
            case PlaceIslander(index):
                label = self.labels[index]
                return self._place(label, self.kinds[label], None)
            case RetrieveIslander(x, y, index):
                return self._retrieve(game.first_segments[game.board[pack_cell(x, y)]] + index)
            case _:
                return 0.0

    def _add(self, label: int, kind: int) -> None:
        """Count what an occupied feature gives, now or later."""
        islanders = islander_counts(self.game, label)
        if not self._at_once(label):
            self.value += self.prospects.worth(self._feature(label, kind), islanders)
            return
        for seat, number in enumerate(islanders):
            self.homes[seat] += number
        for seat in majority_seats(islanders):
            if kind == SHIPS:
                self.points[seat] += self.prospects.best_ship
            else:
                self.wares[seat][kind] += self.game.symbols[label]

    def _compare(self, before: Before) -> None:
        """Take away what the features were worth that this placement changed, and count what is new about them."""
        game, prospects, here = self.game, self.prospects, self.game.cells[-1]
        near = {label for step in SIDE_OFFSETS for label in before.at.get(here + step, ())}
        for label, kind in before.kinds.items():
            if game.feature_labels[label] in self.kinds:
                self.value -= before.worth[label]
            elif kind == SHIPS and game.open_slots[label] != before.game.open_slots[label]:
                self.value -= before.worth[label]
                if game.islanders[label]:
                    self._add(label, kind)
            elif label in near:
                feature = prospects.feature(game, label, kind, before.openings[label])
                self.value += prospects.worth(feature, islander_counts(game, label)) - before.worth[label]

    def _at_once(self, label: int) -> bool:
        """Whether a feature is evaluated this turn if it is occupied (R5.5, R5.6)."""
        return not self.game.open_slots[label] or label == self.boat

    def _feature(self, label: int, kind: int) -> Feature:
        found = self._features.get(label)
        if found is None:
            openings = {} if kind == SHIPS else self.prospects.openings(self.game, label)
            found = self._features[label] = self.prospects.feature(self.game, label, kind, openings)
        return found

    def _best_islander(self) -> float:
        """How much better the best move of the islander is than none."""
        game, best = self.game, 0.0
        player = game.players[self.prospects.me]
        if player.supply:
            for label, kind in self.kinds.items():
                if not game.islanders[label]:
                    best = max(best, self._place(label, kind, best))
        if player.islander_segments and can_retrieve(game):
            best = max(best, *[self._retrieve(segment) for segment in player.islander_segments])
        return best

    def _place(self, label: int, kind: int, least: float | None) -> float:
        """The decider's islander on a free feature; less than the truth where that is below `least` all the same."""
        game, prospects = self.game, self.prospects
        me, symbols = prospects.me, game.symbols[label]
        if self._at_once(label):
            if kind == SHIPS:
                return float(prospects.best_ship)
            bananas, shells, fish = self.wares[me]
            return prospects.purses[me].gain((bananas, shells, fish), kind, symbols)
        cost = prospects.homes[me][self.homes[me] - 1]
        if least is not None and prospects.limit(kind, symbols) - cost <= least:
            return least
        alone = [int(seat == me) for seat in range(len(self.homes))]
        return prospects.worth(self._feature(label, kind), alone) - cost

    def _retrieve(self, segment: int) -> float:
        """The decider's islander taken home; what the tile completed is better left to its evaluation."""
        game, prospects = self.game, self.prospects
        me, label = prospects.me, game.feature_labels[segment]
        if self._at_once(label):
            return 0.0
        feature = self._feature(label, feature_kind(prospects.index, game, label))
        islanders = islander_counts(game, label)
        value = prospects.homes[me][self.homes[me]] - prospects.worth(feature, islanders)
        islanders[me] -= 1
        return value + (prospects.worth(feature, islanders) if any(islanders) else 0.0)
