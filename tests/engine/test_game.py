"""The `Game` Struct: independent copies, and the same game in every process."""

import os
import subprocess
import sys
from random import Random
from typing import Any

import msgspec

from service.engine import copy_game, encode_snapshot
from tests.engine.random_games import lagoon_index, new_game, play_randomly
from tests.tools import ROOT

PLAY = """
from hashlib import sha256
from random import Random
from schemas.base import encode_json
from service.engine import encode_snapshot
from service.engine.view import build_view
from tests.engine.random_games import lagoon_index, new_game, play_randomly
index = lagoon_index()
game = new_game(index, 11, players=3)
digest = sha256()
for events in play_randomly(index, game, Random(11)):
    digest.update(encode_json(events) + encode_snapshot(game) + encode_json(build_view(index, game)))
print(digest.hexdigest())
"""


def mutable_parts(value: Any) -> list[Any]:
    """Everything in a value that could be changed."""
    match value:
        case msgspec.Struct():
            inner = [getattr(value, name) for name in value.__struct_fields__]
        case dict():
            inner = [*value.values()]
        case list():
            inner = value
        case _:
            return []
    return [value, *(part for one in inner for part in mutable_parts(one))]


def test_a_copy_is_equal_and_shares_nothing_mutable() -> None:
    index = lagoon_index()
    game = new_game(index, 2, players=4)
    for _ in play_randomly(index, game, Random(2)):
        twin = copy_game(game)
        assert encode_snapshot(twin) == encode_snapshot(game)
        assert not {id(part) for part in mutable_parts(twin)} & {id(part) for part in mutable_parts(game)}


def test_the_same_seed_gives_the_same_game_in_every_process() -> None:
    received = {
        subprocess.run(
            [sys.executable, "-c", PLAY],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1", "4711")
    }
    assert len(received) == 1
    assert len(received.pop().strip()) == 64
