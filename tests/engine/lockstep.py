"""Engine and reference side by side: the same game on both, compared after every action.

`python -m tests.engine.lockstep --games 3000 --seed 1` plays that many and prints what they brought up.

The one builder of games that are played without a store.

Random games on the engine alone.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest

from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.base import canonical_json
from schemas.events import AnyEvent, ShipRevealed, ShipTaken, TileDiscarded, TileDrawn
from schemas.tileset import TileSet
from schemas.vocabulary import COLORS, Edition, Wares
from service.engine import (
    Game,
    IllegalMove,
    Player,
    TileSetIndex,
    apply_action,
    build_view,
    copy_game,
    decode_snapshot,
    encode_snapshot,
    is_finished,
    legal_moves,
    move_effects,
    set_up,
)
from service.engine.queries import islander_values, player_scores, tiles_left
from service.engine.tileset_index import unpack_cell
from service.engine.tileset_validation import parse_tileset
from service.games.tilesets import shuffled_bag, shuffled_ships
from tests.reference import ReferenceGame
from tests.reference.board import Json
from tests.reference.random_play import check_invariants, choose, deal, keys, random_tileset

CREATED_AT = "2026-11-21T21:00:00Z"


def start_game(
    index: TileSetIndex, players: int | Sequence[Player] = 2, *, seed: str = "tides", **options: Any
) -> tuple[Game, list[AnyEvent]]:
    """Set up a game in which seat 0 begins, shuffled by its seed; `options` are other arguments of `set_up`."""
    if isinstance(players, int):
        players = [Player(name=color.title(), color=color, kind="human") for color in COLORS[:players]]
    defaults: dict[str, Any] = {
        "game_id": "k7m2x9qd4t1w",
        "edition": "international",
        "first_seat": 0,
        "bag": shuffled_bag(index, seed),
        "ships": shuffled_ships(index, seed),
        "seed_chosen": True,
        "commitment": bytes(32),
        "created_at": CREATED_AT,
    }
    return set_up(index, players=players, seed=seed, **(defaults | options))


LAGOON = Path(__file__).parents[2] / "service" / "tilesets" / "lagoon.json"
EDITIONS: tuple[Edition, ...] = ("international", "german")
ACTION = msgspec.json.Decoder(Action)
HIDDEN = (TileDrawn, TileDiscarded, ShipRevealed)
WRONG_ACTIONS = 4
"""How many illegal actions are tried in every position."""


class Setting(NamedTuple):
    """What a game starts from."""

    tileset: Json
    players: int
    edition: Edition
    first_seat: int
    bag: list[str]
    ships: list[str]


class Lockstep:
    """One game, played by the engine and by the reference."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.index = index = TileSetIndex(parse_tileset(canonical_json(setting.tileset)))
        self.game, self.beginning = start_game(
            index,
            setting.players,
            game_id="lockstep",
            edition=setting.edition,
            first_seat=setting.first_seat,
            bag=[index.tile_numbers[tile] for tile in setting.bag],
            ships=[index.ship_numbers[ship] for ship in setting.ships],
        )
        self.reference = ReferenceGame(
            setting.tileset,
            players=setting.players,
            edition=setting.edition,
            first_seat=setting.first_seat,
            bag=setting.bag,
            ships=setting.ships,
        )
        self.bag = Counter(setting.bag)
        self.legal: list[Json] = []
        """What may be done now, in a fixed order."""
        self.compare()

    def act(self, action: Action) -> list[AnyEvent]:
        """Apply an action to both, and return the engine's events. Raise AssertionError where they differ."""
        played, events = apply_action(self.index, self.game, action)
        expected = self.reference.apply(msgspec.to_builtins(played))
        assert _comparable(msgspec.to_builtins(events)) == _comparable(expected)
        self.compare()
        return events

    def play(self, action: Json) -> list[Json]:
        """Apply one of the `legal` actions to both, and return the events as a client gets them."""
        events: list[Json] = msgspec.to_builtins(self.act(ACTION.decode(canonical_json(action))))
        return events

    def resume(self) -> None:
        """Go on with what a snapshot gives back."""
        self.game = decode_snapshot(encode_snapshot(self.game))

    def compare(self) -> None:
        """Raise AssertionError unless engine and reference answer every question alike."""
        self.legal = sorted(self.reference.legal_actions(), key=canonical_json)
        offered = [canonical_json(action) for action in legal_moves(self.index, self.game)]
        assert sorted(offered) == [canonical_json(action) for action in self.legal]
        assert is_finished(self.game) == (not offered)
        view = msgspec.to_builtins(build_view(self.index, self.game))
        if view["turn"] is not None:
            for name in ("deadline", "undoable", "paused"):
                del view["turn"][name]
        for player in view["players"]:
            for name in ("name", "color", "kind", "bot", "resigned"):
                del player[name]
        expected = self.reference.view()
        assert {name: view[name] for name in expected} == expected
        scores = self.reference.scores()
        assert msgspec.to_builtins(player_scores(self.index, self.game)) == scores["players"]
        assert msgspec.to_builtins(islander_values(self.index, self.game)) == scores["islanders"]
        self._compare_bag(expected)
        snapshot = encode_snapshot(self.game)
        assert decode_snapshot(snapshot) == self.game
        assert encode_snapshot(decode_snapshot(snapshot)) == snapshot

    def _compare_bag(self, expected: Json) -> None:
        """R8.1: what is neither on the board, nor discarded, nor in hand is still in the bag."""
        turn = expected["turn"]
        removed = Counter(placed["tile"] for placed in expected["board"].values() if placed["order"])
        removed.update(expected["discarded"])
        if turn is not None and turn["placed"] is None:
            removed[turn["tile"]] += 1
        assert Counter(tiles_left(self.index, self.game)) == self.bag - removed

    def refuse(self, chance: Random) -> int:
        """Try a few illegal actions; gives how many. Fails where one is accepted or leaves a trace."""
        legal = {canonical_json(action) for action in self.legal}
        before = encode_snapshot(self.game)
        attempted = 0
        for action in (self._any_action(chance) for _ in range(WRONG_ACTIONS)):
            if canonical_json(action) in legal or self._is_short_for_a_legal_one(action):
                continue
            attempted += 1
            with pytest.raises(IllegalMove) as refusal:
                apply_action(self.index, self.game, action)
            assert refusal.value.rule.startswith("R")
            assert refusal.value.reason
            assert encode_snapshot(self.game) == before, action
        return attempted

    def _is_short_for_a_legal_one(self, action: Action) -> bool:
        """Whether a payment or a phase is left out where it may be (R6.5)."""
        match action:
            case Pass(None):
                return "pass" in [one["type"] for one in self.legal]
            case Deliver(ship, None):
                return [one.get("ship") for one in self.legal if one["type"] == "deliver"].count(ship) == 1
            case _:
                return False

    def _any_action(self, chance: Random) -> Action:
        """Return a well-formed action that is close to a legal one."""
        dx, dy = chance.randint(-2, 2), chance.randint(-2, 2)
        x, y = unpack_cell(chance.choice(self.game.cells))
        ship = chance.choice(self.setting.ships)
        wares = Wares(bananas=chance.randint(0, 2), shells=chance.randint(0, 2), fish=chance.randint(0, 2))
        actions: list[Action] = [
            PlaceTile(x + dx, y + dy, chance.randrange(4)),
            PlaceTile(chance.choice((-(2**31), 2**31 - 1, 600)), y, chance.randrange(4)),
            PlaceTile(x + dx, y + dy, chance.choice((-1, 4))),
            PlaceIslander(chance.randint(-1, 9)),
            RetrieveIslander(x, y, chance.randint(-1, 5)),
            RetrieveIslander(x + dx, y + dy, chance.randrange(3)),
            TakeShip(ship),
            Deliver(ship, chance.choice((wares, None))),
            Pass(chance.choice(("islander", "deliver", None))),
        ]
        return chance.choice(actions)


