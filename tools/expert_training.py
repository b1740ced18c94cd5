"""Train the bot `expert`: `python -m tools.expert_training --seed 1`.

Every round plays games of 2 to 5 players in both editions, and fits the weights of the evaluation to them: a linear
regression of each seat's final points on its inputs after every turn. The first round plays as `greedy` does, the
others with the weights of the round before, most seats by `expert`, by default without playouts, and the others by
`greedy`; some moves are random, so that the weights hold where good players seldom come. Every round ends with
`weights.json` written. The same command goes on after its last finished round.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.bots import DEFAULT_TILESET_FILE, load_tileset_index, play_all
from benchmarks.sample_games import new_game
from schemas.vocabulary import Edition
from service.engine import Game, TileSetIndex, apply_action, is_finished, legal_moves
from service.engine.final_scoring import final_score, ship_points
from service.games.bots import greedy
from service.games.bots.expert import (
    INPUT_NAMES,
    KNOTS,
    WEIGHTS_FILE,
    ExpertBot,
    TableWeights,
    TrainedWeights,
    Weights,
    WinEvaluator,
    decode_weights,
    knot_shares,
    turns_of_seats,
)
from service.games.bots.feature_estimates import FeatureEstimator
from service.games.bots.interface import Bot
from service.games.bots.registry import run_bot
from service.games.tilesets import SeededRNG, first_seat

PLAYERS = (2, 3, 4, 5)
EDITIONS: Sequence[Edition] = ("international", "german")

GREEDY_PERCENT = 25
"""Percentage of the seats that `greedy` plays, after the first round."""

RANDOM_PERCENT = 10
"""Percentage of the moves that are random: without them, only good players would have what good players have."""

INERTIA = 0.02
INERTIA_ROWS = 50
"""How much a fit prefers the weights that it starts from: as a share of the rows, and as a number of them."""

FIRST_WEIGHTS = {
    "turns": 0.3,
    "first_ship": 0.9,
    "second_ship": 0.8,
    "near": 0.3,
    "next_near": 0.1,
    "wares": 0.5,
    "supply": 1.0,
    "more_supply": 0.5,
    "islands": 0.8,
    "bridges": 0.8,
    "seas": 0.8,
    "markets": 0.5,
}
"""What the first round starts from, at all knots; inputs that are not here start from 0."""

FIRST_SPREAD = 5.0

MAX_SHIP_WEIGHT = 0.95
"""A ship that a stock pays for is worth less than one that is won, or `expert` would never deliver. The games alone do
not tell: good players deliver, and what they still have then is a second ship's wares."""

SMALLEST_SPREAD = 0.5


class Fixture(NamedTuple):
    """A game to train on."""

    tileset: Path
    weights: bytes
    effort: float
    greedy_percent: int
    """Of the seats."""
    seed: str
    players: int
    edition: Edition


