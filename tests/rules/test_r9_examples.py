"""R9: the rulebook's printed examples up to the final scoring, with its numbers."""

import pytest

from schemas.actions import Deliver, PlaceTile, TakeShip
from schemas.events import FeatureEvaluated, FishCovered, IslanderReturned
from schemas.tileset import Ship
from service.engine.queries import islander_values
from service.games.tilesets import load_catalogue
from tests.rules.boards import BRIDGE_OF_TWO_SHELLS, MARKET
from tests.rules.rules_game import BLUE, FAR_SHIPS, RED, Table, kinds, of, paid, ship

ARCHIPELAGO = load_catalogue(None).get("archipelago").tileset

TOUCHING_SEAS = """
  0      1
~~~~~  ~~~~~
~~###  ##~~~
~~###  ##~~~
~~###  ##~~~
~~###  ~~~~~

  2      3
~###~  ~~~~~
~###~  ~~~~~
~~~~~  ~~~~~
~~~~~  ~~~~~
~~~~~  ~~~~~
"""
"""The seas of tiles 1 and 2 touch at a corner; tile 3 joins them."""


def test_r9_placing_the_bridge_and_the_sea_region_are_continued() -> None:
    """R9, placing: a bridge on the left, a sea below."""
    table = Table("""
      0      1
    ~~~~~  ~~~~~
    ~~~~~  ~~~~~
    ~~o--  -s+~~
    ~~~~~  ~~|~~
    ~~~~~  ~~|~~

      2      3
    ~~~~~  ~~|~~
    ~~~~~  ~~|~~
    ~~~~~  ~~o~~
    ~~~~~  ~~~~~
    ~~~~~  ~~~~~
    """)
    table.lay(RED)
    table.lay(BLUE)
    assert {placement for placement in table.placements() if placement[:2] == (1, 1)} == {(1, 1, 0)}
    table.lay(RED)


def test_r9_placing_the_island_is_continued() -> None:
    """R9, placing."""
    table = Table("""
      0      1
    ~~~~~  ~~~~~
    ~####  ####~
    ~####  ####~
    ~####  ####~
    ~~~~~  ~~~~~
    """)
    assert {placement for placement in table.placements() if placement[:2] == (1, 0)} == {(1, 0, 0)}


def test_r9_placing_the_island_on_the_left_and_the_sea_below_are_continued() -> None:
    """R9, placing: two sides are shared, and both go on."""
    table = Table("""
      0      3
    ~~~~~  ~~~~~
    ~####  ####~
    ~####  ####~
    ~####  ####~
    ~~~~~  ~~~~~

      1      2
    """)
    table.lay(RED)
    table.lay(BLUE)
    assert {placement for placement in table.placements() if placement[:2] == (1, 0)} == {(1, 0, 0)}
    table.lay(RED)


def test_r9_placing_an_island_that_does_not_go_on_is_refused() -> None:
    """R9, placing: the new tile shows sea to the island, whichever way it is turned."""
    table = Table("""
      0      .
    ~~~~~  .....
    ~####  .....
    ~####  .....
    ~####  .....
    ~~~~~  .....

      1      .
    """)
    for rotation in range(4):
        assert table.refusal(PlaceTile(1, 0, rotation)) == "R3.3"


def test_r9_placing_seas_that_touch_at_a_corner_are_not_connected() -> None:
    """R9, placing: the sea of tile 2 is free although that of tile 1 is occupied."""
    table = Table(TOUCHING_SEAS, first=BLUE)
    table.lay(BLUE, "sea")
    table.place(RED)
    assert "sea" in table.free_segments()


def test_r9_islanders_none_on_an_occupied_bridge_but_merchant_or_fisherman() -> None:
    """R9, islanders: Blue may not place a shell collector."""
    table = Table("""
      0      1      2
    ~~~~~  ~~~~~  ~~~~~
    ~~~~~  ~~~~~  ~~~~~
    ~~o--  -s---  --M~~
    ~~~~~  ~~~~~  ~~~~~
    ~~~~~  ~~~~~  ~~~~~
    """)
    table.lay(RED, "bridge")
    table.place(BLUE)
    assert table.free_segments() == {"market", "sea"}


