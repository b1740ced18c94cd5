"""The bot `random`."""

from collections import Counter

from service.engine import legal_moves, move_id
from service.games.bots import random
from service.games.bots.interface import GameState
from service.games.bots.registry import run_bot
from service.games.tilesets import SeededRNG
from tests.games.bots.bot_games import LAGOON, start_game


def test_every_legal_move_is_as_likely() -> None:
    game = start_game("likely")
    moves = [move_id(move) for move in legal_moves(LAGOON, game)]
    position = GameState(LAGOON, game)
    chosen = Counter(move_id(random.BOT.choose(position, SeededRNG("likely", version))) for version in range(2000))
    assert set(chosen) == set(moves)
    fair = 2000 / len(moves)
    assert all(fair / 2 < number < fair * 2 for number in chosen.values())


def test_the_same_game_gives_the_same_move() -> None:
    first, second = (run_bot(random.BOT, LAGOON, start_game("same")) for _ in range(2))
    assert first == second