def _comparable(events: list[Json]) -> list[Json]:
    """Sort the final evaluations, whose order is not specified; each keeps the events that follow it."""
    first = next((place for place, event in enumerate(events) if event.get("cause") == "final"), None)
    if first is None:
        return events
    *final, finished = events[first:]
    blocks: list[list[Json]] = []
    for event in final:
        if event["type"] == "feature_evaluated":
            blocks.append([])
        blocks[-1].append(event)
    return [*events[:first], *(event for block in sorted(blocks, key=canonical_json) for event in block), finished]


@cache
def lagoon() -> Json:
    """Return the default tile set."""
    loaded: Json = msgspec.json.decode(LAGOON.read_bytes())
    return loaded


def play_one(tileset: Json, seed: int) -> Counter[str]:
    """Play one game to its end and count what happened; always the same for the same seed.

    Two of three games follow a policy that closes many features, the third takes any legal action; every other game
    goes on from a snapshot after each action.
    """
    chance = Random(seed)
    bag, ships = deal(tileset, chance)
    players = chance.randint(2, 5)
    steps = Lockstep(Setting(tileset, players, chance.choice(EDITIONS), chance.randrange(players), bag, ships))
    counts: Counter[str] = Counter(games=1)
    while steps.legal:
        counts["refused"] += steps.refuse(chance)
        action = choose(steps.reference, chance) if seed % 3 else chance.choice(steps.legal)
        counts[f"action:{action['type']}"] += 1
        counts.update(key for event in steps.play(action) for key in keys(event))
        check_invariants(tileset, steps.reference)
        if seed % 2:
            steps.resume()
    result = steps.reference.view()["result"]
    assert [one["if_ended_now"]["total"] for one in steps.reference.scores()["players"]] == [
        score["total"] for score in result["scores"]
    ]
    return counts


