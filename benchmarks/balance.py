"""The balance of a tile set: plays whole games between equal bots, and prints statistics as Markdown tables.

    python -m benchmarks.balance --games 1000 --players 2 3 4 5

The same arguments give the same table: game number n of P players is the game of the seed `SEED.P.n`.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from benchmarks.bots import DEFAULT_TILESET_FILE, bots, load_tileset_index, play_all
from benchmarks.sample_games import new_game
from schemas.actions import PlaceTile
from schemas.events import AnyEvent, FeatureEvaluated, FishCovered, ShipTaken, TileDiscarded
from schemas.vocabulary import WARES
from service.engine import Game, TileSetIndex, apply_action, build_view, is_finished
from service.engine.segments import feature_kind
from service.engine.tileset_index import FEATURE_KINDS, SIDE_OFFSETS
from service.games.bots.registry import run_bot
from service.games.tilesets import first_seat

REASONS = ("last_tile", "last_ship", "bag_exhausted")
CAUSES = {"completed": "when completed", "boat": "by a boat", "final": "at the end"}
LETTERS = ".SBI"
"""A side of an edge pattern: no neighbour, sea, bridge, island, as the engine's two bits number them."""

Tally = Counter[tuple[str, ...]]
"""The counts of one game or of many, which can be added."""


class Fixture(NamedTuple):
    """A game between equal bots."""

    tileset: Path
    bot: str
    seed: str
    seats: int


def play(fixture: Fixture) -> Tally:
    """Play one game to the end."""
    index, bot, seats = load_tileset_index(fixture.tileset), bots()[fixture.bot], fixture.seats
    game = new_game(index, fixture.seed, seats, first=first_seat(fixture.seed, seats))
    game.version = 0
    tally: Tally = Counter()
    while not is_finished(game):
        action, events = apply_action(index, game, run_bot(bot, index, game))
        game.version += 1
        _count_events(tally, events)
        if isinstance(action, PlaceTile):
            _count_patterns(tally, index, game)
    _count_features(tally, index, game)
    _count_result(tally, index, game)
    return tally


def _count_events(tally: Tally, events: Sequence[AnyEvent]) -> None:
    for event in events:
        match event:
            case TileDiscarded():
                tally["discarded",] += 1
            case ShipTaken(by=by):
                tally["ships", by] += 1
            case FeatureEvaluated(kind=kind, cause=cause, winners=winners, wares=wares):
                tally["evaluated", kind, cause] += 1
                tally["wares", kind] += (wares.bananas + wares.shells + wares.fish) * len(winners)
                tally["fish", cause] += wares.fish
            case FishCovered(fish=fish):
                tally["covered", str(fish)] += 1
            case _:
                pass


def _count_patterns(tally: Tally, index: TileSetIndex, game: Game) -> None:
    """Count the edge patterns around the placed tile, and those that no tile in the bag fits."""
    for step in SIDE_OFFSETS:
        packed = game.frontier.get(game.cells[-1] + step)
        if packed is not None and game.bag:
            unserved = not any(index.fitting_rotations[tile][packed] for tile in set(game.bag))
            for key in ((), (pattern_of(packed),)):
                tally["arose", *key] += 1
                tally["unserved", *key] += unserved


def pattern_of(packed: int) -> str:
    """Write the four sides of an empty cell as letters, clockwise, in the rotation that comes first in the alphabet.

    >>> pattern_of(0b00_00_10_01), pattern_of(0b10_01_00_00)
    ('..SB', '..SB')
    """
    sides = "".join(LETTERS[packed >> 2 * side & 3] for side in range(4))
    return min(sides[turn:] + sides[:turn] for turn in range(4))


def _count_features(tally: Tally, index: TileSetIndex, game: Game) -> None:
    """Count the features of the final board, and those that are complete (markets: surrounded by 8 tiles)."""
    for segment, label in enumerate(game.feature_labels):
        if segment == label:
            kind = FEATURE_KINDS[feature_kind(index, game, label)]
            tally["features", kind] += 1
            tally["complete", kind] += not game.open_slots[label]


def _count_result(tally: Tally, index: TileSetIndex, game: Game) -> None:
    result = build_view(index, game).result
    if result is None:
        raise AssertionError
    tally["games",] += 1
    tally["tiles",] += len(game.cells) - 1 + len(game.discarded)
    tally["games with a discarded tile",] += bool(game.discarded)
    tally["end", result.reason] += 1
    tally["winners",] += len(result.winners)
    for seat in result.winners:
        tally["winner's ships",] += len(game.players[seat].ships)
        tally["winner's points",] += result.scores[seat].total
    tally["points",] += sum(score.total for score in result.scores)


