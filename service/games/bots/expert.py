"""The bot `expert`: it plays out its best candidates and takes the one with the best result.

`rank_candidates` scores every move as `greedy` does, a placement together with the islander move after it.
`WinEvaluator` estimates the chance to win that the best of them lead to: each seat's final points are expected to be
those of its ships and of what it has between two turns, and how far the final points usually lie from that decides how
much a lead is worth. `Search` repeats that for fewer and fewer candidates after `Playout` has played on until the bot's
own next turn is over, with shuffled bags. The amount of work follows from the game alone, so the same game always gives
the same move.
"""

from math import exp, fsum, sqrt
from typing import Final, NamedTuple

from msgspec.structs import replace

from schemas.actions import Action, Pass, PlaceTile
from service.engine import Game, apply_action, copy_game, legal_moves
from service.engine.evaluation import islander_counts, majority_seats
from service.engine.final_scoring import WARES_PER_POINT, final_score, ship_points, winning_seats
from service.engine.islanders import can_place, can_retrieve, legal_islander_moves
from service.engine.placement import legal_placements
from service.engine.segments import feature_kind
from service.engine.tileset_index import CELL_BITS, COORDINATE_LIMIT, SHIPS, SIDE_OFFSETS, Payment, pack_cell
from service.games.bots.feature_estimates import FeatureEstimator, missing_wares, most_even_payment, pay, turns_left
from service.games.bots.greedy import FeatureBaseline, PlacementEvaluation, score_other_moves, with_tile_placed
from service.games.bots.interface import Bot, GameState
from service.games.tilesets import SeededRNG

TURN_VALUE: Final = 0.5
"""Points that a turn left to a seat brings, beside those of what it has."""
DELIVERY_WEIGHT: Final = 0.9
"""Weight of a ship that a seat can pay for: less than 1, or `expert` would never deliver."""
WARE_VALUE: Final = 0.55
"""Value of a ware, early in the game; it falls to a third at the end (R7.3)."""
FIRST_ISLANDER_VALUE: Final = 2.0
"""Value of the first islander in supply, early in the game; it falls to nothing at the end."""
ISLANDER_VALUE: Final = 0.3
"""Value of each further islander in supply, likewise."""
HORIZON: Final = 8.0
"""Number of turns left from which on wares and islanders have their full value."""
FEATURE_WEIGHT: Final = 0.85
"""Weight of what islands, bridges and seas are expected to bring."""
MARKET_WEIGHT: Final = 0.3
"""Weight of what markets are expected to bring: they often stay incomplete."""
LAST_VARIANCE: Final = 0.25
TURN_VARIANCE: Final = 2.4
"""How far the final points lie from the expected ones at the end, and for each turn left, in square points."""

PAID_WARE_COST: Final = 0.6
"""Cost of a paid ware when ships are compared, in points."""

FORECAST_ROUNDS: Final = 2
"""Number of deliveries of each seat that are forecast."""

POINTS_OF_A_WIN: Final = 10.0
LEAD_WEIGHT: Final = 0.5
"""What a certain win, and a point of the lead over the best of the others, count in the value of a game."""

SCALE_OF_SPREAD: Final = 0.78
"""The scale of the logistic choice model (Gumbel) is its standard deviation, multiplied by the root of 6 over pi."""

Display = tuple[int, ...]


