"""Texts: their words, which are a file to read, and what is true of the texts of every game and tile set."""

import re
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import get_args

import pytest

from schemas import events
from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.vocabulary import Cell, Wares
from service.engine import Game, TileSetIndex, apply_action, legal_moves
from service.engine.tileset_index import FISH, SHIPS, pack_cell
from service.i18n import (
    LANGUAGES,
    EventNarrator,
    Language,
    MoveAppraiser,
    describe_move,
    describe_status,
    get_translator,
)
from service.i18n.moves import MAX_TEXT_LENGTH
from service.i18n.phrases import place_phrase
from service.i18n.tile_names import tile_names
from tests.engine.lockstep import lagoon_index, new_game, play_randomly, random_index
from tests.engine.test_queries import MOVE_IDS_INDEXES, long_names
from tests.i18n.texts import LAGOON, first_tile, index_of, list_events, make_game, make_tile, write_texts
from tests.reference.random_play import bridge, island, market, sea
from tests.rules.rules_game import RED
from tests.rules.test_r8_queries import three_pickers

INDEXES = (lagoon_index, *(partial(random_index, seed) for seed in range(30)))
TRANSLATORS = [get_translator(language) for language in LANGUAGES]
FAR = -499


def test_texts_are_as_they_were() -> None:
    written = Path(__file__).with_name("texts.txt").read_text("utf-8")
    assert write_texts() == written, "if they should differ, see tests/i18n/texts.py"


def test_every_event_has_a_sentence() -> None:
    assert {type(event) for event in list_events()} == {*get_args(events.AnyEvent)}


def test_features_of_one_change_are_told_apart_by_their_islanders() -> None:
    """Two seas of one tile have that cell in common, but no two islanders have."""
    narrator = EventNarrator.of(get_translator("en"), LAGOON, make_game())
    atoll = LAGOON.tile_numbers["atoll"]
    segment = LAGOON.tiles[atoll].kinds.index(FISH)
    change: list[events.AnyEvent] = []
    for x, fish in ((1, 1), (2, 3)):
        narrator.oriented_tiles[pack_cell(x, 0)] = 4 * atoll
        cells, wares = [Cell(x=0, y=0), Cell(x=x, y=0)], Wares(bananas=0, shells=0, fish=fish)
        change += (
            events.FeatureEvaluated(kind="sea", cause="final", cells=cells, islanders=[], winners=[1], wares=wares),
            events.IslanderReturned(seat=1, x=x, y=0, segment=segment),
        )
    assert narrator.narrate_change(change) == (
        "Incomplete sea region 1 east of the start: Bo receives 1 fish. "
        "Incomplete sea region 2 east of the start: Bo receives 3 fish."
    )


def test_only_the_return_of_a_merchant_is_said_after_an_evaluation() -> None:
    narrator = EventNarrator.of(get_translator("en"), LAGOON, make_game())
    change = []
    for x, kind in enumerate((FISH, SHIPS)):
        tile, segment = first_tile(kind)
        narrator.oriented_tiles[pack_cell(x, 0)] = 4 * tile
        change.append(events.IslanderReturned(seat=1, x=x, y=0, segment=segment))
    assert narrator.narrate_change(change) == "The merchant 1 east of the start returns to Bo."


def test_whose_time_is_up_is_not_said_to_resign() -> None:
    narrator = EventNarrator.of(get_translator("en"), LAGOON, make_game())
    left: list[events.AnyEvent] = [events.PlayerResigned(seat=1), events.GameFinished(reason="resigned", winners=[0])]
    end = "The game is over: only one player is left. Ana wins."
    assert narrator.narrate_change(left) == f"Bo resigns; all islanders of this player go home. {end}"
    assert narrator.narrate_change([events.TurnTimedOut(seat=1, policy="resign"), *left]) == (
        f"Time is up for Bo, which counts as resigning; all islanders of this player go home. {end}"
    )


def test_a_choice_about_islanders_says_only_what_it_changes() -> None:
    """R4.4, R5.5: whom the completed island pays is news where it is no more Red alone."""
    table = three_pickers()
    table.place(RED)
    table.game.edition = "german"
    appraiser = MoveAppraiser.of(get_translator("en"), table.index, table.game)

    def worth(action: Action) -> str:
        return appraiser.appraise(describe_move(appraiser.translator, table.index, table.game, action)).worth or ""

    x, y = table.places[1]
    retrieved = worth(RetrieveIslander(x, y, table.segment(1, "island")))
    completed = "Island completed 1 east of the start: "
    assert retrieved == f"Red gives up nothing. {completed}Red and Blue receive 3 bananas each."
    assert worth(Pass("islander")) == f"{completed}Red receives 3 bananas."
    (placement, *_) = table.moves(PlaceIslander)
    assert re.fullmatch(r"The .* so far and has \d+ open sides?\.", worth(placement))


