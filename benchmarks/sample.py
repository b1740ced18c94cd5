"""Whole games played beforehand, so that the load asks for legal actions without asking for the moves."""

import random
from typing import NamedTuple

from schemas.vocabulary import Color
from service.engine import Game, Player, Tables, apply, encode, is_finished, legal_moves, move_id, set_up
from service.games.diffs import record
from service.games.shuffle import shuffled_bag, shuffled_ships
from service.games.tilesets import LoadedTileSet, load_catalogue

COLORS: tuple[Color, ...] = ("red", "blue", "green", "yellow", "black")
MID_GAME_TURN = 36


class SampleGame(NamedTuple):
    """A random game: its moves, and what it weighs on average, in bytes."""

    seed: str
    moves: list[str]
    snapshot_bytes: int
    diff_bytes: int


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
    moves, snapshots, diffs = [], 0, 0
    while not is_finished(game):
        action, events = apply(tables, game, chance.choice(legal_moves(tables, game)))
        moves.append(move_id(action))
        diff = record(tables, game, events, at=game.created_at, seat=0, move=moves[-1], by="owner")
        snapshots += len(encode(game))
        diffs += len(diff.data)
    return SampleGame(seed, moves, snapshots // len(moves), diffs // len(moves))


def mid_games(tables: Tables, number: int) -> list[Game]:
    """Games at the placing of the middle turn's tile."""
    games = []
    for seed in range(number):
        game, chance = new_game(tables, f"mid-{seed}"), random.Random(seed)
        while game.number < MID_GAME_TURN or game.phase != "place_tile":
            apply(tables, game, chance.choice(legal_moves(tables, game)))
        games.append(game)
    return games
