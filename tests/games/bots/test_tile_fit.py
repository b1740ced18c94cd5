"""The tables of the tiles that fit a cell, and of those that close a feature there, in any rotation."""

from service.engine.tileset_index import SIDE_OFFSETS
from service.games.bots.feature_estimates import build_tile_fit
from tests.rules.board_parser import BOARDS
from tests.rules.rules_game import Table

WEST = 3


def test_tiles_fit_and_close_an_island_in_any_rotation() -> None:
    table = Table(BOARDS["islands"], spares=0)
    fit = build_tile_fit(table.index)
    (start,) = table.game.board
    packed = table.game.frontier[start + SIDE_OFFSETS[1]]
    assert fit.fitting_tiles[packed] == (0, 1, 2, 3, 5)
    assert fit.closing_tiles[packed, WEST, 0] == (0, 1, 3)