class Sums:
    """The sums over rows that a linear regression needs, for inputs that are interpolated between knots."""

    def __init__(self) -> None:
        size = len(INPUT_NAMES) * len(KNOTS)
        self.rows = 0
        self.products = [[0.0] * size for _ in range(size)]
        self.moments = [0.0] * size
        self.squares = 0.0

    def add_row(self, inputs: Sequence[float], turns: float, target: float) -> None:
        """Add a row."""
        shares = knot_shares(turns)
        row = [
            (number * len(KNOTS) + knot, share * value)
            for number, value in enumerate(inputs)
            if value
            for knot, share in shares
        ]
        self.rows += 1
        self.squares += target * target
        for column, value in row:
            self.moments[column] += value * target
            products = self.products[column]
            for other, factor in row:
                products[other] += value * factor

    def add(self, others: "Sums") -> None:
        """Add the sums of other rows."""
        self.rows += others.rows
        self.squares += others.squares
        self.moments = [one + other for one, other in zip(self.moments, others.moments, strict=True)]
        for row, products in zip(self.products, others.products, strict=True):
            row[:] = [one + other for one, other in zip(row, products, strict=True)]

    def squared_error(self, weights: Sequence[float]) -> float:
        """Return the sum of the squared errors of a prediction with these weights."""
        fitted = sum(
            weight * (sum(map(float.__mul__, products, weights)) - 2 * moment)
            for weight, products, moment in zip(weights, self.products, self.moments, strict=True)
        )
        return self.squares + fitted

    def fit(self, start: Sequence[float]) -> list[float]:
        """Return the weights with the smallest error, near `start` where the rows do not tell (ridge regression)."""
        penalties = [INERTIA_ROWS + INERTIA * self.products[column][column] for column in range(len(start))]
        rows = [[*products] for products in self.products]
        for column, penalty in enumerate(penalties):
            rows[column][column] += penalty
        return _solve(
            rows,
            [moment + penalty * weight for moment, penalty, weight in zip(self.moments, penalties, start, strict=True)],
        )


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve a system of linear equations whose matrix is positive definite; both arguments are overwritten."""
    size = len(right)
    for column in range(size):
        pivot = matrix[column]
        for number in range(column + 1, size):
            row = matrix[number]
            if row[column]:
                factor = row[column] / pivot[column]
                row[column:] = [one - factor * other for one, other in zip(row[column:], pivot[column:], strict=True)]
                right[number] -= factor * right[column]
    solution = [0.0] * size
    for column in reversed(range(size)):
        known = sum(map(float.__mul__, matrix[column][column + 1 :], solution[column + 1 :]))
        solution[column] = (right[column] - known) / matrix[column][column]
    return solution


class Evidence:
    """What games with the same number of players tell."""

    def __init__(self) -> None:
        self.sums = Sums()
        self.rows = [0.0] * len(KNOTS)
        self.squared_errors = [0.0] * len(KNOTS)
        """Of the weights that the games were played with, shared among the knots."""

    def add_turn(self, observed: "Observation", totals: Sequence[int]) -> None:
        """Add the seats of a game between two turns."""
        for seat, total in enumerate(totals):
            turns = observed.turns[seat]
            self.sums.add_row(observed.inputs[seat], turns, total - observed.ship_points[seat])
            for knot, share in knot_shares(turns):
                self.rows[knot] += share
                self.squared_errors[knot] += share * (total - observed.expected[seat]) ** 2

    def add(self, other: "Evidence") -> None:
        """Add other games."""
        self.sums.add(other.sums)
        self.rows = [*map(float.__add__, self.rows, other.rows)]
        self.squared_errors = [*map(float.__add__, self.squared_errors, other.squared_errors)]

    def fit(self, start: TableWeights) -> tuple[TableWeights, float, float]:
        """Return the fitted weights, and the mean error of the points before and after the fit."""
        weights = self.sums.fit([weight for name in INPUT_NAMES for weight in start.inputs[name]])
        before = sqrt(sum(self.squared_errors) / self.sums.rows)
        after = sqrt(self.sums.squared_error(weights) / self.sums.rows)
        spread = [
            max(SMALLEST_SPREAD, sqrt(error / max(1.0, number)) * after / before)
            for error, number in zip(self.squared_errors, self.rows, strict=True)
        ]
        return TableWeights(_by_input(weights), _rounded(spread)), before, after


class Observation(NamedTuple):
    """A game between two turns; the lists are by seat."""

    turns: list[float]
    inputs: list[list[float]]
    ship_points: list[int]
    expected: list[float]
    """Final points, by the weights that the game is played with."""


def play(fixture: Fixture) -> tuple[int, Evidence]:
    """Play a game, and return its number of players and what it tells."""
    index, weights = load_tileset_index(fixture.tileset), decode_weights(fixture.weights)
    expert, chance = ExpertBot(weights, fixture.effort), SeededRNG(fixture.seed, 0)
    seats = range(fixture.players)
    bots: list[Bot] = [greedy.BOT if chance.below(100) < fixture.greedy_percent else expert for _ in seats]
    first = first_seat(fixture.seed, fixture.players)
    game = new_game(index, fixture.seed, fixture.players, first=first, edition=fixture.edition)
    observations = []
    while not is_finished(game):
        turn = game.turn_number
        if chance.below(100) < RANDOM_PERCENT:
            moves = legal_moves(index, game)
            action = moves[chance.below(len(moves))]
        else:
            action = run_bot(bots[game.decider], index, game)
        apply_action(index, game, action)
        game.version += 1
        if game.turn_number > turn and not is_finished(game):
            observations.append(_observe(index, game, weights))
    totals = [final_score(index, game, seat).total for seat in seats]
    evidence = Evidence()
    for observed in observations:
        evidence.add_turn(observed, totals)
    return fixture.players, evidence


def _observe(index: TileSetIndex, game: Game, weights: Weights) -> Observation:
    evaluator, turns = WinEvaluator(FeatureEstimator(index, game), weights), turns_of_seats(game)
    return Observation(
        turns,
        evaluator.inputs.compute(game, turns),
        [ship_points(index, player) for player in game.players],
        evaluator.expected_points(game)[0],
    )


def train(options: argparse.Namespace) -> None:
    """Play and fit, round by round, and write the weights after each."""
    trained = _resumed(options)
    errors = trained.errors
    for number in range(len(errors), options.rounds):
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        by_players = {players: Evidence() for players in PLAYERS}
        for players, evidence in play_all(play, _fixtures(options, number, trained), options.workers):
            by_players[players].add(evidence)
        fits = {players: evidence.fit(trained.tables[players]) for players, evidence in by_players.items()}
        trained.tables = {players: table for players, (table, _, _) in fits.items()}
        errors.append({players: _rounded([before, after]) for players, (_, before, after) in fits.items()})
        trained.date = datetime.now(UTC).date().isoformat()
        print(f"error of the points before and after the fit, by players: {errors[-1]}", file=sys.stderr)
        options.output.write_bytes(encode_weights(trained))


def _resumed(options: argparse.Namespace) -> TrainedWeights:
    """Return the weights of the same training, or those that a new one starts from."""
    command = (
        f"python -m tools.expert_training --seed {options.seed} --games {options.games} --rounds {options.rounds} "
        f"--effort {options.effort:g}"
    )
    tileset = load_tileset_index(options.tileset).tileset.id
    if options.output.exists():
        found = msgspec.json.decode(options.output.read_bytes(), type=TrainedWeights)
        if (found.command, found.tileset) == (command, tileset):
            return found
    inputs = {name: [FIRST_WEIGHTS.get(name, 0.0)] * len(KNOTS) for name in INPUT_NAMES}
    tables = {players: TableWeights(inputs, [FIRST_SPREAD] * len(KNOTS)) for players in PLAYERS}
    return TrainedWeights(command, tileset, "", [], tables)


def _fixtures(options: argparse.Namespace, number: int, trained: TrainedWeights) -> Iterator[Fixture]:
    """Yield the games of a round, in an order in which their lengths mix."""
    weights, greedy_percent = msgspec.json.encode(trained), GREEDY_PERCENT if number else 100
    for game in range(options.games):
        for players in PLAYERS:
            seed = f"{options.seed}.{number}.{players}.{game}"
            edition = EDITIONS[game % len(EDITIONS)]
            yield Fixture(options.tileset, weights, options.effort, greedy_percent, seed, players, edition)


def _by_input(weights: Sequence[float]) -> dict[str, list[float]]:
    """Return the weights at every knot by input, those of payable ships limited."""
    size = len(KNOTS)
    by_input = {name: _rounded(weights[number * size :][:size]) for number, name in enumerate(INPUT_NAMES)}
    for name in ("first_ship", "second_ship"):
        by_input[name] = [min(MAX_SHIP_WEIGHT, max(0.0, weight)) for weight in by_input[name]]
    return by_input


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, 3) for value in values]


def encode_weights(trained: TrainedWeights) -> bytes:
    """Return the content of the file, with an input a line."""
    encoded = msgspec.json.encode(trained)
    return encoded.replace(b'],"', b'],\n"').replace(b'{"', b'{\n"') + b"\n"


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.expert_training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", default="1", help="the seed of all games (1)")
    parser.add_argument("--games", type=int, default=100, help="games of a round, for each number of players (100)")
    parser.add_argument("--rounds", type=int, default=4, help="rounds of games and fits (4)")
    parser.add_argument("--effort", type=float, default=0.0, help="the work of playouts, 1 being that of `expert` (0)")
    parser.add_argument("--workers", type=int, default=1, help="processes that share the work (1)")
    parser.add_argument("--tileset", type=Path, default=DEFAULT_TILESET_FILE, help="a tile set's file")
    parser.add_argument("--output", type=Path, default=Path(str(WEIGHTS_FILE)), help="the file to write")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train."""
    train(_options(arguments))


if __name__ == "__main__":
    main()
