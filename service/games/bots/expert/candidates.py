"""The candidates of a search: a move, and for a placement the islander move after it."""

from typing import NamedTuple

from schemas.actions import Action, PlaceTile
from service.engine import Game, apply_action, copy_game
from service.engine.islanders import can_place, can_retrieve, legal_islander_moves
from service.games.bots.greedy.feature_estimates import FeatureEstimator
from service.games.bots.greedy.move_scores import score_other_moves
from service.games.bots.greedy.placement_evaluation import FeatureBaseline, PlacementEvaluation, with_tile_placed


class Candidate(NamedTuple):
    """A move, together with the islander move that follows a placement."""

    score: float
    """Its score by `greedy`."""
    move: Action
    islander_move: Action | None

    def apply_to(self, estimator: FeatureEstimator, game: Game) -> Game:
        """Return a copy of the game after the candidate's moves."""
        after = copy_game(game)
        for action in (self.move, self.islander_move):
            if action is not None:
                apply_action(estimator.index, after, action)
        return after


def rank_candidates(estimator: FeatureEstimator, moves: list[Action]) -> list[Candidate]:
    """Return the candidates for these moves, the best score first."""
    if estimator.game.phase == "place_tile":
        baseline = FeatureBaseline(estimator)
        candidates = [
            candidate
            for move in moves
            if isinstance(move, PlaceTile)
            for candidate in _with_islander_moves(estimator, baseline, move)
        ]
    else:
        candidates = [
            Candidate(score, move, None) for move, score in zip(moves, score_other_moves(estimator, moves), strict=True)
        ]
    return sorted(candidates, key=lambda candidate: -candidate.score)


def _with_islander_moves(estimator: FeatureEstimator, baseline: FeatureBaseline, move: PlaceTile) -> list[Candidate]:
    """Return a placement with each of the islander moves after it."""
    after = with_tile_placed(estimator.index, estimator.game, move)
    evaluation = PlacementEvaluation(estimator, after, baseline)
    base_value = evaluation.value_without_islander()
    if not can_place(after) and not can_retrieve(after):
        return [Candidate(base_value, move, None)]
    return [
        Candidate(base_value + evaluation.islander_gain(islander_move), move, islander_move)
        for islander_move in legal_islander_moves(estimator.index, after)
    ]
