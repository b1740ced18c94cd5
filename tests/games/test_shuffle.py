"""The provable shuffle, against the contract's text done once more here, and against numbers worked out by hand.

n(label, i, m) = the first 6 bytes, big-endian, of SHA-256(`SEED:LABEL:I`), mod m. `bag`: tiles in file order, `count`
times each, less one `start`; `ships`: in file order; for i from last down to 1 swap i with n(label, i, i+1); draw from
index 0. Random first seat: n(`first`, 0, players). `commitment` = SHA-256 hex of `GAME_ID:SEED:SET`, SET = hex SHA-256
of the tile set's answer in RFC 8785 form.
"""

import hashlib
import json
from itertools import permutations
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import encode_json
from schemas.tileset import TileSet
from service.engine import TileSetIndex
from service.games import tilesets
from service.games.tilesets import random_seed
from tests.reference.random_play import random_tileset

SEEDS = ("tides", "0", "A.b_c-9", "f" * 64)

NUMBERS = (
    *(("bag", 71, 72, 0xCAF9905701D3, 3), ("bag", 4, 5, 0xFA1335973764, 3), ("bag", 3, 4, 0x8860E94661C0, 0)),
    *(("bag", 2, 3, 0x63BACCF885B8, 1), ("bag", 1, 2, 0x23B2F9609A2C, 0)),
    *(("ships", 23, 24, 0x67EFBC9D00A1, 17), ("first", 0, 5, 0xE7441F7F0C67, 2)),
)
"""For the seed `tides`: label, i, m, the first 12 digits that `printf %s tides:LABEL:I | sha256sum` prints, and n."""

CANONICAL = (
    '{"id":"two","name":"Zwei Inseln – Südsee","provenance":"test",'
    '"ships":[{"cost":{"any":1,"bananas":0,"fish":0,"same":[2],"shells":0},"id":"s1","points":3}],"start":"open",'
    '"tiles":[{"count":3,"edges":{"e":"sea","n":"sea","s":"sea","w":"sea"},"id":"open","segments":['
    '{"boat":false,"fish":[1,2],"halves":[0,1,2,3,4,5,6,7],"kind":"sea"},{"bananas":2,"edges":[],"kind":"island"},'
    '{"kind":"market"}]}]}'
)
SET = "31c0824fbd81dbef5dfe42ba2f9b1b6707aa44f210df2b2a05ae159cdc51a378"
COMMITMENT = "5a7c576046a2553e0c0b815307608d3ab5eb25795614e8c59c21eb602bcfedc2"
"""What sha256sum prints for CANONICAL, and for `k7m2x9qd4t1w:tides:SET`."""


def n(seed: str, label: str, i: int, m: int) -> int:
    digest = hashlib.sha256(f"{seed}:{label}:{i}".encode("ascii")).hexdigest()
    return int(digest[:12], 16) % m


def shuffled(seed: str, label: str, cards: list[Any]) -> list[Any]:
    for i in reversed(range(1, len(cards))):
        j = n(seed, label, i, i + 1)
        stored = cards[i]
        cards[i] = cards[j]
        cards[j] = stored
    return cards


def bag_in_file_order(tileset: dict[str, Any]) -> list[str]:
    bag: list[str] = []
    for tile in tileset["tiles"]:
        bag.extend([tile["id"]] * (tile["count"] - 1 if tile["id"] == tileset["start"] else tile["count"]))
    return bag


def rfc_8785(value: Any) -> bytes:
    """Enough of it for ASCII member names, integers, booleans and strings."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize(("label", "i", "m", "digits", "expected"), NUMBERS)
def test_a_number_is_the_first_6_bytes_of_the_hash(label: str, i: int, m: int, digits: int, expected: int) -> None:
    assert digits % m == expected
    assert n("tides", label, i, m) == expected
    assert tilesets.seeded_number("tides", label, i, m) == expected


def test_a_shuffle_swaps_from_the_last_down_to_the_second() -> None:
    """5 cards change places 4-3, 3-0, 2-1 and 1-0, as the numbers above say."""
    cards = ["a", "b", "c", "d", "e"]
    tilesets.shuffle("tides", "bag", cards)
    assert cards == ["c", "e", "b", "a", "d"]


@given(
    seed=st.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True),
    label=st.sampled_from(("bag", "ships")),
    number=st.integers(0, 72),
)
def test_any_shuffle_is_as_specified(seed: str, label: str, number: int) -> None:
    cards = [*range(number)]
    tilesets.shuffle(seed, label, cards)
    assert cards == shuffled(seed, label, [*range(number)])


@pytest.mark.parametrize("seed", SEEDS)
def test_bag_and_ships_are_shuffled_from_file_order_the_bag_without_one_start_tile(seed: str) -> None:
    for number in range(10):
        tileset = random_tileset(number)
        index = TileSetIndex(msgspec.convert(tileset, TileSet))
        bag = [index.tile_ids[tile] for tile in tilesets.shuffled_bag(index, seed)]
        assert bag == shuffled(seed, "bag", bag_in_file_order(tileset))
        ships = [index.ship_ids[ship] for ship in tilesets.shuffled_ships(index, seed)]
        assert ships == shuffled(seed, "ships", [ship["id"] for ship in tileset["ships"]])


def test_a_drawn_seed_has_256_random_bits() -> None:
    drawn = {random_seed() for _ in range(100)}
    assert len(drawn) == 100
    assert {len(bytes.fromhex(seed)) for seed in drawn} == {32}


@pytest.mark.parametrize(("players", "seat"), ((2, 1), (3, 2), (4, 3), (5, 2)))
def test_the_first_seat(players: int, seat: int) -> None:
    assert tilesets.first_seat("tides", players) == n("tides", "first", 0, players) == seat


def test_a_tile_sets_hash_and_the_commitment() -> None:
    tileset = msgspec.json.decode(CANONICAL, type=TileSet)
    assert rfc_8785(json.loads(encode_json(tileset))) == CANONICAL.encode()
    assert tilesets.tileset_hash(tileset) == SET
    assert tilesets.commitment("k7m2x9qd4t1w", "tides", SET).hex() == COMMITMENT


@pytest.mark.parametrize("number", range(5))
def test_any_tile_sets_hash_is_that_of_its_answer_in_rfc_8785_form(number: int) -> None:
    tileset = msgspec.convert(random_tileset(number), TileSet)
    answer = json.loads(encode_json(tileset))
    assert tilesets.tileset_hash(tileset) == hashlib.sha256(rfc_8785(answer)).hexdigest()


def test_a_bots_random_numbers_depend_on_seed_and_version_alone() -> None:
    chance = tilesets.SeededRNG("tides", 5)
    drawn = [chance.below(10) for _ in range(8)]
    again = tilesets.SeededRNG("tides", 5)
    assert [again.below(10) for _ in range(8)] == drawn
    assert [tilesets.SeededRNG("tides", 6).below(10**6), tilesets.SeededRNG("winds", 5).below(10**6)] != drawn[:2]
    assert len({*drawn}) > 1


def test_a_bots_generator_shuffles_in_every_order() -> None:
    orders = set()
    for version in range(200):
        items = [0, 1, 2]
        tilesets.SeededRNG("tides", version).shuffle(items)
        orders.add((*items,))
    assert orders == {*permutations(range(3))}