class WinEvaluator:
    """Evaluates games between two turns, a few turns ahead of the estimator's."""

    def __init__(self, estimator: FeatureEstimator) -> None:
        self.root = estimator
        self.index = estimator.index
        self._best_deliveries: dict[tuple[Payment, Display], tuple[int, Payment] | None] = {}

    def evaluate(self, game: Game, seat: int) -> float:
        """Return the value of a game for a seat, in points."""
        rivals = [other for other, player in enumerate(game.players) if other != seat and not player.resigned]
        if game.status == "active":
            turns = turns_of_seats(game)
            points = self.expected_points(game, turns)
            lead = points[seat] - max([points[other] for other in rivals])
            scale = SCALE_OF_SPREAD * sqrt(LAST_VARIANCE + TURN_VARIANCE * turns[game.seat])
            win = 1 / (1 + fsum([exp((points[other] - points[seat]) / scale) for other in rivals]))
        else:
            winners = winning_seats(self.index, game)
            totals = [final_score(self.index, game, other).total for other in range(len(game.players))]
            lead = float(totals[seat] - max([totals[other] for other in rivals]))
            win = (seat in winners) / len(winners)
        return POINTS_OF_A_WIN * win + LEAD_WEIGHT * lead

    def expected_points(self, game: Game, turns: list[float]) -> list[float]:
        """Return the expected final points of every seat; `turns` is what is left to each."""
        points, stocks = self.forecast_deliveries(game, turns)
        islands = self.expected_yields(game)
        expected = []
        for seat, player in enumerate(game.players):
            early = min(1.0, turns[seat] / HORIZON)
            ware = 1 / WARES_PER_POINT + (WARE_VALUE - 1 / WARES_PER_POINT) * early
            supply = FIRST_ISLANDER_VALUE + ISLANDER_VALUE * (player.supply - 1) if player.supply else 0.0
            expected.append(
                ship_points(self.index, player)
                + TURN_VALUE * turns[seat]
                + DELIVERY_WEIGHT * points[seat]
                + ware * sum(stocks[seat])
                + supply * early
                + islands[seat]
            )
        return expected

    def expected_yields(self, game: Game) -> list[float]:
        """Return what the features on which each seat has islanders are expected to bring it, in weighted points."""
        estimator = FeatureEstimator(self.index, game, self.root.bag)
        yields = [0.0] * len(game.players)
        for label in {game.feature_labels[segment] for player in game.players for segment in player.islander_segments}:
            kind, islanders = feature_kind(self.index, game, label), islander_counts(game, label)
            openings = {} if kind == SHIPS else estimator.openings(game, label)
            feature = estimator.unfinished_feature(game, label, kind, openings)
            winners = majority_seats([*islanders])
            weight = MARKET_WEIGHT if kind == SHIPS else FEATURE_WEIGHT
            for seat, count in enumerate(islanders):
                if count:
                    yields[seat] += weight * estimator.expected_share(feature, seat, count, wins=seat in winners)
        return yields

    def forecast_deliveries(self, game: Game, turns: list[float]) -> tuple[list[int], list[Payment]]:
        """Return the points of each seat's deliveries, as if nobody gained a ware any more, and the stocks after them.

        From the seat on turn on, each seat delivers once a turn (R6.1) to the best ship that the others have left.
        """
        seats, display = len(game.players), (*game.display,)
        stocks: list[Payment] = [(player.wares[0], player.wares[1], player.wares[2]) for player in game.players]
        points = [0] * seats
        for number in range(FORECAST_ROUNDS):
            for step in range(seats):
                seat = (game.seat + step) % seats
                delivery = self._best_delivery(stocks[seat], display) if turns[seat] > number else None
                if delivery is not None:
                    ship, stocks[seat] = delivery
                    points[seat] += self.index.ships[ship].points
                    display = tuple([other for other in display if other != ship])
        return points, stocks

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


MAX_CACHED_PLACEMENTS = 5
"""Number of the best placements on the root's board that are compared for each tile."""

TURN_COST = 6
"""Fixed work of a turn, in scored placements."""

DECISION_COST = 3
"""Work of a decision about a ship, in scored placements."""

PlacementKey = tuple[int, ...]
"""A seat, its supply, a placement, and the state of the features that it joins."""


class Playout:
    """Plays out games a few turns ahead of the estimator's, the root, about as `greedy` chooses.

    The gain of a placement follows almost entirely from the features that it joins. So a placement is scored once for
    each state of these, with the wares and the bag of that moment. Only promising placements are scored: the best ones
    on the root's board, and those on cells that changed since.
    """

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
        rotations_by_edges = self.index.fitting_rotations[game.tile]
        frontier, root_frontier = game.frontier, self.root.frontier
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
    """The search for the best move of one game state."""

    def __init__(self, state: GameState, rng: SeededRNG) -> None:
        self.index, self.game = state
        self.rng = rng
        self.estimator = FeatureEstimator(self.index, self.game)
        self.evaluator = WinEvaluator(self.estimator)
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
                trials = self._run_playouts(trials[:number], work)
        return trials[0].candidate

    def _run_playouts(self, trials: list[Trial], work: int) -> list[Trial]:
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
    """A bot that searches the moves that `greedy` scores best."""

    name = "expert"
    version = "4"
    description = "Plays out its best moves until its next turn is over, and takes the one with the best result."
    heavy = True

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        """Return the best move of the search."""
        moves = state.legal_moves()
        if len(moves) == 1:
            return moves[0]
        return Search(state, rng).best_candidate(moves).move


BOT: Bot = ExpertBot()
