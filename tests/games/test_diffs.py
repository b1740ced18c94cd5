"""Every diff's patch, applied by a public JSON Patch library, gives exactly the GAME of its version."""

import json
from random import Random
from typing import Any

import jsonpatch
import msgspec
import pytest

from schemas.base import encode_json
from schemas.diffs import next_digest
from schemas.events import AnyEvent
from schemas.vocabulary import COLORS, Edition
from service.engine import (
    Game,
    Player,
    apply_action,
    build_view,
    legal_moves,
    mark_aborted,
    move_id,
    next_open_seat,
    take_seat,
)
from service.games.bots import greedy
from service.games.bots.registry import run_bot
from service.games.diffs import record_change
from service.games.ports import StoredDiff
from service.games.tilesets import DEFAULT_TILESET, load_catalogue
from tests.engine.new_games import start_game
from tests.games.game_logs import check_patch_form
from tests.rules.board_parser import BOARDS
from tests.rules.rules_game import RED, Table

TABLES = load_catalogue(None).get(DEFAULT_TILESET).index


class Follower:
    """A client that knows a game by its diffs alone, and compares it with GAME each time."""

    def __init__(self) -> None:
        self.game: Any = {}
        self.digest: str | None = None
        self.versions = 0

    def follow(self, game: Game, stored: StoredDiff) -> None:
        """Apply one diff."""
        diff = json.loads(stored.data)
        check_patch_form(diff["patch"])
        self.game = jsonpatch.apply_patch(self.game, diff["patch"])
        self.versions += 1
        assert diff["version"] == self.versions == game.version
        assert self.game == json.loads(encode_json(build_view(TABLES, game)))
        assert self.game["updated_at"] == diff["at"]
        self._follow_digest(game, diff)

    def _follow_digest(self, game: Game, diff: dict[str, Any]) -> None:
        """Compute the digests again from the diffs' bodies."""
        digest = diff.pop("digest")
        body = json.dumps(diff, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        assert digest == next_digest(self.digest or self.game["deck"]["commitment"], body) == game.digest
        self.digest = digest


def new_game(seed: str, edition: Edition, kinds: str) -> tuple[Game, list[AnyEvent]]:
    """Set up a game with a person (p), a bot (b) or nobody yet (o) in each seat."""
    players = [
        Player(name=None, color=None, kind="open")
        if kind == "o"
        else Player(name=f"Zoë {seat}", color=COLORS[seat], kind="human")
        if kind == "p"
        else Player(name="Greedy", color=COLORS[seat], kind="bot", bot="greedy")
        for seat, kind in enumerate(kinds)
    ]
    return start_game(TABLES, players, seed=seed, edition=edition)


def change(follower: Follower, game: Game, events: list[AnyEvent], **of_action: Any) -> None:
    """Make a diff of a change, and follow it."""
    at = f"2026-11-21T21:{game.version // 60 % 60:02}:{game.version % 60:02}Z"
    follower.follow(game, record_change(TABLES, game, events, at, **of_action))


def act(follower: Follower, game: Game, chance: Random) -> None:
    """One action of whoever decides: a bot's, or a person's by chance."""
    seat, is_bot = game.decider, game.players[game.decider].bot is not None
    legal = list(legal_moves(TABLES, game))
    chosen = run_bot(greedy.BOT, TABLES, game) if is_bot else chance.choice(legal)
    finished, events = apply_action(TABLES, game, chosen)
    change(follower, game, events, seat=seat, move=move_id(finished), by="bot" if is_bot else "seat")


@pytest.mark.parametrize("edition", ("international", "german"))
@pytest.mark.parametrize("kinds", ("pp", "pb", "bbbbb", "poo", "obop"))
@pytest.mark.parametrize("seed", ("tides", "reef"))
def test_the_patches_of_a_whole_game(seed: str, kinds: str, edition: Edition) -> None:
    chance, follower = Random(f"{seed} {kinds} {edition}"), Follower()
    game, events = new_game(seed, edition, kinds)
    change(follower, game, events)
    while (seat := next_open_seat(game)) is not None:
        change(follower, game, take_seat(TABLES, game, seat, f"Late {seat}", COLORS[seat]))
    while game.status == "active":
        act(follower, game, chance)
    assert follower.game["result"]["scores"]
    assert follower.game["deck"]["seed"] == seed


def test_the_patch_of_a_turn_that_discards_the_rest_of_the_bag() -> None:
    """R3.5: the last tile fits nowhere."""
    table = Table(BOARDS["last tile fits nowhere"], spares=0)
    record_change(table.index, table.game, table.beginning, table.game.created_at)
    before = msgspec.to_builtins(table.view())
    diff = json.loads(record_change(table.index, table.game, table.lay(RED), table.game.created_at).data)
    after = msgspec.to_builtins(table.view())
    assert (before["bag"], after["bag"], after["discarded"]) == (1, 0, ["tile-2"])
    assert jsonpatch.apply_patch(before, diff["patch"]) == after


@pytest.mark.parametrize("actions", (0, 1, 20))
def test_the_patch_of_an_abort(actions: int) -> None:
    chance, follower = Random(actions), Follower()
    game, events = new_game("tides", "international", "pp")
    change(follower, game, events)
    for _ in range(actions):
        act(follower, game, chance)
    change(follower, game, mark_aborted(game))
    assert (follower.game["status"], follower.game["turn"], follower.game["result"]) == ("aborted", None, None)
