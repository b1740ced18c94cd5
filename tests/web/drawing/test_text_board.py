"""Boards as text."""

from service.engine import apply_action, build_view, legal_moves
from service.games.queries.legal_moves import move_sort_key
from service.web.drawing.scene import BoardOptions, Region, make_scene
from service.web.drawing.text_board import board_text
from tests.engine.random_games import new_game
from tests.web.drawing.example_tiles import ARCHIPELAGO

TABLES, TILESET = ARCHIPELAGO.index, ARCHIPELAGO.tileset


def test_the_start_tile_is_an_island_to_the_west_and_a_bridge_to_the_east() -> None:
    drawn = make_scene(build_view(TABLES, new_game(TABLES, 1)), TILESET, [])
    rows = board_text(drawn, BoardOptions(width=80)).splitlines()[:5]
    assert rows[2].startswith("^")
    assert "=====" in rows[2]
    assert "b" in "".join(rows)
    assert "s" in rows[2]


def test_coordinates_are_above_and_to_the_left() -> None:
    drawn = make_scene(build_view(TABLES, new_game(TABLES, 1)), TILESET, [])
    lines = board_text(drawn, BoardOptions(width=80, coordinates=True)).splitlines()
    assert lines[0].strip() == "0"
    assert lines[3].startswith("  0 ")


def test_moves_are_numbered_and_islanders_have_their_letter() -> None:
    game = new_game(TABLES, 1)
    moves = sorted(legal_moves(TABLES, game), key=move_sort_key)
    assert "[1" in board_text(
        make_scene(build_view(TABLES, game), TILESET, moves), BoardOptions(width=80, number_moves=True)
    )
    apply_action(TABLES, game, moves[0])
    apply_action(TABLES, game, next(move for move in legal_moves(TABLES, game) if "Islander" in type(move).__name__))
    text = board_text(make_scene(build_view(TABLES, game), TILESET, []), BoardOptions(width=80))
    assert any(letter in text.partition("\n\n")[0] for letter in "RB")


def test_tiles_are_small_if_large_ones_do_not_fit() -> None:
    drawn = make_scene(build_view(TABLES, new_game(TABLES, 1)), TILESET, [])
    wide = BoardOptions(width=80, region=Region(-3, 0, 3, 0))
    assert len(board_text(drawn, wide).splitlines()) == len(board_text(drawn, wide._replace(width=40)).splitlines()) + 2
