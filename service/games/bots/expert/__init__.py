"""The bot `expert`: it plays out its best candidates and takes the one with the best result.

`candidates` scores every move as `greedy` does, a placement together with the islander move after it. `win_evaluation`
estimates the chance to win that the best of them lead to, from the `inputs` of each seat. `Search` repeats that for
fewer and fewer candidates after `playout` has played on until the bot's own next turn is over, with shuffled bags. The
amount of work follows from the game alone, so the same game always gives the same move.
"""

from math import fsum
from typing import NamedTuple

from schemas.actions import Action, Pass
from service.engine import Game, copy_game
from service.games.bots.expert.candidates import Candidate, rank_candidates
from service.games.bots.expert.playout import Playout
from service.games.bots.expert.weights import Weights, load_weights
from service.games.bots.expert.win_evaluation import WinEvaluator
from service.games.bots.greedy.feature_estimates import FeatureEstimator
from service.games.bots.interface import Bot, GameState, SeededRNG

SCORE_WEIGHT = 0.3
"""Weight of a candidate's greedy score beside its evaluation, as both of them err."""

SCORE_MARGIN = 2.5
"""Candidates whose score is this much below the best are not evaluated."""

MAX_CANDIDATES = 16
"""Number of candidates that are evaluated without a playout."""

ROUNDS = {
    "place_tile": ((5, 1800), (3, 3000), (2, 4000)),
    "islander": ((3, 1000), (2, 1500)),
    "deliver": ((4, 1000), (2, 1500)),
    "take_ship": ((4, 800),),
}
"""Each phase's rounds of playouts: the number of candidates, and the total work, in scored placements, at their end."""

PLAYOUT_COST = 5
"""Fixed work of a playout, in scored placements."""


class Trial(NamedTuple):
    """A candidate and the values it led to: without a playout, then after each playout."""

    candidate: Candidate
    values: list[float]

    @property
    def value(self) -> float:
        """Return the candidate's combined value, in points."""
        values = self.values[1:] or self.values
        return SCORE_WEIGHT * self.candidate.score + fsum(values) / len(values)


class Search:
    """The search for the best move of one game state; `effort` scales the work of its playouts."""

    def __init__(self, state: GameState, rng: SeededRNG, weights: Weights, effort: float = 1.0) -> None:
        self.index, self.game = state
        self.rng = rng
        self.effort = effort
        self.estimator = FeatureEstimator(self.index, self.game)
        self.evaluator = WinEvaluator(self.estimator, weights)
        self.playout = Playout(self.estimator)

    def best_candidate(self, moves: list[Action]) -> Candidate:
        """Return the candidate with the highest value."""
        candidates = rank_candidates(self.estimator, moves)
        if self.game.phase == "deliver" and not isinstance(candidates[0].move, Pass):
            # A turn without a delivery is lost (R6.1), and the playouts are too few to tell what it costs.
            candidates = [candidate for candidate in candidates if not isinstance(candidate.move, Pass)]
        threshold = candidates[0].score - SCORE_MARGIN
        trials = [Trial(candidate, []) for candidate in candidates[:MAX_CANDIDATES] if candidate.score >= threshold]
        if len(trials) > 1:
            self._evaluate(trials, self.game, self.game.turn_number)
            trials = _best_first(_distinct(trials))
            for number, work in ROUNDS[self.game.phase]:
                trials = self._run_playouts(trials[:number], work * self.effort)
        return trials[0].candidate

    def _run_playouts(self, trials: list[Trial], work: float) -> list[Trial]:
        """Play out the candidates with shuffled bags, the same for each, until the work is done."""
        while self.playout.work < work:
            game = copy_game(self.game)
            self.rng.shuffle(game.bag)
            self.rng.shuffle(game.ship_pile)
            self._evaluate(trials, game, self._last_turn())
        return _best_first(trials)

    def _last_turn(self) -> int:
        """Return the number of the bot's own next turn; that of the last turn if the end is near."""
        game, seats = self.game, len(self.game.players)
        turns = (game.decider - game.seat - 1) % seats + 1
        return game.turn_number + (turns if len(game.bag) >= turns + seats else len(game.bag))

    def _evaluate(self, trials: list[Trial], game: Game, last_turn: int) -> None:
        """Play each candidate until a turn is over, and record the value."""
        for trial in trials:
            game_after = trial.candidate.apply_to(self.estimator, game)
            self.playout.play_turns(game_after, last_turn)
            self.playout.work += PLAYOUT_COST
            trial.values.append(self.evaluator.evaluate(game_after, self.game.decider))


def _distinct(trials: list[Trial]) -> list[Trial]:
    """Return one trial of each score and value: the others are the same move, such as a symmetric tile turned."""
    by_values = {(round(trial.candidate.score, 9), round(trial.value, 9)): trial for trial in reversed(trials)}
    return [*by_values.values()]


def _best_first(trials: list[Trial]) -> list[Trial]:
    return sorted(trials, key=lambda trial: -trial.value)


class ExpertBot:
    """A bot that searches the moves that `greedy` scores best; `effort` scales its work."""

    name = "expert"
    version = "3"
    description = "Plays out its best moves until its next turn is over, and takes the one with the best result."
    heavy = True

    def __init__(self, weights: Weights, effort: float = 1.0) -> None:
        self._weights, self._effort = weights, effort

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        """Return the best move of the search."""
        moves = state.legal_moves()
        if len(moves) == 1:
            return moves[0]
        return Search(state, rng, self._weights, self._effort).best_candidate(moves).move


BOT: Bot = ExpertBot(load_weights())
