"""Boards as text. How they look, `reference_pictures` shows."""

import pytest

from schemas.actions import Deliver
from schemas.tileset import Island
from schemas.vocabulary import Wares
from service.drawing.layout.terrain import NO_SEGMENT
from service.drawing.layout.tile_layout import lay_out_tile
from service.drawing.scene import BoardOptions, Region, Scene, make_scene
from service.drawing.text_board import board_text
from service.drawing.text_tile import SMALL, _ground_character
from service.engine import Game, Player, apply_action, build_view, legal_moves
from service.i18n import Language
from tests.drawing.example_tiles import ARCHIPELAGO
from tests.engine.random_games import new_game


def test_the_start_tile_is_an_island_to_the_west_and_a_bridge_to_the_east() -> None:
    drawn = make_scene(build_view(ARCHIPELAGO.index, new_game(ARCHIPELAGO.index, 1)), ARCHIPELAGO.tileset, [])
    rows = board_text(drawn, BoardOptions(width=80)).splitlines()[:5]
    assert rows[2].startswith("^")
    assert "=====" in rows[2]
    assert "b" in "".join(rows)
    assert "s" in rows[2]


def test_rocks_between_the_segments_of_a_tile_are_drawn_as_sea() -> None:
    island = lay_out_tile((Island(edges=("n", "e", "s", "w"), bananas=0),))
    rocks = island._replace(ground=[NO_SEGMENT] * len(island.ground))
    assert [_ground_character(layout, 0, SMALL, 2, 1) for layout in (island, rocks)] == ["^", "."]


@pytest.mark.parametrize(
    ("width", "coordinates", "rows"), ((77, False, 5), (76, False, 3), (81, True, 1 + 5), (80, True, 1 + 3))
)
def test_tiles_are_small_if_large_ones_do_not_fit(width: int, coordinates: bool, rows: int) -> None:
    drawn = make_scene(build_view(ARCHIPELAGO.index, new_game(ARCHIPELAGO.index, 1)), ARCHIPELAGO.tileset, [])
    options = BoardOptions(width=width, coordinates=coordinates, region=Region(-3, 0, 3, 0))
    assert board_text(drawn, options).splitlines().index("") == rows


@pytest.mark.parametrize(
    ("language", "player", "ship"),
    (
        ("en", "Ana: 0 points, 1 islander, 1 banana, 2 shells, 1 fish, 0 ships", "for 3 identical wares"),
        (
            "fr",
            "Ana\u00a0: 0 point, 1 insulaire, 1 banane, 2 coquillages, 1 poisson, 0 navire",
            "3 marchandises identiques",
        ),
        ("de", "Ana: 0 Punkte, 1 Insulaner, 1 Banane, 2 Muscheln, 1 Fisch, 0 Schiffe", "für 3 gleiche Waren"),
    ),
)
def test_the_words_beside_the_board_have_plural_forms(language: Language, player: str, ship: str) -> None:
    game = new_game(ARCHIPELAGO.index, 1)
    ana = game.players[0]
    ana.name, ana.supply, ana.wares = "Ana", 1, [1, 2, 1]
    game.display = [ARCHIPELAGO.index.ship_numbers["s03"]]
    drawn = make_scene(build_view(ARCHIPELAGO.index, game), ARCHIPELAGO.tileset, [])
    text = board_text(drawn, BoardOptions(sidebar=True, language=language))
    assert player in text
    assert ship in text


