"""The bot `expert`: it plays out its best candidates and takes the one with the best result.

`candidates` scores every move as `greedy` does, a placement together with the islander move after it. `win_evaluation`
estimates the chance to win that the best of them lead to, from the `inputs` of each seat. `Search` repeats that for
fewer and fewer candidates after `playout` has played on until the bot's own next turn is over, with shuffled bags. The
amount of work follows from the game alone, so the same game always gives the same move.

The trained weights of the evaluation, in `weights.json`, which `python -m tools.expert_training` writes.

The inputs of the evaluation: what each seat has between two turns, mostly in points as `greedy` estimates them.

An estimate of a seat's chance to win, from a game between two turns.

Each seat's final points are expected to be those of its ships and a weighted sum of its inputs (`weights`). How far
the final points usually lie from that decides how much a lead is worth.

The candidates of a search: a move, and for a placement the islander move after it.
"""

from functools import cache
from importlib import resources
from itertools import pairwise
from math import exp, fsum
from typing import Final, NamedTuple

import msgspec

from schemas.actions import Action, Pass, PlaceTile
from service.engine import Game, apply_action, copy_game
from service.engine.evaluation import islander_counts, majority_seats
from service.engine.final_scoring import final_score, ship_points, winning_seats
from service.engine.islanders import can_place, can_retrieve, legal_islander_moves
from service.engine.segments import feature_kind
from service.engine.tileset_index import SHIPS, Payment
from service.games.bots.feature_estimates import FeatureEstimator, missing_wares, most_even_payment, pay, turns_left
from service.games.bots.greedy import FeatureBaseline, PlacementEvaluation, score_other_moves, with_tile_placed
from service.games.bots.interface import Bot, GameState
from service.games.bots.playout import Playout
from service.games.tilesets import SeededRNG

DELIVERY_INPUTS = ("first_ship", "second_ship", "near", "next_near")
WARE_INPUTS = ("wares", "kinds", "pairs")
SUPPLY_INPUTS = ("supply", "more_supply")
FEATURE_INPUTS = ("islands", "bridges", "seas", "markets")
INPUT_NAMES = ("turns", *DELIVERY_INPUTS, *WARE_INPUTS, *SUPPLY_INPUTS, *FEATURE_INPUTS)

_FEATURE_OFFSET = INPUT_NAMES.index("islands")

PAID_WARE_COST = 0.6
"""Cost of a paid ware when ships are compared, in points."""

FORECAST_ROUNDS = 2
"""Number of deliveries of each seat that are forecast."""

Display = tuple[int, ...]


class InputCalculator:
    """Computes the inputs of games a few turns ahead of the estimator's."""

    def __init__(self, estimator: FeatureEstimator) -> None:
        self.root = estimator
        self.index = estimator.index
        self._best_deliveries: dict[tuple[Payment, Display], tuple[int, Payment] | None] = {}
        self._nearest_ships: dict[tuple[Payment, Display], list[float]] = {}

    def compute(self, game: Game, turns: list[float]) -> list[list[float]]:
        """Return the inputs of every seat, in the order of INPUT_NAMES; `turns` is what is left to each."""
        estimator = FeatureEstimator(self.index, game, self.root.bag)
        deliveries, stocks = self._forecast_deliveries(game, turns)
        seats = [
            [
                turns[seat],
                *deliveries[seat],
                *[float(sum([min(count, most) for count in stocks[seat]])) for most in (99, 1, 2)],
                float(min(1, player.supply)),
                float(max(0, player.supply - 1)),
                *[0.0] * len(FEATURE_INPUTS),
            ]
            for seat, player in enumerate(game.players)
        ]
        for label in {game.feature_labels[segment] for player in game.players for segment in player.islander_segments}:
            kind, islanders = feature_kind(self.index, game, label), islander_counts(game, label)
            openings = {} if kind == SHIPS else estimator.openings(game, label)
            feature = estimator.unfinished_feature(game, label, kind, openings)
            winners = majority_seats([*islanders])
            for seat, count in enumerate(islanders):
                if count:
                    seats[seat][_FEATURE_OFFSET + kind] += estimator.expected_share(
                        feature, seat, count, wins=seat in winners
                    )
        return seats

    def _forecast_deliveries(self, game: Game, turns: list[float]) -> tuple[list[list[float]], list[Payment]]:
        """Return the delivery inputs of each seat, as if nobody gained a ware any more, and the stocks after them.

        From the seat on turn on, each seat delivers once a turn (R6.1) to the best ship that the others have left.
        """
        seats, display = len(game.players), (*game.display,)
        stocks: list[Payment] = [(player.wares[0], player.wares[1], player.wares[2]) for player in game.players]
        points: list[list[float]] = [[] for _ in stocks]
        for number in range(FORECAST_ROUNDS):
            for step in range(seats):
                seat = (game.seat + step) % seats
                delivery = self._best_delivery(stocks[seat], display) if turns[seat] > number else None
                if delivery is None:
                    points[seat].append(0.0)
                    continue
                ship, stocks[seat] = delivery
                points[seat].append(float(self.index.ships[ship].points))
                display = tuple([other for other in display if other != ship])
        for seat, stock in enumerate(stocks):
            points[seat] += self._nearest(stock, display)
        return points, stocks

    def _nearest(self, stock: Payment, display: Display) -> list[float]:
        """Return the two ships nearest to being payable: their points, halved for each ware that is missing."""
        cached = self._nearest_ships.get((stock, display))
        if cached is None:
            index = self.index
            nearest = sorted(
                [index.ships[ship].points * 0.5 ** missing_wares(index, ship, stock) for ship in display], reverse=True
            )
            cached = self._nearest_ships[stock, display] = [*nearest[:2], *[0.0] * (2 - len(nearest))]
        return cached

    def _best_delivery(self, stock: Payment, display: Display) -> tuple[int, Payment] | None:
        """Return the most profitable ship that a stock pays for, and the stock after it."""
        key = (stock, display)
        if key not in self._best_deliveries:
            index, best, most = self.index, -1, float("-inf")
            for ship in display:
                profit = index.ships[ship].points - PAID_WARE_COST * index.ships[ship].total_wares
                if profit > most and not missing_wares(index, ship, stock):
                    best, most = ship, profit
            self._best_deliveries[key] = None if best < 0 else (best, pay(stock, most_even_payment(index, best, stock)))
        return self._best_deliveries[key]


