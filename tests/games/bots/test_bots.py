"""The bots: their strength, payments, work and versions; none can infer the order of the bag and the pile."""

from collections import Counter
from random import Random

import pytest

from schemas.actions import Deliver, PlaceTile
from service.engine import Game, copy_game, encode_snapshot, is_finished, legal_moves, move_id
from service.engine.tileset_index import SIDE_OFFSETS, unpack_cell
from service.games.bots import expert, greedy, random
from service.games.bots.expert import ROUNDS, Playout, Search, WinEvaluator
from service.games.bots.feature_estimates import FeatureEstimator, build_tile_fit
from service.games.bots.greedy import score_moves
from service.games.bots.interface import Bot, GameState
from service.games.bots.registry import redact, run_bot
from service.games.tilesets import SeededRNG
from tests.games.bots.fake_bots import LAGOON, READING, act_once, decide_at, load_fake_bot, play_to_end, start_game
from tests.games.bots.reference_decisions import GAMES, assess_game, bot_versions, read_reference
from tests.rules.rules_game import BLUE, BOARDS, RED, Table, ship

REFERENCE = read_reference()


@pytest.mark.parametrize("number", range(len(GAMES)), ids=lambda number: f"{GAMES[number][0]}-{GAMES[number][1]}")
def test_the_same_version_makes_the_same_of_a_position(number: int) -> None:
    assessed, expected = assess_game(number), REFERENCE.games[number]
    assert {name: one.decisions for name, one in assessed.items()} == {
        name: one.decisions for name, one in expected.items()
    }
    figures = {name: pytest.approx(one.figures, abs=2e-6) for name, one in expected.items()}
    assert {name: one.figures for name, one in assessed.items()} == figures


def test_the_reference_is_that_of_the_versions() -> None:
    assert bot_versions() == REFERENCE.versions


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


def test_it_beats_random_in_19_of_20_games() -> None:
    won = 0
    for number in range(20):
        seat = number % 2
        points = play_to_end(start_game(f"against-{number}"), [random.BOT, greedy.BOT][:: 1 if seat else -1])
        won += points[seat] > points[1 - seat]
    assert won >= 19


def test_it_pays_with_what_the_other_ships_do_not_ask_for() -> None:
    ships = [ship("any", 5, choice=3), ship("fish", 4, fish=3)]
    table = Table(BOARDS["sea and island"], ships=ships)
    table.give(RED, fish=3, shells=3)
    table.lay(RED)
    decide_at(greedy.BOT, table)
    assert table.ships(RED) == ["any"]
    assert table.wares(RED) == {"fish": 3}


def test_every_legal_move_is_as_likely() -> None:
    game = start_game("likely")
    moves = [move_id(move) for move in legal_moves(LAGOON, game)]
    position = GameState(LAGOON, game)
    chosen = Counter(move_id(random.BOT.choose(position, SeededRNG("likely", version))) for version in range(2000))
    assert set(chosen) == set(moves)
    fair = 2000 / len(moves)
    assert all(fair / 2 < number < fair * 2 for number in chosen.values())


WEST = 3


def test_tiles_fit_and_close_an_island_in_any_rotation() -> None:
    table = Table(BOARDS["islands"], spares=0)
    fit = build_tile_fit(table.index)
    (start,) = table.game.board
    packed = table.game.frontier[start + SIDE_OFFSETS[1]]
    assert fit.fitting_tiles[packed] == (0, 1, 2, 3, 5)
    assert fit.closing_tiles[packed, WEST, 0] == (0, 1, 3)


BOTS = (random.BOT, greedy.BOT, expert.BOT, READING)


def reordered(game: Game, whim: Random) -> Game:
    """Return an equal game for the players, with bag and pile shuffled."""
    other = copy_game(game)
    whim.shuffle(other.bag)
    whim.shuffle(other.ship_pile)
    return other


def test_bag_and_pile_are_shuffled_by_the_bots_generator() -> None:
    game = start_game("hidden")
    position, chance = redact(READING, LAGOON, game)
    assert (sorted(position.game.bag), sorted(position.game.ship_pile)) == (sorted(game.bag), sorted(game.ship_pile))
    assert position.game.bag != game.bag
    assert position.game.ship_pile != game.ship_pile
    twin, _ = redact(READING, LAGOON, reordered(game, Random(1)))
    assert encode_snapshot(twin.game) == encode_snapshot(position.game)
    assert chance.below(2**40) == redact(READING, LAGOON, game)[1].below(2**40)


def test_the_state_does_not_contain_the_seed() -> None:
    game = start_game("a-seed-that-would-tell-everything")
    position, chance = redact(READING, LAGOON, game)
    game_id = position.game.id
    position.game.id = ""
    assert game_id.endswith(game.seed)
    assert game.seed.encode() not in encode_snapshot(position.game)
    assert game.seed not in repr(vars(chance))


def test_every_bot_version_and_turn_has_its_own_generator() -> None:
    game = start_game("chance")
    numbers = [redact(bot, LAGOON, game)[1].below(2**40) for bot in BOTS]
    game.version += 1
    numbers.append(redact(READING, LAGOON, game)[1].below(2**40))
    game.version -= 1
    newer = load_fake_bot("reading").bot
    newer.version = "2"
    numbers.append(redact(newer, LAGOON, game)[1].below(2**40))
    newer.version = "1"
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.name)
def test_no_bot_depends_on_the_hidden_order(bot: Bot) -> None:
    whim, game = Random(1), start_game("hidden")
    compared = 0
    while not is_finished(game):
        if game.version % (40 if bot.heavy and bot is not READING else 1) == 0:
            assert run_bot(bot, LAGOON, game) == run_bot(bot, LAGOON, reordered(game, whim))
            compared += 1
        act_once(game, greedy.BOT)
    assert compared >= 2


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.name)
def test_a_bot_does_not_change_the_game(bot: Bot) -> None:
    game = start_game("thinking")
    before = encode_snapshot(game)
    run_bot(bot, LAGOON, game)
    assert encode_snapshot(game) == before
