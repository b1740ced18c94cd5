"""A tournament: a bot plays against another one in all other seats, plug-ins too.

    python -m benchmarks.tournament expert greedy --games 200 --players 2 3 4 5 --editions international german

Each deck is played with the bot in every seat, so the number of games is rounded up to a multiple of the players. The
same arguments give the same games. The table has the bot's share of wins with its 95 % confidence interval (Wilson;
players who share a win share the point), the time of its turns, and how often it passed although it could pay for a
ship of 5 or 6 points. With `--results` every game is appended to a file; games that it already has are not played
again, so a long tournament can be played in parts.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from math import sqrt
from pathlib import Path
from statistics import mean
from time import process_time
from typing import get_args

import msgspec

from benchmarks.bots import DEFAULT_TILESET_FILE, bots, load_tileset_index, play_all
from benchmarks.results import percentile
from benchmarks.sample_games import new_game
from schemas.actions import Pass
from schemas.vocabulary import Edition
from service.engine import Game, TileSetIndex, apply_action, build_view, is_finished
from service.engine.delivery import affordable_payments
from service.games.bots.registry import run_bot

Z = 1.959964
"""The number of standard deviations on either side for 95 %."""

VALUABLE_SHIP = 5
"""A payable ship of so many points is seldom passed for a good reason."""


class Fixture(msgspec.Struct, frozen=True):
    """A game of the tournament."""

    bot: str
    version: str
    others: str
    others_version: str
    tileset: str
    players: int
    edition: Edition
    seed: str
    """Of the deck."""
    seat: int
    """The bot's."""


class PlayedGame(msgspec.Struct):
    """What the bot made of a game."""

    fixture: Fixture
    share: float
    """Its share of the win."""
    points: int
    best_rival: int
    """The points of the best other player."""
    deliveries: int
    """Its turns in which it could pay for a valuable ship."""
    passed: int
    """Those of them in which it passed."""
    turns_ms: list[float]


def play(fixture: Fixture) -> PlayedGame:
    """Play one game."""
    index, seat = load_tileset_index(DEFAULT_TILESET_FILE), fixture.seat
    names = [fixture.bot if other == seat else fixture.others for other in range(fixture.players)]
    game = new_game(index, fixture.seed, fixture.players, edition=fixture.edition)
    turns: defaultdict[int, float] = defaultdict(float)
    deliveries = passed = 0
    while not is_finished(game):
        started_at = process_time()
        action = run_bot(bots()[names[game.decider]], index, game)
        if game.decider == seat:
            turns[game.turn_number] += (process_time() - started_at) * 1e3
            if _can_pay_valuable_ship(index, game):
                deliveries += 1
                passed += isinstance(action, Pass)
        apply_action(index, game, action)
        game.version += 1
    result = build_view(index, game).result
    if result is None:
        raise AssertionError
    points = [score.total for score in result.scores]
    own = points.pop(seat)
    share = (seat in result.winners) / len(result.winners)
    return PlayedGame(fixture, share, own, max(points), deliveries, passed, [round(ms, 1) for ms in turns.values()])


def _can_pay_valuable_ship(index: TileSetIndex, game: Game) -> bool:
    return game.phase == "deliver" and any(
        index.ships[ship].points >= VALUABLE_SHIP and affordable_payments(index, game.players[game.seat], ship)
        for ship in game.display
    )


def fixtures(options: argparse.Namespace) -> Iterator[Fixture]:
    """Yield the games, those of all tables and editions in turn."""
    versions = [bots()[name].version for name in (options.bot, options.others)]
    tileset = load_tileset_index(DEFAULT_TILESET_FILE).tileset.id
    for deck in count():
        tables = [
            (players, edition)
            for players in options.players
            for edition in options.editions
            if deck * players < options.games
        ]
        if not tables:
            return
        for players, edition in tables:
            seed = f"{options.seed}.{players}.{deck}"
            for seat in range(players):
                yield Fixture(
                    options.bot, versions[0], options.others, versions[1], tileset, players, edition, seed, seat
                )


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


def markdown_table(games: Iterable[PlayedGame]) -> Iterator[str]:
    """Yield a Markdown table with a row for each number of players and edition."""
    tables: defaultdict[tuple[int, Edition], list[PlayedGame]] = defaultdict(list)
    for game in games:
        tables[game.fixture.players, game.fixture.edition].append(game)
    yield "| Players | Edition | Games | Wins | 95 % interval | Points | Best rival | ms a turn | p99 | Passed |"
    yield "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (players, edition), played in sorted(tables.items(), key=lambda table: (table[0][0], table[0][1] == "german")):
        wins = sum(game.share for game in played)
        low, high = wilson_interval(wins, len(played))
        turns = [ms for game in played for ms in game.turns_ms]
        yield (
            f"| {players} | {edition} | {len(played)} | {wins / len(played):.1%} | {low:.1%} to {high:.1%} "
            f"| {mean(game.points for game in played):.1f} | {mean(game.best_rival for game in played):.1f} "
            f"| {mean(turns):.0f} | {percentile(turns, 99):.0f} "
            f"| {sum(game.passed for game in played)} of {sum(game.deliveries for game in played)} |"
        )


_RESULTS = msgspec.json.Decoder(PlayedGame)


def read_results(file: Path) -> list[PlayedGame]:
    """Read the games that a file of results has."""
    return _RESULTS.decode_lines(file.read_bytes()) if file.exists() else []


def run(options: argparse.Namespace) -> list[PlayedGame]:
    """Play the games that the file of results lacks; return all."""
    requested = [*fixtures(options)]
    played = {game.fixture: game for game in read_results(options.results)} if options.results else {}
    missing = [fixture for fixture in requested if fixture not in played]
    for game in play_all(play, missing, options.workers):
        played[game.fixture] = game
        if options.results:
            with options.results.open("ab") as file:
                file.write(msgspec.json.encode(game) + b"\n")
    return [played[fixture] for fixture in requested]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    names = sorted(bots())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tournament",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bot", choices=names, help=", ".join(names))
    parser.add_argument("others", choices=names, help="the bot of all other seats")
    parser.add_argument("--games", type=int, default=100, help="games for each number of players and edition (100)")
    parser.add_argument(
        "--players", type=int, nargs="+", default=[2], choices=range(2, 6), help="players of a game (2)"
    )
    parser.add_argument(
        "--editions", nargs="+", default=["international"], choices=get_args(Edition), help="(international)"
    )
    parser.add_argument("--seed", default="1", help="the seed of the decks (1)")
    parser.add_argument("--workers", type=int, default=1, help="processes that share the work (1)")
    parser.add_argument("--results", type=Path, help="a file of played games, as JSON lines")
    options = parser.parse_args(arguments)
    if options.games < 1:
        parser.error("--games must be at least 1")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the tournament, and print the table."""
    print(*markdown_table(run(_options(arguments))), sep="\n")


if __name__ == "__main__":
    main()
