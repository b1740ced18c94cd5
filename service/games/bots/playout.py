"""Fast playouts, which choose about as `greedy` does and reuse what they have computed.

The gain of a placement follows almost entirely from the features that it joins. So a placement is scored once for
each state of these, with the wares and the bag of that moment. Only promising placements are scored: the best ones on
the root's board, and those on cells that changed since.
"""

from math import fsum

from msgspec.structs import replace

from schemas.actions import Action, PlaceTile
from service.engine import Game, apply_action, legal_moves
from service.engine.islanders import legal_islander_moves
from service.engine.placement import legal_placements
from service.engine.tileset_index import CELL_BITS, COORDINATE_LIMIT, SIDE_OFFSETS, pack_cell
from service.games.bots.feature_estimates import FeatureEstimator
from service.games.bots.greedy import FeatureBaseline, PlacementEvaluation, score_other_moves, with_tile_placed

MAX_CACHED_PLACEMENTS = 5
"""Number of the best placements on the root's board that are compared for each tile."""

TURN_COST = 6
"""Fixed work of a turn, in scored placements."""

DECISION_COST = 3
"""Work of a decision about a ship, in scored placements."""

PlacementKey = tuple[int, ...]
"""A seat, its supply, a placement, and the state of the features that it joins."""


class Playout:
    """Plays out games a few turns ahead of the estimator's, the root."""

    def __init__(self, estimator: FeatureEstimator) -> None:
        self.estimator = estimator
        self.index, self.root = estimator.index, estimator.game
        self.work = 0
        """Work done so far, in scored placements."""
        self._best_by_tile: dict[tuple[int, int], list[PlaceTile]] = {}
        self._gains: dict[PlacementKey, float] = {}
        self._islander_moves: dict[PlacementKey, Action] = {}

    def play_turns(self, game: Game, last_turn: int) -> None:
        """Play until the turn `last_turn` is over, or the game."""
        while game.status == "active" and game.turn_number <= last_turn:
            if game.phase == "place_tile":
                self._play_placement(game)
            else:
                self._play_decision(game)

    def _play_placement(self, game: Game) -> None:
        """Place the tile and move an islander."""
        self.work += TURN_COST
        keys, gains = self._score_placements(game, self._candidate_placements(game))
        move = max(gains, key=gains.__getitem__)
        key = keys[move]
        apply_action(self.index, game, move)
        if game.phase == "islander":
            moves = legal_islander_moves(self.index, game)
            islander_move = self._islander_moves.get(key)
            if islander_move is None or islander_move not in moves:
                evaluation = PlacementEvaluation(self._estimator_for(game), game, None)
                islander_move = self._islander_moves[key] = max(moves, key=evaluation.islander_gain)
            apply_action(self.index, game, islander_move)

    def _score_placements(
        self, game: Game, moves: list[PlaceTile]
    ) -> tuple[dict[PlaceTile, PlacementKey], dict[PlaceTile, float]]:
        """Return the cache key and the gain of each placement, the best islander move included."""
        baseline: FeatureBaseline | None = None
        estimator: FeatureEstimator | None = None
        stock_value = 0.0
        keys, gains = {}, {}
        for move in moves:
            key = keys[move] = self._placement_key(game, move)
            gain = self._gains.get(key)
            if gain is None:
                if baseline is None or estimator is None:
                    estimator = self._estimator_for(game)
                    baseline = FeatureBaseline(estimator)
                    stock_value = _stock_value(estimator)
                self.work += 1
                evaluation = PlacementEvaluation(estimator, with_tile_placed(self.index, game, move), baseline)
                gain = self._gains[key] = evaluation.best_value() - stock_value
            gains[move] = gain
        return keys, gains

    def _placement_key(self, game: Game, move: PlaceTile) -> PlacementKey:
        cell = pack_cell(move.x, move.y)
        board, facing, bases, feature = game.board, self.index.slots_facing, game.first_segments, game.feature_labels
        open_slots, symbols, islanders = game.open_slots, game.symbols, game.islanders
        key = [game.seat, game.players[game.seat].supply, cell, game.tile, move.rotation, game.frontier[cell]]
        for side, step in enumerate(SIDE_OFFSETS):
            if (order := board.get(cell + step)) is not None:
                base = bases[order]
                for segment in facing[game.oriented_tiles[order]][side ^ 2]:
                    label = feature[base + segment]
                    key += open_slots[label], symbols[label], islanders[label]
        return tuple(key)

    def _estimator_for(self, game: Game) -> FeatureEstimator:
        return FeatureEstimator(self.index, game, self.estimator.bag)

    def _play_decision(self, game: Game) -> None:
        """Decide any other phase."""
        moves: list[Action] = legal_moves(self.index, game)
        if len(moves) > 1:
            self.work += DECISION_COST
            scores = score_other_moves(self._estimator_for(game), moves)
            apply_action(self.index, game, moves[scores.index(max(scores))])
        else:
            apply_action(self.index, game, moves[0])

    def _candidate_placements(self, game: Game) -> list[PlaceTile]:
        """Return the root's best placements that are still possible, and all on cells that changed."""
        rotations_by_edges, frontier, root_frontier = (
            self.index.fitting_rotations[game.tile],
            game.frontier,
            self.root.frontier,
        )
        placements = []
        for move in self._best_placements(game.seat, game.tile):
            cell = pack_cell(move.x, move.y)
            if frontier.get(cell) == root_frontier[cell]:
                placements.append(move)
                if len(placements) == MAX_CACHED_PLACEMENTS:
                    break
        for cell, packed in frontier.items():
            if root_frontier.get(cell) != packed and (rotations := rotations_by_edges[packed]):
                y = (cell + COORDINATE_LIMIT) >> CELL_BITS
                x = cell - (y << CELL_BITS)
                placements += [PlaceTile(x, y, rotation) for rotation in rotations]
        return placements or legal_placements(self.index, game)

    def _best_placements(self, seat: int, tile: int) -> list[PlaceTile]:
        """Return the best placements of a tile on the root's board for a seat, the best first."""
        placements = self._best_by_tile.get((seat, tile))
        if placements is None:
            game = replace(self.root, phase="place_tile", seat=seat, tile=tile)
            _, gains = self._score_placements(game, legal_placements(self.index, game))
            placements = self._best_by_tile[seat, tile] = sorted(gains, key=lambda move: -gains[move])[
                : 2 * MAX_CACHED_PLACEMENTS
            ]
        return placements


def _stock_value(estimator: FeatureEstimator) -> float:
    """Return the value of all wares and islanders in supply."""
    return fsum(
        seat_weight
        * (
            estimator.ware_values[seat].value(estimator.wares[seat])
            + fsum(estimator.islander_values[seat][: player.supply])
        )
        for seat, (seat_weight, player) in enumerate(zip(estimator.seat_weights, estimator.game.players, strict=True))
    )
