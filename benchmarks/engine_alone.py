"""The engine of one build, in a process of its own: measures a round for each line that comes, and prints it as JSON.

echo '{"games": 50, "positions": 100}' | python -m benchmarks.engine_alone
"""

import random
import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter, process_time
from typing import TypeVar

import msgspec

from benchmarks.builds import build_here
from benchmarks.sample import MID_GAME_TILES, archipelago, games_at, new_game
from schemas.actions import Action
from service.engine import apply, copy, decode, encode, is_finished, legal_moves

GROWTH = (10, 40, 72)
"""Tiles on the board."""


class Round(msgspec.Struct):
    """What is printed for a line."""

    build: str
    figures: dict[str, float]
    """Games per second; the other numbers are µs at the median, or bytes."""


T = TypeVar("T")
U = TypeVar("U")

TABLES = archipelago().tables


def games_per_second(number: int) -> float:
    """Whole random games of two players, each move chosen from the list of all, by the processor's time."""
    games = [(new_game(TABLES, f"bench-{seed}"), random.Random(seed)) for seed in range(number)]
    begin = process_time()
    for game, chance in games:
        while not is_finished(game):
            apply(TABLES, game, chance.choice(legal_moves(TABLES, game)))
    return number / (process_time() - begin)


class Positions:
    """Games at the placing of a tile, with so many tiles on the board."""

    def __init__(self, tiles: int, number: int) -> None:
        self.games = games_at(TABLES, tiles, number)
        self.snapshots = [encode(game) for game in self.games]
        chance = random.Random(1)
        self.actions: list[Action] = [chance.choice(legal_moves(TABLES, game)) for game in self.games]

    def micros(self) -> dict[str, float]:
        """µs of one call of each function, each on a copy of its own, so that nothing is remembered."""
        lists = _micros([(copy(game), None) for game in self.games], lambda game, _: legal_moves(TABLES, game))
        applied = [(copy(game), action) for game, action in zip(self.games, self.actions, strict=True)]
        return {
            "list": lists,
            "apply": _micros(applied, lambda game, action: apply(TABLES, game, action)),
            "decode": _micros([(snapshot, None) for snapshot in self.snapshots], lambda snapshot, _: decode(snapshot)),
            "encode": _micros([(copy(game), None) for game in self.games], lambda game, _: encode(game)),
            "copy": _micros([(game, None) for game in self.games], lambda game, _: copy(game)),
            "bytes": median(len(snapshot) for snapshot in self.snapshots),
        }


def _micros(questions: Sequence[tuple[T, U]], ask: Callable[[T, U], object]) -> float:
    """The median of many calls, less what the clock and an empty call take."""
    return _median(questions, ask) - _median(questions, lambda _, __: None)


def _median(questions: Sequence[tuple[T, U]], ask: Callable[[T, U], object]) -> float:
    times = []
    for first, second in questions:
        begin = perf_counter()
        ask(first, second)
        times.append(perf_counter() - begin)
    return median(times) * 1e6


def measure(games: int, positions: dict[int, Positions]) -> Round:
    """One round."""
    figures = {"games": games_per_second(games)}
    for tiles, at in positions.items():
        figures |= {f"{name}.{tiles}": value for name, value in at.micros().items()}
    return Round(build_here(), figures)


def main() -> None:
    """Answer each line."""
    positions: dict[int, Positions] = {}
    for line in sys.stdin:
        asked = msgspec.json.decode(line, type=dict[str, int])
        if not positions:
            positions = {tiles: Positions(tiles, asked["positions"]) for tiles in (MID_GAME_TILES, *GROWTH)}
        print(msgspec.json.encode(measure(asked["games"], positions)).decode(), flush=True)


if __name__ == "__main__":
    main()
