"""The bot `expert`: it plays out its best candidates and takes the one with the best result.

`candidates` scores every move as `greedy` does, a placement together with the islander move after it. `lead_evaluation`
estimates the final lead that the best of them lead to, from the `inputs` of each seat. `Search` repeats that for fewer
and fewer candidates after `playout` has played two more turns, with shuffled bags. The amount of work follows from the
game alone, so the same game always gives the same move.
"""

from math import fsum
from typing import NamedTuple

from schemas.actions import Action
from service.engine import Game, copy_game
from service.games.bots.expert.candidates import Candidate, rank_candidates
from service.games.bots.expert.lead_evaluation import LeadEvaluator
from service.games.bots.expert.playout import Playout
from service.games.bots.greedy.feature_estimates import FeatureEstimator
from service.games.bots.interface import Bot, GameState, SeededRNG

SCORE_WEIGHT = 0.27
LEAD_WEIGHT = 0.7
"""Weights of a candidate's greedy score and of its evaluated lead, as each of them errs."""

SCORE_MARGIN = 2.5
"""Candidates whose score is this much below the best are not evaluated."""

MAX_CANDIDATES = 16
"""Number of candidates that are evaluated without a playout."""


ROUNDS = {
    "place_tile": ((5, 1800), (3, 3000), (2, 4000)),
    "islander": ((3, 500), (2, 700)),
    "deliver": ((4, 650), (2, 900)),
    "take_ship": ((4, 400),),
}
"""Each phase's rounds of playouts: the number of candidates, and the total work, in scored placements, at their end."""

PLAYOUT_COST = 5
"""Fixed work of a playout, in scored placements."""

PLAYOUT_TURNS = 2
"""Number of turns that a playout adds to the current one."""


class Trial(NamedTuple):
    """A candidate and its evaluated leads: without a playout, then after each playout."""

    candidate: Candidate
    leads: list[float]

    @property
    def value(self) -> float:
        """Return the candidate's combined value, in points."""
        leads = self.leads[1:] or self.leads
        return SCORE_WEIGHT * self.candidate.score + LEAD_WEIGHT * fsum(leads) / len(leads)


class Search:
    """The search for the best move of one game state."""

    def __init__(self, state: GameState, rng: SeededRNG) -> None:
        self.index, self.game = state
        self.rng = rng
        self.estimator = FeatureEstimator(self.index, self.game)
        self.lead_evaluator = LeadEvaluator(self.estimator)
        self.playout = Playout(self.estimator)

    def best_candidate(self, moves: list[Action]) -> Candidate:
        """Return the candidate with the highest value."""
        candidates = rank_candidates(self.estimator, moves)
        threshold = candidates[0].score - SCORE_MARGIN
        trials = [Trial(candidate, []) for candidate in candidates[:MAX_CANDIDATES] if candidate.score >= threshold]
        if len(trials) > 1:
            self._evaluate(trials, self.game, turns=0)
            trials = _best_first(trials)
            for number, work in ROUNDS[self.game.phase]:
                trials = self._run_playouts(trials[:number], work)
        return trials[0].candidate

    def _run_playouts(self, trials: list[Trial], work: int) -> list[Trial]:
        """Play out the candidates with shuffled bags, the same for each, until the work is done."""
        while self.playout.work < work:
            game = copy_game(self.game)
            self.rng.shuffle(game.bag)
            self.rng.shuffle(game.ship_pile)
            self._evaluate(trials, game, turns=PLAYOUT_TURNS)
        return _best_first(trials)

    def _evaluate(self, trials: list[Trial], game: Game, turns: int) -> None:
        """Play each candidate, the rest of the turn and `turns` more, and record the lead."""
        last_mover = (game.seat + turns) % len(game.players)
        for trial in trials:
            game_after = trial.candidate.apply_to(self.estimator, game)
            self.playout.play_turns(game_after, game.turn_number + turns)
            self.playout.work += PLAYOUT_COST
            trial.leads.append(self.lead_evaluator.estimate_lead(game_after, self.game.decider, last_mover))


def _best_first(trials: list[Trial]) -> list[Trial]:
    return sorted(trials, key=lambda trial: -trial.value)


class ExpertBot:
    """A bot that searches the moves that `greedy` scores best."""

    name = "expert"
    version = "1"
    description = "Plays out its best moves for two more turns, and takes the one with the best result."
    heavy = True

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        """Return the best move of the search."""
        moves = state.legal_moves()
        return moves[0] if len(moves) == 1 else Search(state, rng).best_candidate(moves).move


BOT: Bot = ExpertBot()
