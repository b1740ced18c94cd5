"""The bot `random`."""

from collections import Counter

from service.engine import apply, is_finished, legal_moves, move_id
from service.games.bots import random
from service.games.shuffle import Chance
from tests.games.bots.games import ARCHIPELAGO, start


def test_every_legal_move_is_as_likely() -> None:
    game = start("likely")
    moves = [move_id(move) for move in legal_moves(ARCHIPELAGO, game)]
    chosen = Counter(move_id(random.choose(ARCHIPELAGO, game, Chance("likely", version))) for version in range(2000))
    assert set(chosen) == set(moves)
    fair = 2000 / len(moves)
    assert all(fair / 2 < number < fair * 2 for number in chosen.values())


def test_the_same_chance_gives_the_same_move() -> None:
    game = start("same")
    first, second = (random.choose(ARCHIPELAGO, game, Chance("same", 7)) for _ in range(2))
    assert first == second


def test_it_plays_a_game_to_its_end() -> None:
    game = start("end", players=5, edition="german")
    while not is_finished(game):
        game.version += 1
        apply(ARCHIPELAGO, game, random.choose(ARCHIPELAGO, game, Chance("end", game.version)))
    assert game.reason in {"last_tile", "last_ship", "bag_exhausted"}
