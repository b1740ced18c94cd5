"""The bot `expert`: its strength, its playouts and its work."""

import pytest

from schemas.actions import PlaceTile
from schemas.vocabulary import Edition
from service.engine import copy_game, is_finished, legal_moves
from service.engine.tileset_index import unpack_cell
from service.games.bots import expert, greedy, random
from service.games.bots.expert.playout import Playout
from service.games.bots.expert.search import ROUNDS, Search
from service.games.bots.greedy.feature_estimates import FeatureEstimator
from service.games.bots.greedy.move_scores import score_moves
from service.games.bots.greedy.weights import DEFAULT_WEIGHTS
from service.games.bots.redaction import redact
from service.games.bots.runner import run_bot
from tests.games.bots.bot_games import ARCHIPELAGO, act_once, play_to_end, start_game


def test_it_beats_random_by_far() -> None:
    service, others = play_to_end(start_game("far"), [expert.BOT, random.BOT])
    assert service > others + 30


@pytest.mark.parametrize("edition", ("international", "german"))
@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_it_plays_every_phase_with_every_number_of_players(players: int, edition: Edition) -> None:
    game = start_game(f"{edition}-{players}", players, edition)
    phases = set()
    while not is_finished(game):
        moves, sparing = legal_moves(ARCHIPELAGO, game), game.turn_number % 24
        phases.add(game.phase)
        assert act_once(game, greedy.BOT if sparing else expert.BOT) in moves
    assert phases >= {"place_tile", "islander", "deliver"}


def test_the_same_game_gives_the_same_move() -> None:
    first, second = (run_bot(expert.BOT, ARCHIPELAGO, start_game("same")) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("turns", (7, 20, 41))
def test_a_playout_places_as_greedy_would(turns: int) -> None:
    game = start_game("answers")
    while game.turn_number < turns or game.phase != "place_tile":
        act_once(game, greedy.BOT)
    ahead = copy_game(game)
    Playout(FeatureEstimator(ARCHIPELAGO, game, DEFAULT_WEIGHTS)).play_turns(ahead, game.turn_number)
    placed = PlaceTile(*unpack_cell(ahead.cells[len(game.cells)]), ahead.oriented_tiles[len(game.cells)] & 3)
    moves, worths = score_moves(ARCHIPELAGO, game, DEFAULT_WEIGHTS)
    assert worths[moves.index(placed)] == pytest.approx(max(worths))


@pytest.mark.parametrize("turns", (2, 30, 71))
def test_a_decision_stays_near_its_work_limit(turns: int) -> None:
    game = start_game("work")
    while game.turn_number < turns or len(legal_moves(ARCHIPELAGO, game)) == 1:
        act_once(game, greedy.BOT)
    state, rng = redact(expert.BOT, ARCHIPELAGO, game)
    search = Search(state, rng)
    search.best_candidate(state.legal_moves())
    assert search.playout.work < 1.25 * ROUNDS[game.phase][-1].max_work