@pytest.mark.parametrize(
    ("x", "y", "places"),
    (
        (0, 0, ("on the start tile", "sur la tuile de départ", "auf der Startkarte")),
        (0, -1, ("1 north of the start", "1 case au nord du départ", "1 Feld nördlich der Startkarte")),
        (
            -2,
            3,
            (
                "3 south and 2 west of the start",
                "3 cases au sud et 2 à l’ouest du départ",
                "3 Felder südlich und 2 westlich der Startkarte",
            ),
        ),
    ),
)
def test_a_cell_is_named_by_its_way_from_the_start_tile(x: int, y: int, places: tuple[str, ...]) -> None:
    assert tuple(place_phrase(translator, x, y) for translator in TRANSLATORS) == places


@pytest.mark.parametrize(("make_index", "seed"), MOVE_IDS_INDEXES[::2])
def test_whole_games_have_texts_that_fit_and_say_no_id(make_index: Callable[[], TileSetIndex], seed: int) -> None:
    index = make_index()
    game = new_game(index, seed, 2 + seed % 4)
    game.edition = "international" if seed % 4 else "german"
    for player in game.players:
        player.wares = [7, 7, 7] if seed % 4 else [0, 0, 0]
    narrators = [EventNarrator.of(translator, index, game) for translator in TRANSLATORS]
    texts = check_moves(index, game)
    for change in play_randomly(index, game, Random(seed)):
        paragraphs = [narrator.narrate_change(change) for narrator in narrators]
        statuses = [describe_status(translator, index, game) for translator in TRANSLATORS]
        assert all(paragraphs) or not change
        assert len({*statuses}) == len(LANGUAGES)
        texts += [*paragraphs, *statuses, *check_moves(index, game)]
    assert "Final scores" in describe_status(get_translator("en"), index, game)
    assert not any("{" in text for text in texts)
    if len(index.tile_ids[0]) > 20:
        assert not any(name in text for name in (*index.tile_ids, *index.ship_ids) for text in texts)


def check_moves(index: TileSetIndex, game: Game, actions: list[Action] | None = None) -> list[str]:
    """Check the texts of moves, by default of all legal ones, and return them."""
    texts = []
    for translator in TRANSLATORS:
        moves = [
            describe_move(translator, index, game, action).text
            for action in (legal_moves(index, game) if actions is None else actions)
        ]
        assert all(0 < len(text) <= MAX_TEXT_LENGTH for text in moves)
        assert len({*moves}) == len(moves)
        texts += moves
    return texts


def test_the_longest_texts_fit() -> None:
    """Cells far out, 60 of each ware, 32 characters of a tile's id, 8 of a ship's."""
    index = long_names()
    game = new_game(index, 1)
    index.ships = tuple(one._replace(points=99) for one in index.ships)
    ship = index.ship_ids[game.display[0]]
    wares = Wares(bananas=60, shells=60, fish=60)
    check_moves(index, game, [PlaceTile(FAR, FAR, 3), Deliver(ship, wares), TakeShip(ship)])


def test_texts_are_distinct_whatever_is_retrieved() -> None:
    game = new_game(LAGOON, 4)
    while not any(isinstance(action, RetrieveIslander) for action in legal_moves(LAGOON, game)):
        apply_action(LAGOON, game, legal_moves(LAGOON, game)[0])
    check_moves(LAGOON, game)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("make_index", INDEXES)
def test_the_tiles_of_a_set_have_distinct_names(make_index: Callable[[], TileSetIndex], language: Language) -> None:
    names = [name.full for name in tile_names(language, make_index())]
    assert len({*names}) == len(names)


@pytest.mark.parametrize("make_index", INDEXES[:11])
def test_every_move_of_every_tile_fits_in_every_rotation(make_index: Callable[[], TileSetIndex]) -> None:
    index = make_index()
    game = new_game(index, 1)
    for number, rotation in product(range(len(index.tiles)), range(4)):
        game.tile = number
        game.oriented_tiles[-1] = 4 * number + rotation
        check_moves(index, game, [PlaceTile(FAR, FAR, rotation), *index.tiles[number].islander_moves])


def test_a_long_name_is_left_out_of_a_move() -> None:
    """Only a tile that no printed set has is so crowded."""
    inner = [island(bananas=1), island(bananas=2), bridge(), bridge()]
    seas = [sea([4]), sea([5, 6]), sea([7])]
    index = index_of(make_tile("crowded", market(), island("n"), island("e"), *inner, bridge("s"), bridge("w"), *seas))
    game = make_game()
    game.tile = 0
    move = describe_move(get_translator("de"), index, game, PlaceTile(FAR, FAR, 3))
    assert (
        move.text == "Karte 499 Felder nördlich und 499 westlich der Startkarte legen, um 270° im Uhrzeigersinn gedreht"
    )
