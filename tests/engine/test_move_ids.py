"""Move ids: short, distinct, and read back to the same action."""

import re
from random import Random

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.tileset import TileSet
from schemas.vocabulary import Wares
from service.engine import Game, TileSetIndex, legal_moves, move_id, parse_move_id
from service.engine.tileset_validation import parse_tileset
from tests.engine.lockstep import LAGOON
from tests.engine.random_games import lagoon_index, new_game, play_randomly
from tests.reference.random_tilesets import random_tileset

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


INDEXES = (
    *(pytest.param(lagoon_index(), seed, id=f"lagoon {seed}") for seed in range(8)),
    *(pytest.param(long_names(), seed, id=f"long names {seed}") for seed in range(8)),
    *(pytest.param(TileSetIndex(msgspec.convert(random_tileset(seed), TileSet)), seed) for seed in range(30)),
)


@pytest.mark.parametrize(("index", "seed"), INDEXES)
def test_ids_are_short_and_distinct(index: TileSetIndex, seed: int) -> None:
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
