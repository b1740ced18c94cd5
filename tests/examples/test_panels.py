"""Panels beside the board."""

from examples.terminal.game_state import GameState
from examples.terminal.panels import ships
from examples.terminal.saved_seats import SavedSeats
from examples.terminal.screen import SIDE_COLUMNS
from south_seas.models import Cost, Ship, TileSet
from tests.examples.game_fixture import GAME

LONG = Ship(id="s1", points=4, cost=Cost(bananas=0, shells=0, fish=0, any=0, same=[2, 2, 1]))


def test_a_long_cost_goes_on_in_the_next_line() -> None:
    tileset = TileSet(id="t", name="t", provenance="", start="start", tiles=[], ships=[LONG])
    state = GameState(SavedSeats(url="", game="g", seats={}), tileset, GAME, "")
    heading, first, second = (line.plain for line in ships(state, SIDE_COLUMNS[True], wide=True))
    assert heading == "ships  20 more in the pile"
    assert f"{first} {second.strip()}" == " 4 points  AA BB C   2 alike + 2 of another kind + 1 of a third kind"
    assert max(len(first), len(second)) <= SIDE_COLUMNS[True]
    assert len(ships(state, SIDE_COLUMNS[False], wide=False)) == 2