def play_many(games: int, seed: int) -> Iterator[tuple[int, Counter[str]]]:
    """Play games of consecutive seeds, one in ten with the default tile set, the others each with a set of its own."""
    for number in range(seed, seed + games):
        tileset = lagoon() if number % 10 == 0 else random_tileset(number, types=4 + number % 12)
        yield number, play_one(tileset, number)


def main() -> None:
    """Play and print."""
    parser = ArgumentParser(prog="tests.engine.lockstep", description="Hold the engine against the reference.")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="the first game's seed; the next game has the next one")
    requested = parser.parse_args()
    total: Counter[str] = Counter()
    for number, counts in play_many(requested.games, requested.seed):
        total += counts
        if total["games"] % 100 == 0:
            sys.stdout.write(f"{total['games']} games alike, the last has seed {number}\n")
            sys.stdout.flush()
    for name, count in sorted(total.items()):
        sys.stdout.write(f"{name:36} {count}\n")


if __name__ == "__main__":
    main()


@cache
def lagoon_index() -> TileSetIndex:
    """Return the index of the default tile set."""
    return TileSetIndex(parse_tileset(LAGOON.read_bytes()))


@cache
def random_index(seed: int) -> TileSetIndex:
    """Return the index of a random tile set."""
    return TileSetIndex(msgspec.convert(random_tileset(seed), TileSet))


def new_game(index: TileSetIndex, seed: int, players: int = 2) -> Game:
    """Return a new game whose ids, names and digests have realistic lengths."""
    chance = Random(seed)
    tiles = index.tileset.tiles
    bag = [number for number, tile in enumerate(tiles) for _ in range(tile.count - (number == index.start_tile))]
    ships = [*range(len(index.ships))]
    chance.shuffle(bag)
    chance.shuffle(ships)
    game, _ = start_game(
        index,
        [Player(name=color.title() * 4, color=color, kind="human") for color in COLORS[:players]],
        edition=EDITIONS[seed % 2],
        first_seat=seed % players,
        bag=bag,
        ships=ships,
        seed="0123456789abcdef" * 4,
        seed_chosen=False,
        commitment=bytes.fromhex("0123456789abcdef" * 4),
    )
    game.version = 1
    game.digest = bytes.fromhex("0123456789abcdef" * 2)
    game.updated_at = "2026-11-21T21:00:00Z"
    return game


def play_randomly(index: TileSetIndex, game: Game, chance: Random) -> Iterator[list[AnyEvent]]:
    """Play to the end, any legal action after the other, and give the events of each; passes are rare."""
    while moves := legal_moves(index, game):
        action = chance.choice(moves[:-1] if len(moves) > 1 and chance.random() < 0.7 else moves)
        game.version += 1
        yield apply_action(index, game, action)[1]


def check_effects(index: TileSetIndex, game: Game, move: Action) -> list[AnyEvent]:
    """Return what a move is said to cause, with a pass after it; check that it causes it, and more that is hidden."""
    said = [events for events in move_effects(index, game, move) if events is not None]
    assert said == [
        [event for event in _before_market_refill(done) if not isinstance(event, HIDDEN)]
        for done in _cause(index, game, move)
    ]
    return [*chain(*said)]


def _cause(index: TileSetIndex, game: Game, move: Action) -> Iterator[list[AnyEvent]]:
    """Yield the events of a move and, after a placement that an islander phase follows, those of passing that."""
    copy = copy_game(game)
    yield apply_action(index, copy, move)[1]
    if isinstance(move, PlaceTile) and copy.status == "active" and copy.phase == "islander":
        yield apply_action(index, copy, Pass())[1]


def _before_market_refill(events: list[AnyEvent]) -> list[AnyEvent]:
    """Return the events up to the first market's ship that another one replaces: what follows depends on that one."""
    for number, (event, following) in enumerate(pairwise(events), 1):
        if isinstance(event, ShipTaken) and event.by == "market" and isinstance(following, ShipRevealed):
            return events[:number]
    return events