def test_r9_islanders_none_on_an_occupied_island_but_collector_or_fisherman() -> None:
    """R9, islanders: Blue may not place a banana picker."""
    table = Table("""
      0      1      2
    ~~~~~  ~~~~~  ~~~~~
    ~~~##  ##b##  ##~~~
    ~~~##  #####  ##---
    ~~~##  #####  ##~~~
    ~~~~~  ~~~~~  ~~~~~
    """)
    table.lay(RED, "island")
    table.place(BLUE)
    assert table.free_segments() == {"bridge", "sea", "sea 2"}


def test_r9_islanders_in_three_steps_blue_and_red_come_to_share_a_sea() -> None:
    """R9, islanders: Blue's fisherman, Red's on a distinct sea, a tile that joins the two seas; both stay."""
    table = Table(TOUCHING_SEAS, first=BLUE)
    table.lay(BLUE, "sea")
    table.lay(RED, "sea")
    assert IslanderReturned not in kinds(table.lay(BLUE))
    assert table.supply() == [3, 3]
    assert [(one.seat, one.majority) for one in islander_values(table.index, table.game)] == [
        (RED, True),
        (BLUE, True),
    ]


def test_r9_evaluation_a_bridge_worth_2_shells() -> None:
    """R9, evaluation: Red gains 2 shells."""
    table = Table(BRIDGE_OF_TWO_SHELLS)
    table.lay(RED, "bridge")
    table.lay(BLUE)
    table.lay(RED)
    assert table.wares(RED) == {"shells": 2}


def test_r9_evaluation_a_bridge_worth_4_shells() -> None:
    """R9, evaluation: Red gains 4 shells, for a bridge from an island to a market."""
    table = Table("""
      0      1      .
    ~~~~~  ~~~~~  .....
    ~~~~~  ~~~~~  .....
    ##s--  -s+~~  .....
    ~~~~~  ~~|~~  .....
    ~~~~~  ~~|~~  .....

      .      2      3
    .....  ~~|~~  ~~~~~
    .....  ~~|~~  ~~~~~
    .....  ~~+s-  -sM~~
    .....  ~~~~~  ~~~~~
    .....  ~~~~~  ~~~~~
    """)
    table.lay(RED, "bridge")
    table.lay(BLUE)
    table.lay(RED)
    assert table.wares(RED) == {"shells": 4}


def test_r9_evaluation_an_island_worth_2_bananas() -> None:
    """R9, evaluation: Red gains 2 bananas."""
    table = Table("""
      0      1      2
    ~~~~~  ~~~~~  ~~~~~
    ~~~~~  ~~~##  ##~~~
    ~~~~~  ~~b##  ##b~~
    ~~~~~  ~~~##  ##~~~
    ~~~~~  ~~~~~  ~~~~~
    """)
    table.lay(RED, "island")
    table.lay(BLUE)
    assert table.wares(RED) == {"bananas": 2}


def test_r9_evaluation_an_island_worth_4_bananas() -> None:
    """R9, evaluation: Red gains 4 bananas."""
    table = Table("""
      0      1
    ~~~~~  ~~~~~
    ~####  ####~
    ~#b##  ####~
    ~####  ####~
    ~####  ####~

      2      3
    ~####  ####~
    ~####  ####~
    ~#bb#  ##b#~
    ~####  ####~
    ~~~~~  ~~~~~
    """)
    table.lay(RED, "island")
    table.lay(BLUE)
    table.lay(RED)
    assert table.wares(RED) == {"bananas": 4}


def test_r9_evaluation_an_enclosed_sea_worth_5_fish() -> None:
    """R9, evaluation: Red gains 5 fish for a sea that bridges enclose."""
    table = Table("""
      0      1
    ~~~~~  ~~~~~
    ~~~~~  ~~~~~
    ~~+--  --+~~
    ~~|F~  ~f|~~
    ~~|~~  ~~|~~

      2      3
    ~~|~~  ~~|~~
    ~~|F~  ~~|~~
    ~~+--  --+~~
    ~~~~~  ~~~~~
    ~~~~~  ~~~~~
    """)
    table.lay(RED, "sea 2")
    table.lay(BLUE)
    (evaluated,) = of(table.lay(RED), FeatureEvaluated)
    assert evaluated.cause == "completed"
    assert table.wares(RED) == {"fish": 5}


