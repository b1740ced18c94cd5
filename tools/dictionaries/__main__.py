"""Makes the dictionary that stored diffs are compressed with.

usage: python -m tools.dictionaries [--games N] [--seed TEXT]

It plays games of all sizes and both editions, some by `random` and some by `greedy`, and trains a dictionary on their
diffs: service/store/dictionaries/diffs-ID.zdict. The same seed makes the same file. To use it, make it `NEWEST` of
service/store/log_entries.py. One that a release had must stay: logs that it wrote need it.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import get_args

import click

from schemas.events import AnyEvent
from schemas.vocabulary import COLORS, Edition
from service.engine import (
    Game,
    Player,
    TileSetIndex,
    apply_action,
    is_finished,
    move_id,
    set_up,
)
from service.games.bots.registry import load_bots, run_bot
from service.games.commands.create import ID_ALPHABET, ID_LENGTH
from service.games.diffs import record_change
from service.games.tilesets import load_catalogue, shuffled_bag, shuffled_ships
from service.store import log_entries

if sys.version_info >= (3, 14):
    from compression.zstd import train_dict
else:
    from backports.zstd import train_dict

DIRECTORY = Path(log_entries.__file__).parent / "dictionaries"

DICTIONARY_BYTES = 65_536
"""Twice as many save 2 %."""

KINDS = (("human",), ("human",), ("bot", "greedy"), ("bot", "random"))
"""Kinds of players, with their bots."""

PLAYING = ("random", "greedy")
"""The bots that play."""

TIMESTAMP = "%Y-%m-%dT%H:%M:%SZ"

NAMES = ("Ana", "Bo", "Chloé", "Dörte", "Emil", "Fatima", "Grete", "Hugo", "Ines", "Jan")


@click.command(help=__doc__)
@click.option("--games", default=120, show_default=True, help="Games to play.")
@click.option("--seed", default="dictionaries", show_default=True)
def main(games: int, seed: str) -> None:
    """Play the games and write the dictionary."""
    index = load_catalogue(None).get("lagoon").index
    diffs: list[bytes] = []
    with click.progressbar(range(games), label="games", file=sys.stderr) as numbers:
        for game_number in numbers:
            diffs += play(index, Random(f"{seed}-{game_number}"))  # noqa: S311 (no secrets)
    dictionary = train_dict(diffs, DICTIONARY_BYTES)
    dictionary_id = sha256(dictionary.dict_content).digest()[: log_entries.ID_BYTES]
    path = DIRECTORY / f"diffs-{dictionary_id.hex()}.zdict"
    path.write_bytes(dictionary.dict_content)
    click.echo(f"{path.name}: {len(dictionary.dict_content):,} bytes from {len(diffs):,} diffs")


def play(index: TileSetIndex, rng: Random) -> Iterator[bytes]:
    """Play one game; yield each diff as a log's entry has it."""
    now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=rng.randrange(10 * 365 * 86_400))
    game, events = new_game(index, rng, now.strftime(TIMESTAMP))
    bots = [loaded.bot for loaded in load_bots(plugins=False) if loaded.bot.name in PLAYING]
    players = [rng.choice(bots) for _ in game.players]
    diff = record_change(index, game, events, game.created_at)
    while True:
        yield log_entries.shorten(game.id, diff)
        if is_finished(game):
            return
        now += timedelta(seconds=rng.choice((0, 1, 3, 8, 20, 60, 3_600)))
        seat = game.decider
        action, events = apply_action(index, game, run_bot(players[seat], index, game))
        by = "bot" if game.players[seat].kind == "bot" else rng.choice(("seat", "seat", "owner", "clock"))
        diff = record_change(index, game, events, now.strftime(TIMESTAMP), seat=seat, move=move_id(action), by=by)


def new_game(index: TileSetIndex, rng: Random, now: str) -> tuple[Game, list[AnyEvent]]:
    """Set up a game of any size and edition."""
    names, seed, number = rng.sample(NAMES, 5), rng.randbytes(32).hex(), rng.randint(2, 5)
    return set_up(
        index,
        game_id="".join(rng.choices(ID_ALPHABET, k=ID_LENGTH)),
        edition=rng.choice(get_args(Edition)),
        players=[
            Player(names[seat], COLORS[seat], kind="human" if bot is None else "bot", bot=bot)
            for seat, bot in enumerate(rng.choices((None, None, "greedy", "random"), k=number))
        ],
        first_seat=rng.randrange(number),
        bag=shuffled_bag(index, seed),
        ships=shuffled_ships(index, seed),
        seed=seed,
        seed_chosen=False,
        commitment=rng.randbytes(32),
        created_at=now,
    )


if __name__ == "__main__":
    main()
