"""Tiles and segments in words: no ids, distinct, and short enough for a move's text."""

from itertools import product
from random import Random

import msgspec
import pytest

from schemas.actions import Action, PlaceTile
from schemas.tileset import TileSet
from service.engine import TileSetIndex, legal_moves
from service.i18n import LANGUAGES, EventNarrator, Language, describe_move, describe_status, get_translator
from service.i18n.moves import MAX_TEXT_LENGTH
from service.i18n.segment_phrases import segment_phrase
from service.i18n.tile_names import tile_names
from tests.engine.random_games import archipelago_index, new_game, play_randomly
from tests.engine.test_move_ids import long_names
from tests.reference.pieces import EDGES, Json
from tests.reference.random_tilesets import random_tileset
from tests.reference.tileset_builder import bridge, island, market, sea, tileset

ARCHIPELAGO = archipelago_index()
RANDOM = [TileSetIndex(msgspec.convert(random_tileset(seed), TileSet)) for seed in range(30)]
FAR = -499


def tile(name: str, *segments: Json) -> Json:
    """Return a tile with these segments."""
    edges = {edge: segment["kind"] for segment in segments for edge in segment.get("edges", ())}
    return {"id": name, "count": 1, "edges": dict.fromkeys(EDGES, "sea") | edges, "segments": [*segments]}


def index_of(*tiles: Json) -> TileSetIndex:
    """Return a set of these tiles."""
    return TileSetIndex(msgspec.convert(tileset(tiles[0]["id"], tiles, []), TileSet))


@pytest.mark.parametrize(
    ("segments", "english", "french", "german"),
    (
        (
            [island("ne", 1), bridge("sw"), sea([4, 7], boat=True), sea([5, 6], [2])],
            "island corner with a bridge bend (1 banana, 2 fish, boat)",
            "coin d'île avec un pont en courbe (1 banane, 2 poissons, bateau)",
            "Inselecke mit Stegkurve (1 Banane, 2 Fische, Boot)",
        ),
        (
            [bridge("e", 1), bridge("s"), bridge("w"), sea([7, 0, 1, 2]), sea([3, 4]), sea([5, 6])],
            "junction of 3 bridges (1 shell)",
            "intersection de 3 ponts (1 coquillage)",
            "Kreuzung von 3 Stegen (1 Muschel)",
        ),
        (
            [market(), bridge("n"), bridge("s"), sea([1, 2, 3, 4]), sea([5, 6, 7, 0])],
            "market with 2 opposite bridges",
            "marché avec 2 ponts opposés",
            "Markt mit 2 gegenüberliegenden Stegen",
        ),
        ([sea(range(8))], "open sea", "pleine mer", "offenes Meer"),
    ),
)
def test_a_tile_is_called_by_what_it_shows(segments: list[Json], english: str, french: str, german: str) -> None:
    index = index_of(tile("corner-pier-right", *segments))
    assert [tile_names(language, index)[0].full for language in LANGUAGES] == [english, french, german]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("index", (ARCHIPELAGO, *RANDOM))
def test_the_tiles_of_a_set_have_distinct_names(index: TileSetIndex, language: Language) -> None:
    names = [name.full for name in tile_names(language, index)]
    assert len(set(names)) == len(names)


def test_tiles_with_equal_land_and_wares_are_told_apart_by_their_sides_or_a_number() -> None:
    pier_right = tile("right", island("n"), bridge("e"), sea([2]), sea([3, 4, 5, 6, 7]))
    pier_left = tile("left", island("n"), bridge("w"), sea([7]), sea([2, 3, 4, 5, 6]))
    near = tile("near", bridge("es"), sea([3, 4], [1]), sea([5, 6, 7, 0, 1, 2]))
    far = tile("far", bridge("es"), sea([3, 4]), sea([5, 6, 7, 0, 1, 2], [1]))
    index = index_of(pier_right, pier_left, near, far)
    assert [name.full for name in tile_names("en", index)] == [
        "island tip with a bridge (clockwise: bridge, sea, sea, island)",
        "island tip with a bridge (clockwise: bridge, island, sea, sea)",
        "bridge bend (1 fish, no. 3)",
        "bridge bend (1 fish, no. 4)",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("index", (ARCHIPELAGO, *RANDOM[:10]))
def test_every_move_of_every_tile_fits_in_every_rotation(index: TileSetIndex, language: Language) -> None:
    """Whatever is placed where, its text is at most 100 characters, and no other segment of the tile has it."""
    game, translator = new_game(index, 1), get_translator(language)
    for number, rotation in product(range(len(index.tiles)), range(4)):
        game.tile = number
        game.oriented_tiles[-1] = 4 * number + rotation
        actions: list[Action] = [PlaceTile(FAR, FAR, rotation), *index.tiles[number].islander_moves]
        texts = [describe_move(translator, index, game, action).text for action in actions]
        assert max(map(len, texts)) <= MAX_TEXT_LENGTH
        assert len(set(texts)) == len(texts)
        assert index is not ARCHIPELAGO or tile_names(language, index)[number].land in texts[0]


def test_a_long_name_is_left_out_of_a_move() -> None:
    """Only a tile that no printed set has is so crowded."""
    inner = [island(bananas=1), island(bananas=2), bridge(), bridge()]
    seas = [sea([4]), sea([5, 6]), sea([7])]
    index = index_of(tile("crowded", market(), island("n"), island("e"), *inner, bridge("s"), bridge("w"), *seas))
    game = new_game(ARCHIPELAGO, 1)
    game.tile = 0
    move = describe_move(get_translator("de"), index, game, PlaceTile(FAR, FAR, 3))
    assert move.text == "Karte um 270° im Uhrzeigersinn gedreht auf (-499, -499) legen"


@pytest.mark.parametrize(
    ("rotation", "north", "middle"),
    ((0, "in the north-east", "in the middle"), (1, "in the south-east", "in the middle")),
)
def test_segments_of_one_kind_are_told_apart_by_where_they_lie(rotation: int, north: str, middle: str) -> None:
    """On the tile as it was placed; a segment that is the only one of its kind needs nothing."""
    bends = 4 * ARCHIPELAGO.tile_numbers["bridge-bends-1"] + rotation
    english = get_translator("en")
    assert segment_phrase(english, ARCHIPELAGO, bends, 2) == f"in the sea region {north}"
    assert segment_phrase(english, ARCHIPELAGO, bends, 3) == f"in the sea region {middle}"
    only = 4 * ARCHIPELAGO.tile_numbers["bridge-bend-1"]
    assert [segment_phrase(get_translator(language), ARCHIPELAGO, only, 0) for language in LANGUAGES] == [
        "on the bridge",
        "sur le pont",
        "auf den Steg",
    ]


def test_no_text_has_the_id_of_a_tile_or_ship() -> None:
    index = long_names()
    game = new_game(index, 5, 3)
    game.edition = "german"
    translators = [get_translator(language) for language in LANGUAGES]
    narrators = [EventNarrator.of(translator, index, game) for translator in translators]
    texts = []
    for change in play_randomly(index, game, Random(5)):
        texts += [narrator.narrate_event(event) for narrator in narrators for event in change]
        for translator in translators:
            texts.append(describe_status(translator, index, game))
            texts += [describe_move(translator, index, game, action).text for action in legal_moves(index, game)]
    assert not any(name in text for name in (*index.tile_ids, *index.ship_ids) for text in texts)
