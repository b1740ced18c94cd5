"""R5.6 to R5.9: the fishing boats."""

import pytest

from schemas.events import FeatureEvaluated, FishCovered, IslanderReturned, TileDrawn, TilePlaced, TurnStarted
from schemas.vocabulary import Edition
from tests.rules.boards import BOAT_ON_TILE_3
from tests.rules.rules_game import BLUE, RED, Table, kinds, of

EDITIONS: tuple[Edition, ...] = ("international", "german")

BOAT_FIRST = """
  0      1      2      3
~~~~~  ~~~~~  ~~~~~  ~~~~~
~~~~~  ~~~~~  ~~~~~  ~~~~~
~~f~~  ~~B~~  ~~F~~  ~~f~~
~~~~~  ~~~~~  ~~~~~  ~~~~~
~~~~~  ~~~~~  ~~~~~  ~~~~~
"""

TWO_SHORES = """
  0      1      2      3
~~f~~  ~~~~~  ~~~~~  ~~B~~
~~~~~  ~~~~~  ~~~~~  ~~~~~
-----  -----  -----  -----
~~~~~  ~~~~~  ~~~~~  ~~~~~
~~F~~  ~~~~~  ~~B~~  ~~~~~
"""
"""The boat of tile 2 lies south of the bridge, that of tile 3 north of it."""

AROUND_THE_PIER = """
  1      2
~~~~~  ~~~~~
~~###  ##~~~
~~###  ##f~~
~~###  ##~~~
~~~~~  ~~~~~

  0      3
~~~~~  ~~~~~
~~~~~  ~~~~~
~~o--  -----
~~~~~  ~~~~~
~~~~~  ~~B~~
"""
"""Tile 3's northern sea joins the region of tile 2 to that of tile 0, which reaches the southern sea with the boat."""

TWO_BOATS = """
  0      1      2      3      4      5
~~~~~  ~~~~~  ~~~~~  ~~~~~  ~~~~~  ~~~~~
~~~~~  ~f~~~  ~~~~~  ~~~~~  ~~~~~  ~~~~~
~~f~~  ~~~~~  ~~F~~  ~~B~~  ~~~~~  ~~B~~
~~~~~  ~F~~~  ~~~~~  ~~~~~  ~~~~~  ~~~~~
~~~~~  ~~~~~  ~~~~~  ~~~~~  ~~~~~  ~~~~~
"""

BAY_AND_MOUTH = """
  0      1
#####  #####
##~~~  ~~~##
##F~~  ~~B##
##~~~  ~f~##
#####  #####
"""


def test_r5_6_a_boat_in_an_occupied_sea_evaluates_it() -> None:
    """R5.6: in the same way as a completed one, although it is not complete."""
    table = Table(BOAT_ON_TILE_3)
    table.lay(RED, "sea")
    table.lay(BLUE)
    (evaluated,) = of(table.lay(RED), FeatureEvaluated)
    assert (evaluated.kind, evaluated.cause, evaluated.wares.fish) == ("sea", "boat", 6)
    assert table.wares(RED) == {"fish": 6}


def test_r5_6_anybodys_boat_evaluates_the_region() -> None:
    """R5.6: Red's boat, Blue's fisherman."""
    table = Table(BOAT_ON_TILE_3)
    table.lay(RED)
    table.lay(BLUE, "sea")
    table.lay(RED)
    assert (table.wares(RED), table.wares(BLUE)) == ({}, {"fish": 6})


def test_r5_6_joining_a_region_to_a_boat_on_the_board_does_not() -> None:
    """R5.6: only the placement of the boat does; the fisherman of tile 2 comes to the boat of tile 1."""
    table = Table(BOAT_FIRST)
    table.lay(RED)
    assert FeatureEvaluated not in kinds(table.lay(BLUE, "sea"))


def test_r5_6_adding_fish_to_a_region_with_a_boat_does_not() -> None:
    """R5.6: tile 3 brings a fish to Blue's region, in which a boat lies."""
    table = Table(BOAT_FIRST)
    table.lay(RED)
    table.lay(BLUE, "sea")
    assert FeatureEvaluated not in kinds(table.lay(RED))
    assert table.supply() == [4, 3]