def test_r9_evaluation_a_boat_in_reds_region_brings_5_fish_then_a_group_of_two_is_covered() -> None:
    """R9, evaluation: Red's fisherman stands there already."""
    table = Table("""
      0      1      2      3
    ~~~~~  ~~~~~  ~~~~~  ~~~~~
    ~~~~~  ~~~~~  ~~~~~  ~~~~~
    ~~f~~  ~~F~~  ~~f~~  ~fB~~
    ~~~~~  ~~~~~  ~~~~~  ~~~~~
    ~~~~~  ~~~~~  ~~~~~  ~~~~~
    """)
    table.lay(RED, "sea")
    table.lay(BLUE)
    events = table.lay(RED)
    assert table.wares(RED) == {"fish": 5}
    assert [(event.x, event.y, event.fish) for event in of(events, FishCovered)] == [(1, 0, 2)]


def test_r9_evaluation_red_places_tile_and_fisherman_and_the_boat_on_it_brings_3_fish() -> None:
    """R9, evaluation: the group of two is covered and the islander is back."""
    table = Table("""
      0      1
    ~~~~~  ~~~~~
    ~~~~~  ~~F~~
    ~~f~~  ~~~~~
    ~~~~~  ~~B~~
    ~~~~~  ~~~~~
    """)
    events = table.lay(RED, "sea")
    assert table.wares(RED) == {"fish": 3}
    assert [event.fish for event in of(events, FishCovered)] == [2]
    assert kinds(events).index(FishCovered) < kinds(events).index(IslanderReturned)
    assert table.supply() == [4, 4]


def test_r9_evaluation_blue_and_red_tie_on_an_island_that_a_new_tile_joins() -> None:
    """R9, evaluation: 4 bananas each."""
    table = Table("""
      0      1
    ~~~~~  ~~~~~
    ~~~~~  ~~~~~
    ~~~~~  ~~b~~
    ~~~~~  ~###~
    ~~~~~  ~###~

      2      3
    ~~~~~  ####~
    ~~~##  ###b~
    ~~bb#  ####~
    ~~~##  ~~~~~
    ~~~~~  ~~~~~
    """)
    table.lay(RED, "island")
    table.lay(BLUE, "island")
    (evaluated,) = of(table.lay(RED), FeatureEvaluated)
    assert evaluated.winners == [RED, BLUE]
    assert (table.wares(RED), table.wares(BLUE)) == ({"bananas": 4}, {"bananas": 4})


def test_r9_market_red_takes_one_of_several_best_ships_the_6_on_the_far_right() -> None:
    """R9, market: at least two ships are worth 6."""
    ships = [ship(f"s{place}", points, choice=20) for place, points in enumerate((6, 3, 5, 6, 2))]
    table = Table(MARKET, ships=ships)
    table.lay(RED, "market")
    for number in range(2, 9):
        table.lay((number - 1) % 2)
    table.lay(RED)
    far_right = table.view().display[-1]
    assert table.choices() == ["s0", far_right]
    table.act(TakeShip(far_right))
    assert (table.ships(RED), table.view().players[RED].points) == ([far_right], 6)
    assert len(table.view().display) == 4


@pytest.mark.parametrize(
    ("made", "wares"),
    (
        pytest.param(
            ship("s", 5, bananas=1, shells=2, fish=1),
            {"bananas": 1, "shells": 2, "fish": 1},
            id="2 shells, 1 fish and 1 banana are worth 5",
        ),
        pytest.param(ship("s", 5, choice=6), {"bananas": 3, "fish": 3}, id="6 of any kind are worth 5"),
        pytest.param(ship("s", 3, same=(4,)), {"shells": 4}, id="4 identical wares are worth 3"),
        pytest.param(ship("s", 4, choice=5), {"fish": 5}, id="5 of any kind are worth 4"),
        pytest.param(ship("s", 3, same=(3, 1)), {"bananas": 1, "shells": 3}, id="3 of one kind and 1 other: 3"),
    ),
)
def test_r9_ships_named_in_the_text(made: Ship, wares: dict[str, int]) -> None:
    """R9, ships: paid as the rulebook pays them."""
    table = Table(BRIDGE_OF_TWO_SHELLS, ships=[made, *FAR_SHIPS])
    table.give(RED, **wares)
    table.lay(RED)
    table.act(Deliver("s", paid(**wares)))
    assert (table.wares(RED), table.ships(RED)) == ({}, ["s"])
    assert table.view().players[RED].points == made.points
    assert (made.points, made.cost) in [(one.points, one.cost) for one in ARCHIPELAGO.ships]