@pytest.mark.parametrize(
    ("language", "ana", "resigned", "winner"),
    (
        (
            "en",
            "Ana: 3 points (ships 0, wares 3), 4 islanders",
            "Bo: 4 points (ships 0, wares 4; resigned), 4",
            "Ana wins.",
        ),
        (
            "fr",
            "Ana\u00a0: 3 points (navires 0, marchandises 3), 4 insulaires",
            "Bo\u00a0: 4 points (navires 0, marchandises 4\u00a0; abandon), 4",
            "Ana gagne.",
        ),
        (
            "de",
            "Ana: 3 Punkte (Schiffe 0, Waren 3), 4 Insulaner",
            "Bo: 4 Punkte (Schiffe 0, Waren 4; aufgegeben), 4",
            "Ana gewinnt.",
        ),
    ),
)
def test_a_finished_board_has_totals_and_winners(language: Language, ana: str, resigned: str, winner: str) -> None:
    game = new_game(ARCHIPELAGO.index, 1)
    game.status, game.end_reason = "finished", "last_ship"
    (first, second), names = game.players, ("Ana", "Bo")
    first.name, second.name = names
    first.wares, second.wares, second.resigned = [5, 2, 4], [12, 0, 0], True
    lines = board_text(scene_of(game), BoardOptions(sidebar=True, language=language)).splitlines()
    assert [line[4:].startswith(text) for line, text in zip(lines[-6:-4], (ana, resigned), strict=True)] == [True, True]
    assert lines[-4] == winner


@pytest.mark.parametrize(("language", "text"), (("en", "free seat"), ("fr", "place libre"), ("de", "freier Platz")))
def test_an_open_seat_is_called_so(language: Language, text: str) -> None:
    game = new_game(ARCHIPELAGO.index, 1)
    game.status = "waiting"
    game.players[1] = Player(name=None, color=None, kind="open")
    assert f"\n  - {text}\n" in board_text(scene_of(game), BoardOptions(sidebar=True, language=language))


def test_the_drawn_tile_has_its_wares_and_boat() -> None:
    """They decide which rotation is best; once it lies, it is shown as it was rotated."""
    game = new_game(ARCHIPELAGO.index, 1)
    game.tile = ARCHIPELAGO.index.tile_numbers["atoll"]
    scene = scene_of(game)
    lines = board_text(scene, BoardOptions(sidebar=True)).splitlines()
    shown = "".join(lines[lines.index("") + 2 :][:5])
    assert {symbol: shown.count(symbol) for symbol in "bFv"} == {"b": 1, "F": 1, "v": 1}


def test_a_payment_has_its_wares() -> None:
    game = new_game(ARCHIPELAGO.index, 1)
    game.display = [ARCHIPELAGO.index.ship_numbers["s03"]]
    moves = [Deliver("s03", Wares(bananas=0, shells=0, fish=3)), Deliver("s03", Wares(bananas=3, shells=0, fish=0))]
    text = board_text(
        scene_of(game)._replace(moves=moves), BoardOptions(sidebar=True, number_moves=True, language="de")
    )
    assert "für 3 gleiche Waren [1,2]\n  [1] 3 Fische\n  [2] 3 Bananen\n" in text


@pytest.mark.parametrize(
    ("options", "legend"),
    (
        (BoardOptions(), "+ last tile"),
        (BoardOptions(sidebar=True, number_moves=True), "+ last tile  > on turn  [7] or 7: reply"),
        (BoardOptions(number_moves=True, outline_last=False, language="fr"), "[7] ou 7\u00a0: réponse"),
        (BoardOptions(sidebar=True, language="de"), "+ letzte Karte  > am Zug"),
    ),
)
def test_the_legend_has_the_signs_that_are_shown(options: BoardOptions, legend: str) -> None:
    game = new_game(ARCHIPELAGO.index, 1)
    moves = legal_moves(ARCHIPELAGO.index, game)
    apply_action(ARCHIPELAGO.index, game, moves[0])
    scene = scene_of(game)._replace(moves=legal_moves(ARCHIPELAGO.index, game))
    assert board_text(scene, options).splitlines()[-1] == legend


def test_a_board_of_one_tile_needs_no_signs() -> None:
    text = board_text(scene_of(new_game(ARCHIPELAGO.index, 1)), BoardOptions(number_moves=True))
    assert text.splitlines()[-1] == "R red  B blue  G green  Y yellow  K black: islanders"


def scene_of(game: Game) -> Scene:
    """Return a game's scene without moves."""
    return make_scene(build_view(ARCHIPELAGO.index, game), ARCHIPELAGO.tileset, [])
