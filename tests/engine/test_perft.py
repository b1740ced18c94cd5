"""Perft: the engine counts as many sequences of a few actions as the reference."""

from copy import deepcopy
from random import Random

import pytest

from schemas.base import canonical_json
from service.engine import Game, TileSetIndex, apply_action, copy_game, legal_moves
from tests.engine.lockstep import ACTION, EDITIONS, Lockstep, Setting, archipelago
from tests.reference import ReferenceGame
from tests.reference.pieces import Json
from tests.reference.random_play import deal
from tests.reference.random_tilesets import random_tileset


def perft(index: TileSetIndex, game: Game, depth: int) -> int:
    moves = legal_moves(index, game)
    if depth == 1 or not moves:
        return len(moves)
    count = 0
    for move in moves:
        twin = copy_game(game)
        apply_action(index, twin, move)
        count += perft(index, twin, depth - 1)
    return count


def reference_perft(game: ReferenceGame, depth: int) -> int:
    actions = game.legal_actions()
    if depth == 1 or not actions:
        return len(actions)
    count = 0
    for action in actions:
        twin = deepcopy(game)
        twin.apply(action)
        count += reference_perft(twin, depth - 1)
    return count


def mid_game(tileset: Json, seed: int, actions: int) -> Lockstep:
    """Return a game after some actions, which follow from the seed."""
    chance = Random(seed)
    bag, ships = deal(tileset, chance)
    steps = Lockstep(Setting(tileset, 2 + seed % 4, EDITIONS[seed % 2], 0, bag, ships))
    for _ in range(actions):
        steps.play(chance.choice(steps.legal))
    return steps


@pytest.mark.parametrize("seed", range(6))
def test_as_many_beginnings_of_three_actions(seed: int) -> None:
    steps = mid_game(random_tileset(seed), seed, 0)
    count = perft(steps.index, steps.game, 3)
    assert count > 50
    assert count == reference_perft(steps.reference, 3)


@pytest.mark.parametrize("seed", range(3))
def test_as_many_continuations_of_two_actions_in_mid_game(seed: int) -> None:
    steps = mid_game(archipelago(), seed, 40)
    assert perft(steps.index, steps.game, 2) == reference_perft(steps.reference, 2)


def test_every_action_is_counted_once() -> None:
    steps = mid_game(archipelago(), 5, 30)
    moves = legal_moves(steps.index, steps.game)
    assert len({canonical_json(move) for move in moves}) == len(moves)
    assert [ACTION.decode(canonical_json(move)) for move in moves] == moves
