"""What the bots make of some positions, as stored in decisions.json.

After a change that is meant to change decisions, raise the version of each bot whose decisions differ, and write the
file anew with: python -m tests.games.bots.reference_decisions.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random

import msgspec

from schemas.vocabulary import Edition
from service.engine import Game, copy_game, is_finished, legal_moves, move_id
from service.games.bots import expert, greedy, random
from service.games.bots.expert import Playout, WinEvaluator, rank_candidates, turns_of_seats
from service.games.bots.feature_estimates import FeatureEstimator
from service.games.bots.greedy import score_moves
from service.games.bots.registry import run_bot
from tests.games.bots.fake_bots import LAGOON, act_once, start_game

FILE = Path(__file__).with_name("decisions.json")

GAMES: Sequence[tuple[int, Edition]] = (
    (2, "international"),
    (2, "german"),
    (3, "international"),
    (4, "german"),
    (5, "international"),
)
"""Players and edition of each game."""

TURNS_BETWEEN_POSITIONS = 12
TURNS_BETWEEN_SEARCHES = 48


class Assessment(msgspec.Struct):
    """What the bots make of one position."""

    decisions: dict[str, str]
    """The moves of the bots, and the digest of the board after a playout."""
    figures: list[float]
    """Weighted sums of scores, inputs and expected leads: a change of any one of them changes its sum."""


def assess_game(number: int) -> dict[str, Assessment]:
    """Play a game, and assess some of its positions, the last ones among them."""
    return {f"{game.turn_number}.{game.phase}": _assess(game) for game in _positions(number)}


def bot_versions() -> dict[str, str]:
    """Return the version of each bot."""
    return {bot.name: bot.version for bot in (random.BOT, greedy.BOT, expert.BOT)}


def _positions(number: int) -> Iterator[Game]:
    players, edition = GAMES[number]
    chance, game = Random(number), start_game(f"reference {number}", players, edition)
    while not is_finished(game):
        is_chosen = game.turn_number % TURNS_BETWEEN_POSITIONS == number or game.phase == "take_ship" or not game.bag
        if is_chosen and len(legal_moves(LAGOON, game)) > 1:
            yield game
        act_once(game, random.BOT if chance.random() < 0.2 else greedy.BOT)


def _assess(game: Game) -> Assessment:
    estimator = FeatureEstimator(LAGOON, game)
    playout, ahead, seats = Playout(estimator), copy_game(game), range(len(game.players))
    playout.play_turns(ahead, game.turn_number + 2)
    bots = [random.BOT, greedy.BOT]
    if game.turn_number % TURNS_BETWEEN_SEARCHES < TURNS_BETWEEN_POSITIONS:
        bots.append(expert.BOT)
    decisions = {bot.name: move_id(run_bot(bot, LAGOON, game)) for bot in bots}
    evaluator = WinEvaluator(estimator)
    return Assessment(
        {**decisions, "playout": _digest_board(ahead)},
        [
            _weighted_sum(score_moves(LAGOON, game)[1]),
            _weighted_sum([one.score for one in rank_candidates(estimator, legal_moves(LAGOON, game))]),
            _weighted_sum(evaluator.expected_yields(ahead)),
            _weighted_sum(evaluator.expected_points(ahead, turns_of_seats(ahead))),
            *(round(evaluator.evaluate(state, seat), 6) for state in (game, ahead) for seat in seats),
            playout.work,
        ],
    )


def _digest_board(game: Game) -> str:
    players = [(player.wares, player.ships, player.islander_segments) for player in game.players]
    return sha256(repr((game.cells, game.oriented_tiles, players)).encode()).hexdigest()[:16]


def _weighted_sum(values: Sequence[float]) -> float:
    return round(sum(weight * value for weight, value in enumerate(values, 1)), 6)


class Reference(msgspec.Struct):
    """The stored file."""

    versions: dict[str, str]
    games: list[dict[str, Assessment]]


def read_reference() -> Reference:
    """Read the stored file."""
    return msgspec.json.decode(FILE.read_bytes(), type=Reference)


if __name__ == "__main__":
    reference = Reference(bot_versions(), [assess_game(number) for number in range(len(GAMES))])
    FILE.write_bytes(msgspec.json.encode(reference).replace(b'},"', b'},\n"') + b"\n")