KNOTS = (0, 1, 3, 7, 14)
"""The numbers of turns left that have weights of their own; between them, weights are interpolated."""

WEIGHTS_FILE = resources.files("service.games.bots").joinpath("weights.json")


class TableWeights(msgspec.Struct):
    """The weights for one number of players: a value for each knot."""

    inputs: dict[str, list[float]]
    """By input, in points."""
    spread: list[float]
    """How far the final points lie from the expected ones: the standard deviation."""


class TrainedWeights(msgspec.Struct):
    """The file."""

    command: str
    """What trained the weights."""
    tileset: str
    date: str
    errors: list[dict[int, list[float]]]
    """For each round and number of players, the mean error of the expected points before and after its fit."""
    tables: dict[int, TableWeights]
    """By the number of players."""


class Weights:
    """The weights at any number of turns left."""

    def __init__(self, trained: TrainedWeights) -> None:
        self._tables = trained.tables
        self._weights: dict[tuple[int, float], list[float]] = {}

    def weights(self, players: int, turns: float) -> list[float]:
        """Return the weights of a player with a number of turns left, in the order of INPUT_NAMES."""
        weights = self._weights.get((players, turns))
        if weights is None:
            by_input, shares = self._tables[players].inputs, knot_shares(turns)
            weights = [sum(share * by_input[name][knot] for knot, share in shares) for name in INPUT_NAMES]
            self._weights[players, turns] = weights
        return weights

    def spread(self, players: int, turns: float) -> float:
        """Return the standard deviation of the final points from the expected ones."""
        spread = self._tables[players].spread
        return sum(share * spread[knot] for knot, share in knot_shares(turns))


def knot_shares(turns: float) -> list[tuple[int, float]]:
    """Return the knots next to a number of turns left, each with its share.

    >>> knot_shares(4), knot_shares(20)
    ([(2, 0.75), (3, 0.25)], [(4, 1.0)])
    """
    for knot, (before, after) in enumerate(pairwise(KNOTS)):
        if turns < after:
            share = (turns - before) / (after - before)
            return [(knot, 1 - share), (knot + 1, share)]
    return [(len(KNOTS) - 1, 1.0)]


def decode_weights(data: bytes) -> Weights:
    """Return the weights of a file's content."""
    return Weights(msgspec.json.decode(data, type=TrainedWeights))


@cache
def load_weights() -> Weights:
    """Return the weights that the service has."""
    return decode_weights(WEIGHTS_FILE.read_bytes())


POINTS_OF_A_WIN: Final = 10.0
LEAD_WEIGHT: Final = 0.5
"""What a certain win, and a point of the lead over the best of the others, count in the value of a game."""

SCALE_OF_SPREAD: Final = 0.78
"""The scale of the logistic choice model (Gumbel) is its standard deviation, multiplied by the root of 6 over pi."""


class WinEvaluator:
    """Evaluates games a few turns ahead of the estimator's."""

    def __init__(self, estimator: FeatureEstimator, weights: Weights) -> None:
        self._index = estimator.index
        self.inputs = InputCalculator(estimator)
        self._weights = weights

    def evaluate(self, game: Game, seat: int) -> float:
        """Return the value of a game for a seat, in points."""
        rivals = [other for other, player in enumerate(game.players) if other != seat and not player.resigned]
        if game.status == "active":
            points, spread = self.expected_points(game)
            lead = points[seat] - max([points[other] for other in rivals])
            scale = SCALE_OF_SPREAD * spread
            win = 1 / (1 + fsum([exp((points[other] - points[seat]) / scale) for other in rivals]))
        else:
            winners = winning_seats(self._index, game)
            totals = [final_score(self._index, game, other).total for other in range(len(game.players))]
            lead = float(totals[seat] - max([totals[other] for other in rivals]))
            win = (seat in winners) / len(winners)
        return POINTS_OF_A_WIN * win + LEAD_WEIGHT * lead

    def expected_points(self, game: Game) -> tuple[list[float], float]:
        """Return the expected final points of every seat, and how far the final ones may lie from them."""
        players = len(game.players)
        turns = turns_of_seats(game)
        points = []
        for seat, inputs in enumerate(self.inputs.compute(game, turns)):
            weights = self._weights.weights(players, turns[seat])
            expected = float(ship_points(self._index, game.players[seat]))
            for weight, value in zip(weights, inputs, strict=True):
                expected += weight * value
            points.append(expected)
        return points, self._weights.spread(players, turns[game.seat])


def turns_of_seats(game: Game) -> list[float]:
    """Return how many turns are left to each seat, between two turns; the next tile is drawn already."""
    return [turns_left(game, seat) + (seat == game.seat) for seat in range(len(game.players))]


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