def test_r5_6_the_region_is_that_of_the_boats_own_segment() -> None:
    """R5.6: the first boat lies on the other side of the bridge, the second on the fisherman's."""
    table = Table(TWO_SHORES)
    table.lay(RED, "sea")
    assert FeatureEvaluated not in kinds(table.lay(BLUE))
    (evaluated,) = of(table.lay(RED), FeatureEvaluated)
    assert evaluated.wares.fish == 1


def test_r5_6_whichever_segments_join_the_region_to_the_boats() -> None:
    """R5.6: Blue's fisherman is joined through a segment that has no boat."""
    table = Table(AROUND_THE_PIER)
    table.lay(RED)
    table.lay(BLUE, "sea")
    (evaluated,) = of(table.lay(RED), FeatureEvaluated)
    assert (evaluated.cause, evaluated.winners, evaluated.wares.fish) == ("boat", [BLUE], 1)


def test_r5_6_a_boat_in_an_unoccupied_region_covers_nothing_and_never_acts_later() -> None:
    """R5.6: not when a fisherman comes, nor when fish come."""
    table = Table(BOAT_FIRST)
    assert kinds(table.lay(RED)) == [TilePlaced, TurnStarted, TileDrawn]
    for events in (table.lay(BLUE, "sea"), table.lay(RED)):
        assert not {FeatureEvaluated, FishCovered} & {*kinds(events)}


def test_r5_6_a_fisherman_placed_this_turn_counts() -> None:
    """R5.6 (EN example): on the boat's own region."""
    table = Table(BOAT_FIRST)
    events = table.lay(RED, "sea")
    assert [event.cause for event in of(events, FeatureEvaluated)] == ["boat"]
    assert (table.wares(RED), table.supply()) == ({"fish": 1}, [4, 4])


@pytest.mark.parametrize(("edition", "home"), (("international", True), ("german", False)))
def test_r5_6_without_fish_the_fishermen_come_home_with_nothing_or_stay(edition: Edition, home: bool) -> None:
    """R5.6: international follows EN and FR literally, german follows YU."""
    table = Table(
        """
          0      1      2
        ~~~~~  ~~~~~  ~~~~~
        ~~~~~  ~~~~~  ~~~~~
        ~~~~~  ~~~~~  ~~B~~
        ~~~~~  ~~~~~  ~~~~~
        ~~~~~  ~~~~~  ~~~~~
        """,
        edition=edition,
    )
    table.lay(RED, "sea")
    events = table.lay(BLUE)
    assert (FeatureEvaluated in kinds(events)) == home
    assert FishCovered not in kinds(events)
    assert (table.supply(), table.wares(RED)) == ([4, 4] if home else [3, 4], {})


@pytest.mark.parametrize(("edition", "home"), (("international", True), ("german", False)))
def test_r5_6_only_uncovered_fish_are_counted(edition: Edition, home: bool) -> None:
    """R5.6: the only fish is covered by the first boat."""
    table = Table(
        """
          0      1      2      3
        ~~~~~  ~~~~~  ~~~~~  ~~~~~
        ~~~~~  ~~~~~  ~~~~~  ~~~~~
        ~~~~~  ~fB~~  ~~~~~  ~~B~~
        ~~~~~  ~~~~~  ~~~~~  ~~~~~
        ~~~~~  ~~~~~  ~~~~~  ~~~~~
        """,
        edition=edition,
    )
    table.lay(RED, "sea")
    table.lay(BLUE, "sea")
    events = table.lay(RED)
    assert [event.wares.fish for event in of(events, FeatureEvaluated)] == ([0] if home else [])
    assert (table.supply(), table.wares(BLUE)) == ([4, 4] if home else [4, 3], {})


def test_r5_7_a_group_of_two_is_covered_if_there_is_one() -> None:
    """R5.7: that of the earliest-placed tile, although a single lies on an earlier one."""
    table = Table(TWO_BOATS)
    table.lay(RED, "sea")
    table.lay(BLUE)
    (covered,) = of(table.lay(RED), FishCovered)
    assert (covered.x, covered.y, covered.segment, covered.group, covered.fish) == (1, 0, 0, 1, 2)
    assert [(one.segment, one.group) for one in table.view().board["1,0"].covered] == [(0, 1)]


