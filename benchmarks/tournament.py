"""A tournament: each pair of the named bots, plug-ins too, plays the same decks from each side.

    python -m benchmarks.tournament expert greedy --games 100 --players 2 --seed 1

Prints for each pair the share of wins with the 95 % confidence interval (Wilson), the mean points, and the time of a
turn. Players who share a win share the point. In games of more than two, the pair's bots sit alternately. The same
arguments give the same games: deck number n has the seed `SEED.PLAYERS.n`, and is played twice with swapped seats.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import sqrt
from statistics import mean
from time import perf_counter
from typing import NamedTuple, get_args

from benchmarks.bots import LAGOON, bots, load_tileset_index, play_all
from benchmarks.results import percentile
from benchmarks.sample_games import new_game
from schemas.vocabulary import Edition
from service.engine import apply_action, build_view, is_finished
from service.games.bots.runner import run_bot

Z = 1.959964
"""The number of standard deviations on either side for 95 %."""


class Fixture(NamedTuple):
    """A game of the tournament: the bot of each seat, and the deck."""

    pair: tuple[str, str]
    seats: tuple[str, ...]
    seed: str
    edition: Edition


class Seat(NamedTuple):
    """The result of a bot at one seat of a game."""

    pair: tuple[str, str]
    bot: str
    share: float
    """The share of the win."""
    points: int
    turns_ms: list[float]


def play(fixture: Fixture) -> list[Seat]:
    """Play one game."""
    index, players = load_tileset_index(LAGOON), [bots()[name] for name in fixture.seats]
    game = new_game(index, fixture.seed, len(players), edition=fixture.edition)
    game.version = 0
    turns: list[defaultdict[int, float]] = [defaultdict(float) for _ in players]
    while not is_finished(game):
        started_at = perf_counter()
        action = run_bot(players[game.decider], index, game)
        turns[game.decider][game.turn_number] += (perf_counter() - started_at) * 1e3
        apply_action(index, game, action)
        game.version += 1
    result = build_view(index, game).result
    if result is None:
        raise AssertionError
    return [
        Seat(fixture.pair, bot, (seat in result.winners) / len(result.winners), score.total, [*turns[seat].values()])
        for seat, (bot, score) in enumerate(zip(fixture.seats, result.scores, strict=True))
    ]


def fixtures(names: Sequence[str], options: argparse.Namespace) -> Iterator[Fixture]:
    """Yield the games of a round robin."""
    for pair in combinations(names, 2):
        for number in range(options.games):
            seats = tuple(pair[(seat + number) % 2] for seat in range(options.players))
            yield Fixture(pair, seats, f"{options.seed}.{options.players}.{number // 2}", options.edition)


def wilson_interval(wins: float, games: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share.

    >>> low, high = wilson_interval(65, 100)
    >>> round(low, 3), round(high, 3)
    (0.553, 0.736)
    """
    share = wins / games
    middle = share + Z * Z / (2 * games)
    width = Z * sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    whole = 1 + Z * Z / games
    return (middle - width) / whole, (middle + width) / whole


def markdown_table(seats: Sequence[Seat], games: int) -> Iterator[str]:
    """Yield a Markdown table with a row for each bot of each pair."""
    yield f"| {games} games each | wins | 95 % interval | mean points | ms a turn | p99 | worst |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for pair in sorted({seat.pair for seat in seats}):
        for bot, other in (pair, pair[::-1]):
            bot_seats = [seat for seat in seats if seat.pair == pair and seat.bot == bot]
            turns = [ms for seat in bot_seats for ms in seat.turns_ms]
            wins = sum(seat.share for seat in bot_seats)
            low, high = wilson_interval(wins, games)
            yield (
                f"| {bot} against {other} | {wins / games:.1%} | {low:.1%} to {high:.1%} "
                f"| {mean(seat.points for seat in bot_seats):.2f} "
                f"| {mean(turns):.1f} | {percentile(turns, 99):.1f} | {max(turns):.1f} |"
            )


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tournament",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bots", nargs="+", metavar="BOT", choices=sorted(bots()), help=", ".join(sorted(bots())))
    parser.add_argument("--games", type=int, default=100, help="games for each pair, an even number (100)")
    parser.add_argument("--players", type=int, default=2, choices=range(2, 6), help="players of a game (2)")
    parser.add_argument("--seed", default="1", help="the seed of the decks (1)")
    parser.add_argument("--edition", choices=get_args(Edition), default="international")
    parser.add_argument("--workers", type=int, default=1, help="processes that share the work (1)")
    options = parser.parse_args(arguments)
    if len(set(options.bots)) < len(options.bots) or len(options.bots) < 2:
        parser.error("name two bots or more, each once")
    if options.games < 2 or options.games % 2:
        parser.error("--games must be even, so that every deck is played from both sides")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the tournament, and print the table."""
    options = _options(arguments)
    played = play_all(play, fixtures(options.bots, options), options.workers)
    print(*markdown_table([seat for seats in played for seat in seats], options.games), sep="\n")


if __name__ == "__main__":
    main()
