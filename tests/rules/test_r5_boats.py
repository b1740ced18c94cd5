"""R5.6 to R5.9: the fishing boats."""

import pytest

from schemas.events import FeatureEvaluated, FishCovered, IslanderReturned, TileDrawn, TilePlaced, TurnStarted
from schemas.vocabulary import Edition
from tests.rules.board_parser import BOARDS
from tests.rules.rules_game import BLUE, RED, Table, kinds, of

EDITIONS: tuple[Edition, ...] = ("international", "german")


@pytest.mark.parametrize("fisherman", (RED, BLUE))
def test_r5_6_anybodys_boat_in_an_occupied_sea_evaluates_it(fisherman: int) -> None:
    """R5.6: in the same way as a completed one, although it is not complete. The boat is Red's."""
    table = Table(BOARDS["boat on tile 3"])
    table.play(*(("sea", None) if fisherman == RED else (None, "sea")))
    (evaluated,) = of(table.lay(RED), FeatureEvaluated)
    assert (evaluated.kind, evaluated.cause, evaluated.wares.fish) == ("sea", "boat", 6)
    assert (table.wares(fisherman), table.wares(1 - fisherman)) == ({"fish": 6}, {})


def test_r5_6_the_region_is_that_of_the_boats_own_segment() -> None:
    """R5.6: the first boat lies on the other side of the bridge, the second on the fisherman's."""
    table = Table(BOARDS["two shores"])
    assert FeatureEvaluated not in kinds(table.play("sea", None))
    (evaluated,) = of(table.lay(RED), FeatureEvaluated)
    assert evaluated.wares.fish == 1


def test_r5_6_whichever_segments_join_the_region_to_the_boats() -> None:
    """R5.6: Blue's fisherman is joined through a segment that has no boat."""
    table = Table(BOARDS["around the pier"])
    (evaluated,) = of(table.play(None, "sea", None), FeatureEvaluated)
    assert (evaluated.cause, evaluated.winners, evaluated.wares.fish) == ("boat", [BLUE], 1)


def test_r5_6_a_boat_in_an_unoccupied_region_covers_nothing_and_never_acts_later() -> None:
    """R5.6: not when Blue's fisherman comes with tile 2, nor when a fish comes with tile 3."""
    table = Table(BOARDS["boat first"])
    assert kinds(table.lay(RED)) == [TilePlaced, TurnStarted, TileDrawn]
    for events in (table.lay(BLUE, "sea"), table.lay(RED)):
        assert not {FeatureEvaluated, FishCovered} & {*kinds(events)}
    assert table.supply() == [4, 3]


@pytest.mark.parametrize(("edition", "home"), (("international", True), ("german", False)))
@pytest.mark.parametrize("first", ("~~", "fB"), ids=["no fish", "a fish that the first boat covers"])
def test_r5_6_without_fish_the_fishermen_come_home_with_nothing_or_stay(
    first: str, edition: Edition, home: bool
) -> None:
    """R5.6: international follows EN and FR literally, german follows YU. Only uncovered fish are counted."""
    board = """
      0      1      2      3
    ~~~~~  ~~~~~  ~~~~~  ~~~~~
    ~~~~~  ~~~~~  ~~~~~  ~~~~~
    ~~~~~  ~fB~~  ~~~~~  ~~B~~
    ~~~~~  ~~~~~  ~~~~~  ~~~~~
    ~~~~~  ~~~~~  ~~~~~  ~~~~~
    """
    table = Table(board.replace("fB", first), edition=edition)
    table.lay(RED, "sea" if first == "fB" else None)
    events = table.play("sea", None)
    assert [event.wares.fish for event in of(events, FeatureEvaluated)] == ([0] if home else [])
    assert FishCovered not in kinds(events)
    assert (table.supply(), table.wares(BLUE)) == ([4, 4] if home else [4, 3], {})


def test_r5_7_a_group_of_two_is_covered_if_there_is_one() -> None:
    """R5.7: that of the earliest-placed tile, although a single lies on an earlier one; it is never gained again."""
    table = Table(BOARDS["two boats"])
    (covered,) = of(table.play("sea", None, None), FishCovered)
    assert (covered.x, covered.y, covered.segment, covered.group, covered.fish) == (1, 0, 0, 1, 2)
    assert [(one.segment, one.group) for one in table.view().board["1,0"].covered] == [(0, 1)]
    assert table.wares(RED) == {"fish": 6}
    (covered,) = of(table.play("sea", None), FishCovered)
    assert table.wares(BLUE) == {"fish": 4}
    assert (covered.x, covered.group, covered.fish) == (2, 0, 2)


def test_r5_7_else_a_single_is_covered() -> None:
    """R5.7: no group of two lies in the region."""
    table = Table(BOARDS["two boats"].replace("F", "~"))
    (covered,) = of(table.play("sea", None, None), FishCovered)
    assert (covered.x, covered.group, covered.fish) == (0, 0, 1)


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
    (covered,) = of(table.play("sea 2", None), FishCovered)
    assert (covered.x, covered.segment, covered.group) == (1, table.segment(1, "sea"), 0)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    ("without", "covered", "wares"), (("", [(0, 2)], {"fish": 3}), ("Ff", [], {})), ids=["fish", "no fish"]
)
def test_r5_8_a_region_that_the_boat_tile_completes_is_evaluated_once_and_covered(
    without: str, covered: list[tuple[int, int]], wares: dict[str, int], edition: Edition
) -> None:
    """R5.8: without fish too, in both editions: it is complete, and R5.6's german exception says nothing."""
    table = Table(BOARDS["bay and mouth"].translate(dict.fromkeys(map(ord, without), "~")), edition=edition)
    events = table.lay(RED, "sea")
    assert [event.cause for event in of(events, FeatureEvaluated)] == ["completed"]
    assert [(event.x, event.fish) for event in of(events, FishCovered)] == covered
    assert (table.wares(RED), table.supply()) == (wares, [4, 4])


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
    table.play("sea", "sea", None, None)
    assert table.supply() == [3, 3]
    events = table.lay(RED)
    assert [event.seat for event in of(events, IslanderReturned)] == [RED, BLUE]
    assert (table.supply(), table.wares(RED), table.wares(BLUE)) == ([4, 4], {"fish": 2}, {"fish": 2})
