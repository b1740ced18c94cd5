"""Bots against each other: every pair of those named, over the same decks from every seat, plug-ins too.

    python -m benchmarks.tournament expert greedy --games 100 --players 2 --seed 1

Prints for each pair who won how often, with the 95 % confidence interval (Wilson), the mean points, and how long a turn
took. A draw is shared. At tables of more than two the pair's bots sit alternately. The same arguments give the same
games: deck number n is the one of the seed `SEED.PLAYERS.n`, and it is played twice, the bots having changed seats.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import sqrt
from statistics import mean
from time import perf_counter
from typing import NamedTuple, get_args

from benchmarks.bots import ARCHIPELAGO, bots, play_all, tables_of
from benchmarks.results import percentile
from benchmarks.sample import new_game
from schemas.vocabulary import Edition
from service.engine import apply, is_finished, view
from service.games.bots.deciding import ask

Z = 1.959964
"""Standard deviations on either side that hold 95 %."""


class Fixture(NamedTuple):
    """A game to be played: who sits where, and the deck."""

    match: int
    seats: tuple[str, ...]
    seed: str
    edition: Edition


class Played(NamedTuple):
    """A game that was played: for each seat its share of the win, its points and the ms of its turns."""

    fixture: Fixture
    shares: list[float]
    points: list[int]
    turns_ms: list[list[float]]


class Side(NamedTuple):
    """What a bot has done in a match."""

    bot: str
    share: float
    """Of the wins, 0 to 1."""
    low: float
    high: float
    points: float
    ms_mean: float
    ms_p99: float
    ms_worst: float


def play(fixture: Fixture) -> Played:
    """Play one game in this process."""
    tables, players = tables_of(ARCHIPELAGO), [bots()[name] for name in fixture.seats]
    game = new_game(tables, fixture.seed, len(players), edition=fixture.edition)
    game.version = 0
    turns: dict[tuple[int, int], float] = {}
    while not is_finished(game):
        turn = (game.decider, game.number)
        begin = perf_counter()
        action = ask(players[game.decider], tables, game)
        turns[turn] = turns.get(turn, 0.0) + (perf_counter() - begin) * 1e3
        apply(tables, game, action)
        game.version += 1
    result = view(tables, game).result
    if result is None:
        raise AssertionError
    return Played(
        fixture,
        [(seat in result.winners) / len(result.winners) for seat in range(len(players))],
        [score.total for score in result.scores],
        [[ms for (of, _), ms in turns.items() if of == seat] for seat in range(len(players))],
    )


def fixtures(names: Sequence[str], options: argparse.Namespace) -> Iterator[Fixture]:
    """Every game of a round robin."""
    for match, pair in enumerate(combinations(names, 2)):
        for number in range(options.games):
            seats = tuple(pair[(seat + number) % 2] for seat in range(options.players))
            seed = f"{options.seed}.{options.players}.{number // 2}"
            yield Fixture(match, seats, seed, options.edition)


def tournament(names: Sequence[str], options: argparse.Namespace) -> list[tuple[Side, Side]]:
    """Play every game, and add each match up."""
    played = [*play_all(play, fixtures(names, options), options.workers)]
    return [
        (_side(one, match, played), _side(other, match, played))
        for match, (one, other) in enumerate(combinations(names, 2))
    ]


def _side(bot: str, match: int, played: Sequence[Played]) -> Side:
    games = [game for game in played if game.fixture.match == match]
    wins, points, turns = 0.0, [], []
    for game in games:
        for seat, name in enumerate(game.fixture.seats):
            if name == bot:
                wins += game.shares[seat]
                points.append(game.points[seat])
                turns += game.turns_ms[seat]
    low, high = wilson(wins, len(games))
    return Side(bot, wins / len(games), low, high, mean(points), mean(turns), percentile(turns, 99), max(turns))


def wilson(wins: float, games: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share.

    >>> low, high = wilson(65, 100)
    >>> round(low, 3), round(high, 3)
    (0.553, 0.736)
    """
    share = wins / games
    middle = share + Z * Z / (2 * games)
    width = Z * sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    whole = 1 + Z * Z / games
    return (middle - width) / whole, (middle + width) / whole


def table(matches: Sequence[tuple[Side, Side]], games: int) -> Iterator[str]:
    """The lines of the Markdown table."""
    yield f"| {games} games each | wins | 95 % interval | mean points | ms a turn | p99 | worst |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for sides in matches:
        for side, other in (sides, sides[::-1]):
            yield (
                f"| {side.bot} against {other.bot} | {side.share:.1%} | {side.low:.1%} to {side.high:.1%} "
                f"| {side.points:.2f} | {side.ms_mean:.1f} | {side.ms_p99:.1f} | {side.ms_worst:.1f} |"
            )


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tournament",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bots", nargs="+", metavar="BOT", choices=sorted(bots()), help=", ".join(sorted(bots())))
    parser.add_argument("--games", type=int, default=100, help="games for each pair, an even number (100)")
    parser.add_argument("--players", type=int, default=2, choices=range(2, 6), help="seats at the table (2)")
    parser.add_argument("--seed", default="1", help="another seed plays other decks (1)")
    parser.add_argument("--edition", choices=get_args(Edition), default="international")
    parser.add_argument("--workers", type=int, default=1, help="processes that share the work (1)")
    options = parser.parse_args(arguments)
    if len(set(options.bots)) < len(options.bots) or len(options.bots) < 2:
        parser.error("name two bots or more, each once")
    if options.games < 2 or options.games % 2:
        parser.error("--games must be even, so that every deck is played from both sides")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and print."""
    options = _options(arguments)
    print(*table(tournament(options.bots, options), options.games), sep="\n")


if __name__ == "__main__":
    main()
