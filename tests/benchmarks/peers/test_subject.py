"""What is asked of every engine, asked of one that can do little: two take up to three from a heap."""

import random
from collections.abc import Sequence
from math import isfinite

from benchmarks.peers.subject import STEPS, mid_game_positions, one_round


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


def test_the_middle_is_the_middle_of_whole_games() -> None:
    nim = Nim()
    steps = mid_game_positions(nim)
    assert all(state[0] - action > 0 and state[0] < 55 for state, action in steps)
    first = [state[0] for state, _ in steps[:STEPS]]
    assert first == sorted(first, reverse=True)
    assert mid_game_positions(nim) == steps


def test_a_round_answers_every_question_and_changes_nothing() -> None:
    nim = Nim()
    steps = mid_game_positions(nim)
    received = one_round(nim, {"": steps, ".late": steps[-3:]}, 0.04)
    questions = {"apply", "list", "copy", "encode", "decode", "bytes"}
    assert set(received) == {"games", "actions"} | questions | {f"{question}.late" for question in questions}
    assert all(received[counted] > 0 for counted in ("games", "actions", "bytes", "bytes.late"))
    assert all(isfinite(number) for number in received.values())  # what takes no time may seem to take less
    assert steps == mid_game_positions(nim)


def test_games_are_played_with_the_chance_of_their_seed() -> None:
    random.seed(1)
    before = random.getstate()
    mid_game_positions(Nim())
    assert random.getstate() == before
