"""The bot `expert`: its strength, its playouts and its work."""

import pytest

from schemas.actions import PlaceTile
from service.engine import copy_game, legal_moves
from service.engine.tileset_index import unpack_cell
from service.games.bots import expert, greedy, random
from service.games.bots.expert import ROUNDS, Search
from service.games.bots.expert.inputs import INPUT_NAMES, InputCalculator
from service.games.bots.expert.playout import Playout
from service.games.bots.greedy.feature_estimates import FeatureEstimator
from service.games.bots.greedy.move_scores import score_moves
from service.games.bots.runner import redact
from tests.games.bots.bot_games import LAGOON, act_once, play_to_end, start_game
from tests.rules.board_parser import BOARDS
from tests.rules.rules_game import Table


def test_it_beats_random_by_far() -> None:
    service, others = play_to_end(start_game("far"), [expert.BOT, random.BOT])
    assert service > others + 30


@pytest.mark.parametrize("turns", (7, 20, 41))
def test_a_playout_places_as_greedy_would(turns: int) -> None:
    game = start_game("answers")
    while game.turn_number < turns or game.phase != "place_tile":
        act_once(game, greedy.BOT)
    ahead = copy_game(game)
    Playout(FeatureEstimator(LAGOON, game)).play_turns(ahead, game.turn_number)
    placed = PlaceTile(*unpack_cell(ahead.cells[len(game.cells)]), ahead.oriented_tiles[len(game.cells)] & 3)
    moves, worths = score_moves(LAGOON, game)
    assert worths[moves.index(placed)] == pytest.approx(max(worths))


def test_islanders_in_a_minority_are_behind() -> None:
    table = Table(BOARDS["open island"])
    table.play("island", None, "island", "island", None)
    inputs = InputCalculator(FeatureEstimator(table.index, table.game)).compute(table.game, 2.0)
    red, blue = (dict(zip(INPUT_NAMES, one, strict=True)) for one in inputs)
    assert (red["away"], red["behind"], red["behind_soon"], red["island_symbols"]) == (2, 0, 0, 3)
    assert (blue["away"], blue["behind"], blue["island_symbols"]) == (1, 1, 0)
    assert blue["behind_soon"] == blue["return_soon"] > 0


@pytest.mark.parametrize("turns", (2, 30, 71))
def test_a_decision_stays_near_its_work_limit(turns: int) -> None:
    game = start_game("work")
    while game.turn_number < turns or len(legal_moves(LAGOON, game)) == 1:
        act_once(game, greedy.BOT)
    state, rng = redact(expert.BOT, LAGOON, game)
    search = Search(state, rng)
    search.best_candidate(state.legal_moves())
    assert search.playout.work < 1.25 * ROUNDS[game.phase][-1][1]
