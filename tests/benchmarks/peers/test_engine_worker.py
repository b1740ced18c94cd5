"""The measurements of an engine, with a simple game: two players take up to three objects from a heap."""

import random
from collections.abc import Sequence
from math import isfinite

from benchmarks.peers.engine_worker import STEPS, mid_game_steps, run_round


class Nim:
    def new(self, seed: int) -> list[int]:
        return [40 + seed]

    def over(self, state: list[int]) -> bool:
        return state[0] == 0

    def legal(self, state: list[int]) -> Sequence[int]:
        return range(1, min(state[0], 3) + 1)

    listed = legal

    def apply(self, state: list[int], action: int) -> None:
        state[0] -= action

    def copy(self, state: list[int]) -> list[int]:
        return [*state]

    def encode(self, state: list[int]) -> bytes:
        return b"%d" % state[0]

    def decode(self, data: bytes) -> list[int]:
        return [int(data)]


def test_mid_game_steps_are_in_the_middle_of_whole_games() -> None:
    nim = Nim()
    steps = mid_game_steps(nim)
    assert all(state[0] - action > 0 and state[0] < 55 for state, action in steps)
    first = [state[0] for state, _ in steps[:STEPS]]
    assert first == sorted(first, reverse=True)
    assert mid_game_steps(nim) == steps


def test_a_round_has_every_measurement_and_changes_no_state() -> None:
    nim = Nim()
    steps = mid_game_steps(nim)
    result = run_round(nim, {"": steps, ".late": steps[-3:]}, 0.04)
    names = {"apply", "list", "copy", "encode", "decode", "bytes"}
    assert set(result) == {"games", "actions"} | names | {f"{name}.late" for name in names}
    assert all(result[name] > 0 for name in ("games", "actions", "bytes", "bytes.late"))
    assert all(isfinite(value) for value in result.values())  # a very short call may be measured as negative
    assert steps == mid_game_steps(nim)


def test_games_do_not_use_the_global_random_state() -> None:
    random.seed(1)
    before = random.getstate()
    mid_game_steps(Nim())
    assert random.getstate() == before
