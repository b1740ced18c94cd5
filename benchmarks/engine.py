"""The engine alone, on one core: whole random games, and single questions in mid-game."""

import random
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from time import perf_counter

from benchmarks.report import Figure, percentile
from benchmarks.sample import archipelago, mid_games, new_game
from schemas.actions import Action
from service.engine import Game, apply, copy, decode, encode, is_finished, legal_moves

ROUNDS = 5
GAMES = 60
POSITIONS = 200
TIMES = 20


def engine_figures() -> list[Figure]:
    """Random two-player games per second, and µs per question at the median and the 99th percentile."""
    tables = archipelago().tables
    games = mid_games(tables, POSITIONS)
    snapshots = [encode(game) for game in games]
    chance = random.Random(1)
    placed = [(game, chance.choice(legal_moves(tables, game))) for game in games]
    rates = [_games_per_second() for _ in range(ROUNDS)]
    largest = percentile([len(snapshot) for snapshot in snapshots], 100)
    both = _micros([partial(_round_trip, snapshot) for snapshot in snapshots])
    return [
        Figure("random two-player games per second", f"{median(rates):.0f}", reach="250"),
        _figure("list placements, mid-game", _micros([partial(legal_moves, tables, game) for game in games]), "10 µs"),
        _figure("apply an action, mid-game", _apply_micros(placed), "20 µs"),
        _figure("decode a snapshot", _micros([partial(decode, snapshot) for snapshot in snapshots])),
        _figure("encode a snapshot", _micros([partial(encode, game) for game in games])),
        _figure("decode + encode", both, "60 µs"),
        Figure("largest mid-game snapshot", f"{largest:,.0f} bytes", reach="3,500 bytes"),
    ]


def _games_per_second() -> float:
    tables = archipelago().tables
    games = [(new_game(tables, f"bench-{seed}"), random.Random(seed)) for seed in range(GAMES)]
    begin = perf_counter()
    for game, chance in games:
        while not is_finished(game):
            apply(tables, game, chance.choice(legal_moves(tables, game)))
    return GAMES / (perf_counter() - begin)


def _round_trip(snapshot: bytes) -> bytes:
    return encode(decode(snapshot))


def _micros(questions: Sequence[Callable[[], object]]) -> list[float]:
    """µs of each question, asked many times."""
    times = []
    for _ in range(TIMES):
        for question in questions:
            begin = perf_counter()
            question()
            times.append((perf_counter() - begin) * 1e6)
    return times


def _apply_micros(placed: list[tuple[Game, Action]]) -> list[float]:
    """µs of applying, each time to a fresh copy, which is not counted."""
    tables = archipelago().tables
    times = []
    for _ in range(TIMES):
        for game, action in placed:
            twin = copy(game)
            begin = perf_counter()
            apply(tables, twin, action)
            times.append((perf_counter() - begin) * 1e6)
    return times


def _figure(name: str, micros: list[float], reach: str = "") -> Figure:
    return Figure(f"{name}: median (p99)", f"{median(micros):.1f} µs ({percentile(micros, 99):.1f})", reach=reach)
