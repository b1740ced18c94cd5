"""The bot `greedy`: it plays the move with the highest estimated value, in points of the final score.

`PlacementEvaluation` values every placement on a copy of the game, together with the best islander move after it. The
value of a board adds up the players' wares, given the displayed ships, the expected yield of unfinished features and
the islanders in supply, as `feature_estimates` has them. The other players' values count against the bot's own.

The bot uses the contents of the bag and the pile, which are public (R8.1), and never their order.
"""

from math import fsum

from msgspec.structs import replace

from schemas.actions import Action, Deliver, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from service.engine import Game, TileSetIndex, legal_moves
from service.engine.evaluation import islander_counts, majority_seats
from service.engine.islanders import can_retrieve
from service.engine.placement import place_tile
from service.engine.segments import feature_kind
from service.engine.tileset_index import SHIPS, SIDE_OFFSETS, Payment, pack_cell
from service.games.bots.feature_estimates import FeatureEstimator, UnfinishedFeature, pay
from service.games.bots.interface import Bot, GameState
from service.games.tilesets import SeededRNG


def with_tile_placed(index: TileSetIndex, game: Game, move: PlaceTile) -> Game:
    """Return the game with its tile on the board, nothing evaluated; unchanged parts are shared with `game`."""
    after: Game = replace(
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
    place_tile(index, after, pack_cell(move.x, move.y), game.tile * 4 + move.rotation)
    return after


class FeatureBaseline:
    """The occupied features before a tile is placed, and their values."""

    def __init__(self, estimator: FeatureEstimator) -> None:
        game = self.game = estimator.game
        self.kinds: dict[int, int] = {}
        self.openings: dict[int, dict[int, tuple[int, int]]] = {}
        self.values: dict[int, float] = {}
        self.features_by_cell: dict[int, list[int]] = {}
        """Empty cell -> labels of the occupied features that open to it."""
        for label in sorted(
            {game.feature_labels[segment] for player in game.players for segment in player.islander_segments}
        ):
            kind = self.kinds[label] = feature_kind(estimator.index, game, label)
            openings = self.openings[label] = {} if kind == SHIPS else estimator.openings(game, label)
            self.values[label] = estimator.feature_value(
                estimator.unfinished_feature(game, label, kind, openings), islander_counts(game, label)
            )
            for cell in openings:
                self.features_by_cell.setdefault(cell, []).append(label)


class PlacementEvaluation:
    """The value of a game with its tile on the board, before the islander moves or after a forced pass.

    With a `baseline`, `best_value` is relative to it. Features that the tile completes count as evaluated, which holds
    unless an islander is retrieved from them.
    """

    def __init__(self, estimator: FeatureEstimator, game: Game, baseline: FeatureBaseline | None = None) -> None:
        self.estimator, self.game = estimator, game
        tile = estimator.index.tiles[game.oriented_tiles[-1] >> 2]
        self.labels = game.feature_labels[game.first_segments[-1] :]
        self.kinds = dict(zip(self.labels, tile.kinds, strict=True))
        self.boat_label = None if tile.boat is None else self.labels[tile.boat]
        if self.boat_label is not None and not game.symbols[self.boat_label] and game.edition == "german":
            self.boat_label = None
        self.wares = [player.wares.copy() for player in game.players]
        self.supplies = [player.supply for player in game.players]
        self.points = [0] * len(self.supplies)
        self.value = 0.0
        self._unfinished: dict[int, UnfinishedFeature] = {}
        for label, kind in self.kinds.items():
            if game.islanders[label]:
                self._add_feature(label, kind)
        if baseline is not None:
            self._apply_baseline(baseline)

    def best_value(self) -> float:
        """Return the value with the best islander move."""
        return self.value_without_islander() + self._best_islander_gain()

    def value_without_islander(self) -> float:
        """Return the value without an islander move."""
        estimator, value = self.estimator, self.value
        for seat, seat_weight in enumerate(estimator.seat_weights):
            bananas, shells, fish = self.wares[seat]
            wares = estimator.ware_values[seat].value((bananas, shells, fish))
            value += seat_weight * (
                wares + fsum(estimator.islander_values[seat][: self.supplies[seat]]) + self.points[seat]
            )
        return value

    def islander_gain(self, move: Action) -> float:
        """Return the value that an islander move adds."""
        game = self.game
        match move:
            case PlaceIslander(index):
                label = self.labels[index]
                return self._placement_gain(label, self.kinds[label], None)
            case RetrieveIslander(x, y, index):
                return self._retrieval_gain(game.first_segments[game.board[pack_cell(x, y)]] + index)
            case _:
                return 0.0

    def _add_feature(self, label: int, kind: int) -> None:
        """Add the yield of an occupied feature, now or later."""
        islanders = islander_counts(self.game, label)
        if not self._is_evaluated_now(label):
            self.value += self.estimator.feature_value(self._unfinished_feature(label, kind), islanders)
            return
        for seat, number in enumerate(islanders):
            self.supplies[seat] += number
        for seat in majority_seats(islanders):
            if kind == SHIPS:
                self.points[seat] += self.estimator.best_ship_points
            else:
                self.wares[seat][kind] += self.game.symbols[label]

    def _apply_baseline(self, baseline: FeatureBaseline) -> None:
        """Replace the baseline values of the features that this placement changed by their new ones."""
        game, estimator, cell = self.game, self.estimator, self.game.cells[-1]
        adjacent = {label for step in SIDE_OFFSETS for label in baseline.features_by_cell.get(cell + step, ())}
        for label, kind in baseline.kinds.items():
            if game.feature_labels[label] in self.kinds:
                self.value -= baseline.values[label]
            elif kind == SHIPS and game.open_slots[label] != baseline.game.open_slots[label]:
                self.value -= baseline.values[label]
                if game.islanders[label]:
                    self._add_feature(label, kind)
            elif label in adjacent:
                feature = estimator.unfinished_feature(game, label, kind, baseline.openings[label])
                self.value += estimator.feature_value(feature, islander_counts(game, label)) - baseline.values[label]

    def _is_evaluated_now(self, label: int) -> bool:
        """Return whether a feature is evaluated this turn if it is occupied (R5.5, R5.6)."""
        return not self.game.open_slots[label] or label == self.boat_label

    def _unfinished_feature(self, label: int, kind: int) -> UnfinishedFeature:
        cached = self._unfinished.get(label)
        if cached is None:
            openings = {} if kind == SHIPS else self.estimator.openings(self.game, label)
            cached = self._unfinished[label] = self.estimator.unfinished_feature(self.game, label, kind, openings)
        return cached

    def _best_islander_gain(self) -> float:
        """Return the value that the best islander move adds, at least 0."""
        game, best = self.game, 0.0
        player = game.players[self.estimator.own_seat]
        if player.supply:
            for label, kind in self.kinds.items():
                if not game.islanders[label]:
                    best = max(best, self._placement_gain(label, kind, best))
        if player.islander_segments and can_retrieve(game):
            best = max(best, *[self._retrieval_gain(segment) for segment in player.islander_segments])
        return best

    def _placement_gain(self, label: int, kind: int, threshold: float | None) -> float:
        """Return the gain of placing an islander on a free feature; may stop early at `threshold`."""
        game, estimator = self.game, self.estimator
        own_seat, symbols = estimator.own_seat, game.symbols[label]
        if self._is_evaluated_now(label):
            if kind == SHIPS:
                return float(estimator.best_ship_points)
            bananas, shells, fish = self.wares[own_seat]
            return estimator.ware_values[own_seat].gain((bananas, shells, fish), kind, symbols)
        cost = estimator.islander_values[own_seat][self.supplies[own_seat] - 1]
        if threshold is not None and estimator.max_feature_value(kind, symbols) - cost <= threshold:
            return threshold
        alone = [int(seat == own_seat) for seat in range(len(self.supplies))]
        return estimator.feature_value(self._unfinished_feature(label, kind), alone) - cost

    def _retrieval_gain(self, segment: int) -> float:
        """Return the gain of retrieving an islander; 0 for a feature that is about to be evaluated."""
        game, estimator = self.game, self.estimator
        own_seat, label = estimator.own_seat, game.feature_labels[segment]
        if self._is_evaluated_now(label):
            return 0.0
        feature = self._unfinished_feature(label, feature_kind(estimator.index, game, label))
        islanders = islander_counts(game, label)
        value = estimator.islander_values[own_seat][self.supplies[own_seat]] - estimator.feature_value(
            feature, islanders
        )
        islanders[own_seat] -= 1
        return value + (estimator.feature_value(feature, islanders) if any(islanders) else 0.0)


TIE_TOLERANCE = 1e-9
"""Moves whose scores differ by less are equal."""


def choose_move(state: GameState, rng: SeededRNG) -> Action:
    """Return the move with the highest score; `rng` breaks ties."""
    moves, scores = score_moves(state.tileset_index, state.game)
    threshold = max(scores) - TIE_TOLERANCE
    best = [move for move, score in zip(moves, scores, strict=True) if score >= threshold]
    return best[0] if len(best) == 1 else best[rng.below(len(best))]


def score_moves(index: TileSetIndex, game: Game) -> tuple[list[Action], list[float]]:
    """Return the legal moves and the score of each; a single move is not scored."""
    moves = legal_moves(index, game)
    if len(moves) == 1:
        return moves, [0.0]
    estimator = FeatureEstimator(index, game)
    return moves, _score_placements(estimator, moves) if game.phase == "place_tile" else score_other_moves(
        estimator, moves
    )


def _score_placements(estimator: FeatureEstimator, moves: list[Action]) -> list[float]:
    """Score each placement together with the best islander move after it."""
    baseline = FeatureBaseline(estimator)
    return [
        PlacementEvaluation(estimator, with_tile_placed(estimator.index, estimator.game, move), baseline).best_value()
        for move in moves
        if isinstance(move, PlaceTile)
    ]


def score_other_moves(estimator: FeatureEstimator, moves: list[Action]) -> list[float]:
    """Score the moves of all phases but the placement of a tile."""
    evaluation = PlacementEvaluation(estimator, estimator.game, None) if estimator.game.phase == "islander" else None
    scores = []
    for move in moves:
        match move:
            case Deliver(ship, paid) if paid is not None:
                scores.append(_score_ship(estimator, ship, (paid.bananas, paid.shells, paid.fish)))
            case TakeShip(ship):
                scores.append(_score_ship(estimator, ship, None))
            case _ if evaluation is not None:
                scores.append(evaluation.islander_gain(move))
            case _:
                scores.append(_score_ship(estimator, None, None))
    return scores


def _score_ship(estimator: FeatureEstimator, name: str | None, paid: Payment | None) -> float:
    """Score a ship: its points, and the value of all wares after it; `paid` is None for a market's ship."""
    game, index, own_seat = estimator.game, estimator.index, estimator.own_seat
    ship = None if name is None else index.ship_numbers[name]
    display = tuple([other for other in game.display if other != ship])
    value = 0.0 if ship is None else float(index.ships[ship].points)
    for seat, seat_weight in enumerate(estimator.seat_weights):
        wares = estimator.wares[seat]
        turns = estimator.turns_left[seat] + (seat == game.seat and game.phase == "take_ship")
        values = estimator.bag.ware_values(display, turns)
        if seat == own_seat and paid is not None:
            wares = pay(wares, paid)
            value += (values.loose_ware_value - values.paid_ware_cost) * sum(paid)
        value += seat_weight * values.value(wares)
    return value


class GreedyBot:
    """A bot that plays the move with the highest estimated value, looking at this turn only."""

    name = "greedy"
    version = "1"
    description = "Plays the move with the highest estimated value, looking at this turn only."
    heavy = False

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        """Return the move with the highest score; `rng` breaks ties."""
        return choose_move(state, rng)


BOT: Bot = GreedyBot()
