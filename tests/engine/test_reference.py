"""Whole games on engine and reference in lock step, compared after every action.

Thousands of games: `python -m tests.engine.lockstep --games 3000`.
"""

from collections import Counter
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.vocabulary import Edition
from tests.engine.lockstep import EDITIONS, Lockstep, Setting, lagoon, play_one
from tests.reference.random_play import deal
from tests.reference.random_tilesets import random_tileset

RARE = {
    *(f"feature_evaluated:{kind}:{cause}" for kind in ("bridge", "island", "sea") for cause in ("completed", "final")),
    *("feature_evaluated:sea:boat", "fish_covered", "islander_retrieved", "tile_discarded"),
    *("game_finished:bag_exhausted", "game_finished:last_ship", "game_finished:last_tile"),
    "ship_taken:delivery",
}
"""What happens in games with random tile sets; the drawn boards of `tests/rules` add the markets."""


def test_random_games_on_random_sets_are_alike() -> None:
    total: Counter[str] = Counter()
    for seed in range(80):
        total += play_one(random_tileset(seed, types=4 + seed % 5 if seed % 10 else 12), seed)
    assert total["game_finished"] == 80
    assert total["refused"] > total["tile_placed"]
    assert {*total} >= RARE


def test_random_games_on_the_default_set_are_alike() -> None:
    total: Counter[str] = Counter()
    for seed in range(3):
        total += play_one(lagoon(), seed)
    assert total["game_finished"] == 3


@settings(max_examples=60, deadline=None)
@given(
    tileset=st.integers(0, 9999),
    types=st.integers(3, 8),
    players=st.integers(2, 5),
    edition=st.sampled_from(EDITIONS),
    choices=st.lists(st.integers(0, 999), max_size=60),
)
def test_a_game_that_differs_is_shrunk(
    tileset: int, types: int, players: int, edition: Edition, choices: list[int]
) -> None:
    """Hypothesis looks for the shortest game that differs: each choice is an index into the legal actions."""
    created = random_tileset(tileset, types=types)
    bag, ships = deal(created, Random(tileset))
    steps = Lockstep(Setting(created, players, edition, 0, bag, ships))
    for choice in choices:
        if not steps.legal:
            break
        steps.play(steps.legal[choice % len(steps.legal)])
