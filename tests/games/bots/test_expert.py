"""The bot `expert`: its strength, its playouts and its work."""

import pytest

from schemas.actions import Deliver, PlaceTile
from service.engine import copy_game, legal_moves
from service.engine.tileset_index import unpack_cell
from service.games.bots import expert, greedy, random
from service.games.bots.expert import ROUNDS, Playout, Search, WinEvaluator
from service.games.bots.feature_estimates import FeatureEstimator
from service.games.bots.greedy import score_moves
from service.games.bots.registry import redact, run_bot
from tests.games.bots.bot_games import LAGOON, act_once, play_to_end, start_game
from tests.rules.board_parser import BOARDS
from tests.rules.rules_game import BLUE, RED, Table, ship

TWO_SHIPS = (ship("five", 5, choice=4), ship("three", 3, choice=3))


def forecast(table: Table, turns: float) -> tuple[list[int], list[int]]:
    """Return the points of both seats' deliveries when each has so many turns left, and the wares after them."""
    evaluator = WinEvaluator(FeatureEstimator(table.index, table.game))
    points, stocks = evaluator.forecast_deliveries(table.game, [turns, turns])
    return points, [*map(sum, stocks)]


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


def test_islanders_in_a_minority_win_no_wares() -> None:
    table = Table(BOARDS["open island"])
    table.play("island", None, "island", "island", None)
    red, blue = WinEvaluator(FeatureEstimator(table.index, table.game)).expected_yields(table.game)
    assert red > blue > 0  # blue's islander comes home


@pytest.mark.parametrize(("turns", "points"), ((3.0, 8), (1.0, 5), (0.0, 0)))
def test_one_delivery_is_forecast_for_each_turn_that_is_left(turns: float, points: int) -> None:
    table = Table(BOARDS["sea and island"], ships=TWO_SHIPS)
    table.give(RED, fish=8)
    assert forecast(table, turns)[0] == [points, 0]


def test_a_ship_goes_to_the_rival_who_comes_first() -> None:
    table = Table(BOARDS["sea and island"], ships=TWO_SHIPS, first=BLUE)
    table.give(RED, fish=4)
    table.give(BLUE, bananas=4)
    assert forecast(table, 2.0)[0] == [3, 5]


def test_wares_count_once_the_ships_that_they_pay_for_are_gone() -> None:
    table = Table(BOARDS["sea and island"], ships=TWO_SHIPS)
    table.give(RED, fish=4, shells=1)
    assert forecast(table, 2.0) == ([5, 0], [1, 0])


@pytest.mark.parametrize(("turns", "wares"), ((0.0, 1.0), (8.0, 1.65)))
def test_wares_and_islanders_are_worth_less_at_the_end(turns: float, wares: float) -> None:
    table = Table(BOARDS["sea and island"], ships=TWO_SHIPS[:1])
    evaluator = WinEvaluator(FeatureEstimator(table.index, table.game))
    before = evaluator.expected_points(table.game, [turns, turns])
    assert before == pytest.approx([turns * 0.5 + (2.9 if turns else 0)] * 2)
    table.give(RED, fish=3)
    after = evaluator.expected_points(table.game, [turns, turns])
    assert after[RED] - before[RED] == pytest.approx(wares)


def test_it_delivers_where_greedy_would() -> None:
    game = start_game("deliveries", players=5)
    deliveries = 0
    while deliveries < 5:
        if game.phase == "deliver" and isinstance(run_bot(greedy.BOT, LAGOON, game), Deliver):
            assert isinstance(run_bot(expert.BOT, LAGOON, game), Deliver)
            deliveries += 1
        act_once(game, greedy.BOT)


@pytest.mark.parametrize("turns", (2, 30, 71))
def test_a_decision_stays_near_its_work_limit(turns: int) -> None:
    game = start_game("work")
    while game.turn_number < turns or len(legal_moves(LAGOON, game)) == 1:
        act_once(game, greedy.BOT)
    state, rng = redact(expert.BOT, LAGOON, game)
    search = Search(state, rng)
    search.best_candidate(state.legal_moves())
    assert search.playout.work < 1.25 * ROUNDS[game.phase][-1][1]
