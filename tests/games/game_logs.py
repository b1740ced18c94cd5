"""Whole games and their logs, played without a store."""

from typing import Any

import msgspec

from schemas.vocabulary import Color, Edition
from service.engine import Game, Player, apply_action, is_finished, legal_moves, move_id, take_seat
from service.games.diffs import canonical_body, next_digest, record_change
from service.games.history import Check, verify
from service.games.ports import StoredDiff
from service.games.tilesets import LoadedTileSet, SeededRNG, commitment, load_catalogue
from tests.engine.lockstep import CREATED_AT, start_game

AT = CREATED_AT
COLORS: tuple[Color, ...] = ("red", "blue", "green", "yellow", "black")
CATALOGUE = load_catalogue(None)
LAGOON = CATALOGUE.get("lagoon")


def new_game(
    seed: str, players: int = 2, edition: Edition = "international", tileset: LoadedTileSet = LAGOON
) -> tuple[Game, list[StoredDiff]]:
    """Return a game whose last seat is open, and the diff of its creation."""
    index = tileset.index
    people = [Player(name=f"P{seat}", color=COLORS[seat], kind="human") for seat in range(players - 1)]
    game_id = f"game-{seed}".lower()[:32]
    seats = [*people, Player(name=None, color=None, kind="open")]
    game, events = start_game(
        index, seats, seed=seed, game_id=game_id, edition=edition, commitment=commitment(game_id, seed, tileset.hash)
    )
    return game, [record_change(index, game, events, AT)]


def play_game(
    seed: str, players: int = 2, edition: Edition = "international", tileset: LoadedTileSet = LAGOON
) -> list[StoredDiff]:
    """Play a random game to its end and return its log; the last player joins at version 2."""
    index = tileset.index
    game, log = new_game(seed, players, edition, tileset)
    log.append(record_change(index, game, take_seat(index, game, players - 1, "Zoë", COLORS[players - 1]), AT))
    while not is_finished(game):
        moves = legal_moves(index, game)
        action = moves[SeededRNG(seed, game.version).below(len(moves))]
        seat = game.decider
        action, events = apply_action(index, game, action)
        log.append(record_change(index, game, events, AT, seat=seat, move=move_id(action), by="seat"))
    return log


def decode_log(log: list[StoredDiff]) -> list[dict[str, Any]]:
    """Decode the diffs as a client does."""
    return [msgspec.json.decode(diff.data) for diff in log]


def check_patch_form(patch: list[dict[str, Any]]) -> None:
    """Fail unless a patch adds and removes members by name, and goes into no list but the players'."""
    for operation in patch:
        assert operation["op"] in ("add", "remove")
        parts = operation["path"].split("/")
        assert not parts[-1].isdecimal()
        assert [part for part in parts if part.isdecimal()] == (parts[2:3] if parts[1] == "players" else [])


def failed_check(log: list[dict[str, Any]]) -> Check:
    """Return the first check that a log does not pass."""
    return next(check for check in verify(log, LAGOON.tileset) if check.passed is False)


def rechain(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the diffs with matching digests, as a forger would compute them."""
    deck = next(operation["value"] for operation in log[0]["patch"] if operation["path"] == "/deck")
    digest = bytes.fromhex(deck["commitment"])
    for diff in log:
        digest = next_digest(digest, canonical_body(diff))
        diff["digest"] = digest.hex()
    return log
