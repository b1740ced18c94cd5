"""What a move is said to cause is what it causes and depends on nothing hidden; move ids are short and distinct."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from random import Random
from typing import NamedTuple, get_args

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import astuple

from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.events import AnyEvent, GameFinished, ShipTaken
from schemas.vocabulary import WARES, Phase, Wares
from service.engine import (
    Game,
    TileSetIndex,
    apply_action,
    copy_game,
    encode_snapshot,
    legal_moves,
    move_effects,
    move_feature,
    move_id,
    parse_move_id,
)
from service.engine.delivery import affordable_payments, missing_wares
from service.engine.queries import islander_values
from service.engine.tileset_index import unpack_cell
from service.engine.tileset_validation import parse_tileset
from service.games.bots import greedy
from service.games.bots.registry import run_bot
from tests.engine.lockstep import (
    EDITIONS,
    LAGOON,
    check_effects,
    lagoon_index,
    new_game,
    play_randomly,
    random_index,
    start_game,
)

INDEXES: tuple[Callable[[], TileSetIndex], ...] = (lagoon_index, *(partial(random_index, seed) for seed in range(12)))
GAMES = 16
"""Two to five players in turn, in either edition, with each tile set."""

SENSIBLE_SEEDS = ("menu-1", "tides", "reef")
MOVES_PER_POSITION = 4


class Case(NamedTuple):
    """A position, and some of its legal moves."""

    tileset_index: TileSetIndex
    game: Game
    moves: list[Action]


def play_games() -> Iterator[Case]:
    """Yield the positions of random games, and of sensible ones, since random players seldom get a ship."""
    for seed in range(GAMES):
        index, chance = INDEXES[seed % len(INDEXES)](), Random(seed)
        game = new_game(index, seed, players=2 + seed // 2 % 4)
        yield Case(index, game, legal_moves(index, game))
        for _ in play_randomly(index, game, chance):
            yield choose_case(index, game, chance)
    for name, edition in product(SENSIBLE_SEEDS, EDITIONS):
        index, chance = lagoon_index(), Random(name)
        game, _ = start_game(index, seed=name, edition=edition)
        while game.status == "active":
            yield choose_case(index, game, chance)
            apply_action(index, game, run_bot(greedy.BOT, index, game))


def choose_case(index: TileSetIndex, game: Game, chance: Random) -> Case:
    """Return a position with some of its legal moves."""
    moves = legal_moves(index, game)
    return Case(index, game, chance.sample(moves, min(len(moves), MOVES_PER_POSITION)))


def test_effects_are_what_the_action_causes_without_what_is_hidden() -> None:
    """Wares gained, islanders returned, fish covered, ships taken and the end of the game: all is as said, in order.

    The boards of `tests/rules` add several markets.
    """
    seen: Counter[type[AnyEvent]] = Counter()
    phases: set[Phase] = set()
    for index, game, moves in play_games():
        before = encode_snapshot(game)
        for move in moves:
            seen.update(map(type, check_effects(index, game, move)))
            phases.add(game.phase)
        assert encode_snapshot(game) == before
    assert phases == {*get_args(Phase)}
    assert seen[ShipTaken] > 20
    assert seen[GameFinished] > 5


def test_no_effect_depends_on_the_order_of_bag_and_ship_pile() -> None:
    for number, (index, game, moves) in enumerate(play_games()):
        other, chance = copy_game(game), Random(number)
        chance.shuffle(other.bag)
        chance.shuffle(other.ship_pile)
        for move in moves:
            assert move_effects(index, other, move) == move_effects(index, game, move)
            assert move_feature(index, other, move) == move_feature(index, game, move)


def test_the_feature_of_an_islander_gives_what_its_value_says_and_lacks_what_is_open() -> None:
    kinds: Counter[str] = Counter()
    for index, game, moves in play_games():
        values = {(value.x, value.y, value.segment): value for value in islander_values(index, game)}
        for move in moves:
            feature = move_feature(index, game, move)
            if not isinstance(move, PlaceIslander | RetrieveIslander):
                assert feature is None
                continue
            assert feature is not None
            if isinstance(move, PlaceIslander):
                label = game.feature_labels[game.first_segments[-1] + move.segment]
                assert not feature.islanders
                assert unpack_cell(game.cells[-1]) in {(cell.x, cell.y) for cell in feature.cells}
                assert bool(feature.open) == bool(game.open_slots[label])
                assert feature.open <= game.open_slots[label]
            else:
                value = values[move.x, move.y, move.segment]
                most = max(count.count for count in feature.islanders)
                held = next(count.count for count in feature.islanders if count.seat == game.seat)
                assert (feature.kind, held == most) == (value.kind, value.majority)
                if value.majority and value.unit in WARES:
                    assert getattr(feature.wares, value.unit) == value.value
            kinds[feature.kind] += 1
    assert min(kinds[kind] for kind in ("bridge", "island", "sea", "market")) > 20


@pytest.mark.parametrize("make_index", INDEXES)
def test_with_the_missing_wares_a_player_can_pay_and_with_fewer_not(make_index: Callable[[], TileSetIndex]) -> None:
    index, chance = make_index(), Random(7)
    player = new_game(index, seed=1).players[0]
    for ship, _ in enumerate(index.ships):
        player.wares = held = [chance.randrange(4) for _ in WARES]
        *named, other = astuple(missing_wares(index, player, ship))
        total = sum(named) + other
        enough = []
        for extra in product(range(total + 1), repeat=3):
            player.wares = [a + b for a, b in zip(held, extra, strict=True)]
            if sum(extra) <= total and affordable_payments(index, player, ship):
                enough.append(extra)
        assert enough
        assert {sum(extra) for extra in enough} == {total}
        assert [*map(min, zip(*enough, strict=True))] == named


ID = re.compile(r"[A-Za-z0-9.:-]{1,24}")


def long_names() -> TileSetIndex:
    """Return the default tile set with ids of maximum length."""
    data = msgspec.json.decode(LAGOON.read_bytes())
    longer = {tile["id"]: f"{tile['id']}-{'tile' * 8}"[:29] + f"{place:03}" for place, tile in enumerate(data["tiles"])}
    for tile in data["tiles"]:
        tile["id"] = longer[tile["id"]]
    for place, ship in enumerate(data["ships"]):
        ship["id"] = f"ship-{place:03}"
    data["start"] = longer[data["start"]]
    index = TileSetIndex(parse_tileset(msgspec.json.encode(data)))
    assert {len(name) for name in index.tile_ids} == {32}
    assert {len(name) for name in index.ship_ids} == {8}
    return index


MOVE_IDS_INDEXES = (
    *(pytest.param(lagoon_index, seed, id=f"lagoon {seed}") for seed in range(8)),
    *(pytest.param(long_names, seed, id=f"long names {seed}") for seed in range(8)),
    *(pytest.param(partial(random_index, seed), seed, id=f"random {seed}") for seed in range(30)),
)


@pytest.mark.parametrize(("make_index", "seed"), MOVE_IDS_INDEXES)
def test_ids_are_short_and_distinct(make_index: Callable[[], TileSetIndex], seed: int) -> None:
    index = make_index()
    game = new_game(index, seed, 2 + seed % 4)
    check_moves(index, game)
    for _ in play_randomly(index, game, Random(seed)):
        check_moves(index, game)


def check_moves(index: TileSetIndex, game: Game) -> None:
    actions = legal_moves(index, game)
    ids = [move_id(action) for action in actions]
    assert [parse_move_id(name) for name in ids] == actions
    assert len(set(ids)) == len(ids)
    assert all(ID.fullmatch(name) for name in ids)


@pytest.mark.parametrize(
    ("action", "name"),
    (
        (PlaceTile(3, -2, 1), "p3.-2.1"),
        (PlaceTile(-499, -499, 3), "p-499.-499.3"),
        (PlaceIslander(2), "i2"),
        (RetrieveIslander(1, 0, 2), "r1.0.2"),
        (RetrieveIslander(-499, -499, 12), "r-499.-499.12"),
        (TakeShip("s07"), "t.s07"),
        (TakeShip("ship--99"), "t.ship--99"),
        (Deliver("s01", Wares(bananas=1, shells=2, fish=0)), "d.s01.1.2.0"),
        (Deliver("ship--99", Wares(bananas=60, shells=60, fish=60)), "d.ship--99.60.60.60"),
        (Pass("islander"), "pass.islander"),
        (Pass("deliver"), "pass.deliver"),
    ),
)
def test_an_id_means_the_same_in_every_position(action: Action, name: str) -> None:
    assert parse_move_id(name) == action
    assert move_id(action) == name
    assert len(name) <= 24


@pytest.mark.parametrize(
    "text",
    (
        *("", "p", "p1", "p1.2", "p1.2.4", "p1.2.-1", "p-0.0.0", "p01.0.0", "p1.2.3.", " p1.2.3", "p1.2.3\n", "P1.2.3"),
        *("i", "i-1", "i01", "r1.0", "r1.0.-2", "t.", "t.S07", "t.ninechars", "d.s01", "d.s01.1.2", "d.s01.-1.0.0"),
        *("pass", "pass.", "pass.place_tile", "pass.islander ", "p\u0661.0.0", "d.s01.1.2.0.0", "p9999999.0.0"),
    ),
)
def test_what_is_no_id_is_no_move(text: str) -> None:
    assert parse_move_id(text) is None


@given(st.from_regex(r"[pirtd](-?\d{1,8}|\.|s\d\d){0,6}", fullmatch=True) | st.text(max_size=30))
@example("p0.0.0")
def test_an_id_that_is_read_is_written_the_same(text: str) -> None:
    action = parse_move_id(text)
    assert action is None or move_id(action) == text
