"""R3: placing the tile."""

from schemas.actions import Deliver, PlaceTile
from schemas.events import GameFinished, TileDiscarded, TileDrawn, TurnStarted
from tests.rules.rules_game import BLUE, BOARDS, RED, Table, kinds, of, ship


def test_r3_1_the_drawn_tile_is_open_to_everybody() -> None:
    """R3.1: the one view that every reader gets shows it, from the draw to the end of the turn."""
    table = Table(BOARDS["three"])
    turn = table.turn()
    assert (turn.tile, turn.placed) == ("tile-1", None)
    table.place(RED)
    turn = table.turn()
    assert turn.tile == "tile-1"
    assert turn.placed is not None
    assert (turn.placed.x, turn.placed.y) == (1, 0)


def test_r3_2_a_corner_is_not_enough_and_an_occupied_cell_is_not_empty() -> None:
    """R3.2: an empty cell that shares at least one side with a placed tile."""
    table = Table(BOARDS["three"])
    table.lay(RED)
    for x, y in ((2, 1), (-1, -1), (2, -1), (5, 5), (0, 0), (1, 0)):
        assert table.refusal(PlaceTile(x, y, 0)) == "R3.2"
        assert not {(x, y, rotation) for rotation in range(4)} & table.placements()
    table.lay(BLUE)
    assert (2, 1, 0) in table.placements()


def test_r3_3_every_shared_side_goes_on() -> None:
    """R3.3: the last tile of the four shares two sides, of which each rotation but one breaks one."""
    table = Table(BOARDS["gap"])
    table.play(None, None)
    assert {rotation for x, y, rotation in table.placements() if (x, y) == (1, 1)} == {0}
    for rotation in (1, 2, 3):
        assert table.refusal(PlaceTile(1, 1, rotation)) == "R3.3"
    table.lay(RED)


def test_r3_4_any_of_the_four_rotations_may_be_used_and_there_is_no_fifth() -> None:
    """R3.4: a tile of sea beside a tile of sea fits four ways on each of four sides."""
    table = Table("""
      0      1
    """)
    sides = ((0, -1), (1, 0), (0, 1), (-1, 0))
    assert table.placements() == {(x, y, rotation) for x, y in sides for rotation in range(4)}
    for rotation in (4, -1):
        assert table.refusal(PlaceTile(1, 0, rotation)) == "R3.4"


def test_r3_4_a_turned_tile_turns_its_edges_clockwise() -> None:
    """R3.4: the bridge on the west side points north, east and south after one, two and three quarter turns."""
    table = Table(BOARDS["three"])
    assert {(x, y): rotation for x, y, rotation in table.placements() if (x, y) == (1, 0)} == {(1, 0): 0}
    table = Table("""
      0      1
    ~~|~~  ~~~~~
    ~~|~~  ~~~~~
    --o--  -so~~
    ~~|~~  ~~~~~
    ~~|~~  ~~~~~
    """)
    assert table.placements() == {(1, 0, 0), (0, 1, 1), (-1, 0, 2), (0, -1, 3)}


def test_r3_5_a_tile_that_fits_nowhere_leaves_the_game_and_the_same_player_draws_another() -> None:
    """R3.5: tile 1 shows islands on all sides, tile 3 bridges, and the board neither."""
    table = Table(BOARDS["stranger"], first=BLUE, spares=0)
    started, *draws = table.beginning[-3:]
    assert kinds([started, *draws]) == [TurnStarted, TileDiscarded, TileDrawn]
    assert [event.tile for event in of(draws, TileDiscarded)] == ["tile-1"]
    assert table.view().discarded == ["tile-1"]
    assert kinds(table.lay(BLUE)[-3:]) == [TurnStarted, TileDiscarded, TileDrawn]
    assert table.view().discarded == ["tile-1", "tile-3"]
    turn = table.turn()
    assert (turn.number, turn.seat, turn.tile, table.view().bag) == (2, RED, "tile-4", 0)


def test_r3_5_the_game_ends_where_the_bag_runs_out_by_discards() -> None:
    """R3.5: the last tile fits nowhere. No turn is announced, since nobody gets one."""
    table = Table(BOARDS["last tile fits nowhere"], spares=0)
    events = table.lay(RED)
    assert kinds(events[-2:]) == [TileDiscarded, GameFinished]
    assert not {TurnStarted, TileDrawn} & {*kinds(events)}
    assert [event.reason for event in of(events, GameFinished)] == ["bag_exhausted"]
    assert table.phase() is None


def test_r3_5_after_the_last_ship_nothing_is_drawn_or_discarded() -> None:
    """R3.5: tile 2 fits nowhere, but the game is over before anybody draws it."""
    table = Table(BOARDS["stranger"], ships=[ship("last", 2, bananas=1)], spares=0)
    table.lay(RED, "island")
    events = table.act(Deliver("last"))
    assert [event.reason for event in of(events, GameFinished)] == ["last_ship"]
    assert not {TileDrawn, TileDiscarded, TurnStarted} & {*kinds(events)}
    assert (table.view().discarded, table.view().bag) == (["tile-1"], 2)
