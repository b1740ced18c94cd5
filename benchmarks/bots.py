"""Plays whole games between bots in several processes."""

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from service.engine import TileSetIndex
from service.engine.tileset_validation import parse_tileset
from service.games.bots.interface import Bot
from service.games.bots.registry import load_bots
from service.games.tilesets import BUILT_IN_DIRECTORY, DEFAULT_TILESET

DEFAULT_TILESET_FILE = BUILT_IN_DIRECTORY / f"{DEFAULT_TILESET}.json"

A = TypeVar("A")
B = TypeVar("B")


@cache
def bots() -> dict[str, Bot]:
    """Return all bots by name, with plug-ins."""
    return {loaded.bot.name: loaded.bot for loaded in load_bots(plugins=True)}


@cache
def load_tileset_index(tileset: Path) -> TileSetIndex:
    """Return the index of a tile set's file, cached in each process."""
    return TileSetIndex(parse_tileset(tileset.read_bytes()))


def play_all(play: Callable[[A], B], games: Iterable[A], processes: int) -> Iterator[B]:
    """Play the games, yield their results in order, and print the progress to standard error."""
    fixtures, started = [*games], perf_counter()
    with get_context("spawn").Pool(processes) as pool:
        for finished, played in enumerate(pool.imap(play, fixtures), 1):
            yield played
            print(f"\r{finished} of {len(fixtures)} games, {perf_counter() - started:.0f} s", end="", file=sys.stderr)
    print(file=sys.stderr)
