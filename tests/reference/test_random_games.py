"""Random games on the reference: they end, lose no piece, and use the rare rules too."""

from collections import Counter
from json import loads
from pathlib import Path

import pytest

from tests.reference.random_play import random_game
from tests.reference.random_tilesets import random_tileset

ARCHIPELAGO = Path(__file__).parents[2] / "service" / "tilesets" / "archipelago.json"
EDITIONS = ("international", "german")


def test_random_games_on_random_sets_bring_up_every_event() -> None:
    observed: Counter[str] = Counter()
    for seed in range(60):
        observed += random_game(seed, random_tileset(seed), 2 + seed % 4, EDITIONS[seed % 2])
    expected = {
        *(
            f"feature_evaluated:{kind}:{cause}"
            for kind in ("bridge", "island", "sea")
            for cause in ("completed", "final")
        ),
        "feature_evaluated:sea:boat",
        "fish_covered",
        "game_finished:bag_exhausted",
        "game_finished:last_ship",
        "game_finished:last_tile",
        "islander_retrieved",
        "ship_taken:delivery",
        "ship_taken:market",
        "tile_discarded",
    }
    assert expected <= {*observed}
    assert observed["game_finished"] == 60


def test_the_same_seed_plays_the_same_game() -> None:
    assert random_tileset(7) == random_tileset(7)
    assert random_game(7, random_tileset(7), 3, "german") == random_game(7, random_tileset(7), 3, "german")


@pytest.mark.parametrize("players", (2, 3, 4, 5))
@pytest.mark.parametrize("edition", EDITIONS)
def test_random_games_of_the_default_set_end(players: int, edition: str) -> None:
    sets = [loads(path.read_text(encoding="utf-8")) for path in (ARCHIPELAGO,) if path.exists()]
    for tileset in sets:
        for seed in range(3):
            assert random_game(seed, tileset, players, edition)["game_finished"] == 1
