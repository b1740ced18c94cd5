"""Whole games played in advance, so that the load sends legal actions without reading the legal moves."""

import itertools
import random
import zlib
from functools import cache
from typing import NamedTuple

import msgspec

from schemas.vocabulary import COLORS, Edition
from service.engine import (
    Game,
    Player,
    TileSetIndex,
    apply_action,
    build_view,
    encode_snapshot,
    is_finished,
    legal_moves,
    move_id,
    set_up,
)
from service.games.diffs import record_change
from service.games.tilesets import LoadedTileSet, load_catalogue, shuffled_bag, shuffled_ships
from service.store import log_entries

MID_GAME_TILES = 36
SAMPLES = 24
COMMIT_ID = bytes(log_entries.COMMIT_ID_BYTES)


class SampleGame(NamedTuple):
    """A random game: its moves with their seats, and sizes in bytes after each."""

    seed: str
    moves: list[str]
    seats: list[int]
    snapshots: list[int]
    """As it is stored."""
    entries: list[int]
    """Of the log."""
    diffs: list[int]
    deflated: list[int]
    """The size of the diff, compressed alone as permessage-deflate does (RFC 7692, 7.2.1)."""
    views: list[int]


@cache
def samples() -> list[SampleGame]:
    """Return random games."""
    index = lagoon().index
    return [sample_game(index, f"load-{number}") for number in range(SAMPLES)]


def lagoon() -> LoadedTileSet:
    """Return the default tile set."""
    return load_catalogue(None).get("lagoon")


def new_game(
    index: TileSetIndex, seed: str, players: int = 2, *, first: int = 0, edition: Edition = "international"
) -> Game:
    """Set up a game from a seed as the service does."""
    game, _ = set_up(
        index,
        game_id="0" * 12,
        edition=edition,
        players=[Player(name=f"Player {seat}", color=COLORS[seat], kind="human") for seat in range(players)],
        first_seat=first,
        bag=shuffled_bag(index, seed),
        ships=shuffled_ships(index, seed),
        seed=seed,
        seed_chosen=True,
        commitment=bytes(32),
        created_at="2026-11-21T21:00:00Z",
    )
    game.version, game.digest = 1, bytes(16)
    return game


def sample_game(index: TileSetIndex, seed: str) -> SampleGame:
    """Play a whole random game, and record its sizes."""
    game, rng = new_game(index, seed), random.Random(seed)
    sample = SampleGame(seed, [], [], [], [], [], [], [])
    while not is_finished(game):
        sample.seats.append(game.decider)
        action, events = apply_action(index, game, rng.choice(legal_moves(index, game)))
        sample.moves.append(move_id(action))
        diff = record_change(index, game, events, game.created_at, seat=0, move=sample.moves[-1], by="owner")
        sample.snapshots.append(len(encode_snapshot(game)))
        sample.entries.append(len(log_entries.pack(COMMIT_ID, game.id, diff)))
        sample.diffs.append(len(diff.data))
        sample.deflated.append(len(_deflated(diff.data)))
        sample.views.append(len(msgspec.json.encode(build_view(index, game))))
    return sample


def games_at(index: TileSetIndex, tiles: int, number: int) -> list[Game]:
    """Return games with `tiles` on the board in which a tile must be placed; skip games that end earlier."""
    games: list[Game] = []
    for seed in itertools.count():
        game, rng = new_game(index, f"mid-{seed}"), random.Random(seed)
        while not is_finished(game) and (len(game.cells) < tiles or game.phase != "place_tile"):
            apply_action(index, game, rng.choice(legal_moves(index, game)))
        if len(game.cells) == tiles and not is_finished(game):
            games.append(game)
        if len(games) == number:
            return games
    raise AssertionError


def _deflated(data: bytes) -> bytes:
    press = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return (press.compress(data) + press.flush(zlib.Z_SYNC_FLUSH))[:-4]