def test_r5_7_else_a_single_is_covered() -> None:
    """R5.7: no group of two lies in the region."""
    table = Table(TWO_BOATS.replace("F", "~"))
    table.lay(RED, "sea")
    table.lay(BLUE)
    (covered,) = of(table.lay(RED), FishCovered)
    assert (covered.x, covered.group, covered.fish) == (0, 0, 1)


def test_r5_7_covered_fish_are_never_gained_again() -> None:
    """R5.7, R5.5: of six fish two are covered by the first boat, and two more by the second."""
    table = Table(TWO_BOATS)
    table.lay(RED, "sea")
    table.lay(BLUE)
    table.lay(RED)
    assert table.wares(RED) == {"fish": 6}
    table.lay(BLUE, "sea")
    (covered,) = of(table.lay(RED), FishCovered)
    assert table.wares(BLUE) == {"fish": 4}
    assert (covered.x, covered.group, covered.fish) == (2, 0, 2)


def test_r5_7_of_equal_groups_on_one_tile_the_lowest_segments_lowest_group() -> None:
    """R5.7: two groups north of the bridge, one south of it, all in the one sea around its end."""
    table = Table("""
      0      1      .
    ~~~~~  ~F~F~  .....
    ~~~~~  ~~~~~  .....
    ~~o--  -----  .....
    ~~~~~  ~~~~~  .....
    ~~~~~  ~F~~~  .....

      .      2      .
    .....  ~~~~~  .....
    .....  ~~~~~  .....
    .....  ~~B~~  .....
    .....  ~~~~~  .....
    .....  ~~~~~  .....
    """)
    table.lay(RED, "sea 2")
    (covered,) = of(table.lay(BLUE), FishCovered)
    assert (covered.x, covered.segment, covered.group) == (1, table.segment(1, "sea"), 0)


@pytest.mark.parametrize("edition", EDITIONS)
def test_r5_8_a_region_that_the_boat_tile_completes_is_evaluated_once_and_covered(edition: Edition) -> None:
    """R5.8."""
    table = Table(BAY_AND_MOUTH, edition=edition)
    events = table.lay(RED, "sea")
    assert [event.cause for event in of(events, FeatureEvaluated)] == ["completed"]
    assert [(event.x, event.fish) for event in of(events, FishCovered)] == [(0, 2)]
    assert table.wares(RED) == {"fish": 3}


@pytest.mark.parametrize("edition", EDITIONS)
def test_r5_8_a_completed_region_without_fish_is_evaluated_in_both_editions(edition: Edition) -> None:
    """R5.8: it is complete, so R5.5 does it and R5.6's german exception says nothing."""
    table = Table(BAY_AND_MOUTH.replace("F", "~").replace("f", "~"), edition=edition)
    events = table.lay(RED, "sea")
    assert [event.cause for event in of(events, FeatureEvaluated)] == ["completed"]
    assert FishCovered not in kinds(events)
    assert table.supply() == [4, 4]


def test_r5_9_the_islanders_of_a_boats_evaluation_go_home_too() -> None:
    """R5.9: all of them, although the region is not complete."""
    table = Table("""
      0      1      3
    ~~~~~  ~~~~~  ~~~~~
    ~~###  ##~~~  ~~~~~
    ~~###  ##f~~  ~~~~~
    ~~###  ##~~~  ~~~~~
    ~~###  ~~~~~  ~~~~~

      2      5      4
    ~###~  ~~~~~  ~~~~~
    ~###~  ~~~~~  ~~~~~
    ~~f~~  ~~B~~  ~~~~~
    ~~~~~  ~~~~~  ~~~~~
    ~~~~~  ~~~~~  ~~~~~
    """)
    table.lay(RED, "sea")
    table.lay(BLUE, "sea")
    table.lay(RED)
    table.lay(BLUE)
    assert table.supply() == [3, 3]
    events = table.lay(RED)
    assert [event.seat for event in of(events, IslanderReturned)] == [RED, BLUE]
    assert (table.supply(), table.wares(RED), table.wares(BLUE)) == ([4, 4], {"fish": 2}, {"fish": 2})