def figures(tally: Tally) -> dict[str, float]:
    """Return the table's rows for one number of players. Every key that ends in `share` is from 0 to 1."""
    games, winners = tally["games",], tally["winners",]
    rows = {
        "discarded tiles a game": tally["discarded",] / games,
        "discarded, share": _share(tally["discarded",], tally["tiles",]),
        "games with a discarded tile, share": tally["games with a discarded tile",] / games,
        "ships taken a game": (tally["ships", "delivery"] + tally["ships", "market"]) / games,
        "ships by delivery": tally["ships", "delivery"] / games,
        "ships by market": tally["ships", "market"] / games,
        "the winner's ships": tally["winner's ships",] / winners,
        "the winner's points": tally["winner's points",] / winners,
        "points of all players": tally["points",] / games,
    }
    rows |= {f"ends by {reason.replace('_', ' ')}, share": tally["end", reason] / games for reason in REASONS}
    for kind in FEATURE_KINDS:
        rows[f"{kind}s on the last board"] = tally["features", kind] / games
        rows[f"{kind}s completed, share"] = _share(tally["complete", kind], tally["features", kind])
    for kind, ware in zip(FEATURE_KINDS, WARES, strict=False):
        rows[f"{ware} won"] = tally["wares", kind] / games
        for cause, words in CAUSES.items():
            if kind == "sea" or cause != "boat":
                rows[f"{kind}s evaluated {words}"] = tally["evaluated", kind, cause] / games
    rows["fish of a boat's evaluation"] = _share(tally["fish", "boat"], tally["evaluated", "sea", "boat"])
    rows["single fish covered"] = tally["covered", "1"] / games
    rows["pairs of fish covered"] = tally["covered", "2"] / games
    rows["edge patterns that arose"] = tally["arose",] / games
    rows["edge patterns not served, share"] = _share(tally["unserved",], tally["arose",])
    return rows


def patterns(tally: Tally) -> dict[str, dict[str, float]]:
    """Return for each edge pattern how often it arose in a game, and the share that no tile in the bag fitted."""
    return {
        key[1]: {"arose": number / tally["games",], "share": tally["unserved", key[1]] / number}
        for key, number in sorted(tally.items())
        if key[0] == "arose" and len(key) == 2
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def markdown_table(totals: dict[int, Tally]) -> Iterator[str]:
    """Yield the lines of both tables: the figures, and the edge patterns, the least served first."""
    columns = [figures(tally) for tally in totals.values()]
    yield from _head("", totals)
    for name in columns[0]:
        cells = [f"{row[name]:.1%}" if name.endswith("share") else f"{row[name]:.2f}" for row in columns]
        yield f"| {name.removesuffix(', share')} | {' | '.join(cells)} |"
    yield ""
    counted = [patterns(tally) for tally in totals.values()]
    worst: dict[str, float] = {}
    for name, row in chain.from_iterable(column.items() for column in counted):
        worst[name] = max(worst.get(name, 0.0), row["share"])
    yield from _head("edge pattern", totals)
    for name in sorted(worst, key=lambda name: (-worst[name], name)):
        cells = [
            f"{column[name]['share']:.1%} of {column[name]['arose']:.2f}" if name in column else "-"
            for column in counted
        ]
        yield f"| `{name}` | {' | '.join(cells)} |"


def _head(first: str, totals: dict[int, Tally]) -> list[str]:
    return [
        f"| {first} | {' | '.join(f'{seats} players' for seats in totals)} |",
        f"|---|{'---:|' * len(totals)}",
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.balance", description=__doc__)
    parser.add_argument("--games", type=int, default=1000, help="games for each number of players (1000)")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5], choices=range(2, 6))
    parser.add_argument("--bot", choices=bots(), default="greedy", help="the bot of all seats (greedy)")
    parser.add_argument("--seed", default="balance", help="the seed of all games (balance)")
    parser.add_argument(
        "--tileset", type=Path, default=DEFAULT_TILESET_FILE, help="a tile set's file (the default set)"
    )
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    """Play the games, and print the tables."""
    options = _options()
    totals: dict[int, Tally] = {}
    for seats in options.players:
        seeds = (f"{options.seed}.{seats}.{number}" for number in range(options.games))
        games = (Fixture(options.tileset, options.bot, seed, seats) for seed in seeds)
        totals[seats] = sum(play_all(play, games, options.processes), Counter())
    print(*markdown_table(totals), sep="\n")


if __name__ == "__main__":
    main()
