"""Whole games played beforehand, so that the load asks for legal actions without asking for the moves."""

import itertools
import random
import zlib
from typing import NamedTuple

from schemas.vocabulary import Color
from service.engine import Game, Player, Tables, apply, encode, is_finished, legal_moves, move_id, set_up
from service.games.diffs import record
from service.games.shuffle import shuffled_bag, shuffled_ships
from service.games.tilesets import LoadedTileSet, load_catalogue

COLORS: tuple[Color, ...] = ("red", "blue", "green", "yellow", "black")
MID_GAME_TILES = 36


class SampleGame(NamedTuple):
    """A random game: its moves, and how many bytes its snapshot and the diff have after each."""

    seed: str
    moves: list[str]
    snapshots: list[int]
    diffs: list[int]
    deflated: list[int]
    """A diff, compressed by itself as permessage-deflate sends it (RFC 7692, 7.2.1)."""


def archipelago() -> LoadedTileSet:
    """The default tile set."""
    return load_catalogue(None).of_game("archipelago")


def new_game(tables: Tables, seed: str, players: int = 2) -> Game:
    """A game as the service sets it up from a seed, seat 0 being first."""
    game, _ = set_up(
        tables,
        game_id="0" * 12,
        edition="international",
        players=[Player(name=f"Player {seat}", color=COLORS[seat], kind="human") for seat in range(players)],
        first_seat=0,
        bag=shuffled_bag(tables, seed),
        ships=shuffled_ships(tables, seed),
        seed=seed,
        seed_chosen=True,
        commitment="0" * 64,
        created_at="2026-11-21T21:00:00Z",
    )
    game.version, game.digest = 1, "0" * 32
    return game


def sample_game(tables: Tables, seed: str) -> SampleGame:
    """Play a whole random game and weigh it."""
    game, chance = new_game(tables, seed), random.Random(seed)
    sample = SampleGame(seed, [], [], [], [])
    while not is_finished(game):
        action, events = apply(tables, game, chance.choice(legal_moves(tables, game)))
        sample.moves.append(move_id(action))
        diff = record(tables, game, events, at=game.created_at, seat=0, move=sample.moves[-1], by="owner")
        sample.snapshots.append(len(encode(game)))
        sample.diffs.append(len(diff.data))
        sample.deflated.append(len(_deflated(diff.data)))
    return sample


def mid_games(tables: Tables, number: int) -> list[Game]:
    """Games at the placing of the middle turn's tile."""
    return games_at(tables, MID_GAME_TILES, number)


def games_at(tables: Tables, tiles: int, number: int) -> list[Game]:
    """Games at the placing of a tile while `tiles` lie on the board; a game that never gets there is left out."""
    games: list[Game] = []
    for seed in itertools.count():
        game, chance = new_game(tables, f"mid-{seed}"), random.Random(seed)
        while not is_finished(game) and (len(game.cells) < tiles or game.phase != "place_tile"):
            apply(tables, game, chance.choice(legal_moves(tables, game)))
        if len(game.cells) == tiles and not is_finished(game):
            games.append(game)
        if len(games) == number:
            return games
    raise AssertionError


def _deflated(data: bytes) -> bytes:
    press = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return (press.compress(data) + press.flush(zlib.Z_SYNC_FLUSH))[:-4]
