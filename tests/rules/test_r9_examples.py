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


@pytest.mark.parametrize(
    ("drawing", "cell"),
    (
        pytest.param(
            """
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
            """,
            (1, 1),
            id="a bridge and a sea region are continued",
        ),
        pytest.param(
            """
              0      1
            ~~~~~  ~~~~~
            ~####  ####~
            ~####  ####~
            ~####  ####~
            ~~~~~  ~~~~~
            """,
            (1, 0),
            id="an island is continued",
        ),
        pytest.param(
            """
              0      3
            ~~~~~  ~~~~~
            ~####  ####~
            ~####  ####~
            ~####  ####~
            ~~~~~  ~~~~~

              1      2
            """,
            (1, 0),
            id="an island on the left and a sea below are continued",
        ),
    ),
)
def test_r9_placing_every_shared_side_goes_on(drawing: str, cell: tuple[int, int]) -> None:
    """R9, placing: the last tile fits there in one rotation only."""
    table = Table(drawing)
    table.play(*(len(table.places) - 2) * [None])
    assert {placement for placement in table.placements() if placement[:2] == cell} == {(*cell, 0)}
    table.place(table.game.seat)


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


@pytest.mark.parametrize(
    ("drawing", "occupied", "free"),
    (
        pytest.param(
            """
              0      1      2
            ~~~~~  ~~~~~  ~~~~~
            ~~~~~  ~~~~~  ~~~~~
            ~~o--  -s---  --M~~
            ~~~~~  ~~~~~  ~~~~~
            ~~~~~  ~~~~~  ~~~~~
            """,
            "bridge",
            {"market", "sea"},
            id="merchant or fisherman",
        ),
        pytest.param(
            """
              0      1      2
            ~~~~~  ~~~~~  ~~~~~
            ~~~##  ##b##  ##~~~
            ~~~##  #####  ##---
            ~~~##  #####  ##~~~
            ~~~~~  ~~~~~  ~~~~~
            """,
            "island",
            {"bridge", "sea", "sea 2"},
            id="collector or fisherman",
        ),
    ),
)
def test_r9_islanders_none_on_an_occupied_feature(drawing: str, occupied: str, free: set[str]) -> None:
    """R9, islanders: Blue continues Red's bridge or island."""
    table = Table(drawing)
    table.lay(RED, occupied)
    table.place(BLUE)
    assert table.free_segments() == free


def test_r9_islanders_in_three_steps_blue_and_red_come_to_share_a_sea() -> None:
    """R9, islanders: Blue's fisherman, Red's on a distinct sea, a tile that joins the two seas; both stay."""
    table = Table(TOUCHING_SEAS, first=BLUE)
    assert IslanderReturned not in kinds(table.play("sea", "sea", None))
    assert table.supply() == [3, 3]
    assert [(one.seat, one.majority) for one in islander_values(table.index, table.game)] == [(RED, True), (BLUE, True)]


@pytest.mark.parametrize(
    ("drawing", "islander", "cause", "wares"),
    (
        pytest.param(BRIDGE_OF_TWO_SHELLS, "bridge", "completed", {"shells": 2}, id="a bridge worth 2 shells"),
        pytest.param(
            """
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
            """,
            "bridge",
            "completed",
            {"shells": 4},
            id="a bridge from an island to a market worth 4 shells",
        ),
        pytest.param(
            """
              0      1      2
            ~~~~~  ~~~~~  ~~~~~
            ~~~~~  ~~~##  ##~~~
            ~~~~~  ~~b##  ##b~~
            ~~~~~  ~~~##  ##~~~
            ~~~~~  ~~~~~  ~~~~~
            """,
            "island",
            "completed",
            {"bananas": 2},
            id="an island worth 2 bananas",
        ),
        pytest.param(
            """
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
            """,
            "island",
            "completed",
            {"bananas": 4},
            id="an island worth 4 bananas",
        ),
        pytest.param(
            """
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
            """,
            "sea 2",
            "completed",
            {"fish": 5},
            id="a sea enclosed by bridges worth 5 fish",
        ),
        pytest.param(
            """
              0      1      2      3
            ~~~~~  ~~~~~  ~~~~~  ~~~~~
            ~~~~~  ~~~~~  ~~~~~  ~~~~~
            ~~f~~  ~~F~~  ~~f~~  ~fB~~
            ~~~~~  ~~~~~  ~~~~~  ~~~~~
            ~~~~~  ~~~~~  ~~~~~  ~~~~~
            """,
            "sea",
            "boat",
            {"fish": 5},
            id="a boat in red's region brings 5 fish, then a group of two is covered",
        ),
        pytest.param(
            """
              0      1
            ~~~~~  ~~~~~
            ~~~~~  ~~F~~
            ~~f~~  ~~~~~
            ~~~~~  ~~B~~
            ~~~~~  ~~~~~
            """,
            "sea",
            "boat",
            {"fish": 3},
            id="red places tile and fisherman, and the boat on it brings 3 fish",
        ),
    ),
)
def test_r9_evaluation_red_takes(drawing: str, islander: str, cause: str, wares: dict[str, int]) -> None:
    """R9, evaluation: Red's islander stands on tile 1, the last tile completes the feature or brings a boat."""
    table = Table(drawing)
    events = table.play(islander, *(len(table.places) - 2) * [None])
    (evaluated,) = of(events, FeatureEvaluated)
    assert (evaluated.kind, evaluated.cause, table.wares(RED)) == (islander.removesuffix(" 2"), cause, wares)
    covered = of(events, FishCovered)
    assert [(event.x, event.y, event.fish) for event in covered] == ([(1, 0, 2)] if cause == "boat" else [])
    if covered:
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
    (evaluated,) = of(table.play("island", "island", None), FeatureEvaluated)
    assert evaluated.winners == [RED, BLUE]
    assert (table.wares(RED), table.wares(BLUE)) == ({"bananas": 4}, {"bananas": 4})


def test_r9_market_red_takes_one_of_several_best_ships_the_6_on_the_far_right() -> None:
    """R9, market: at least two ships are worth 6."""
    ships = [ship(f"s{place}", points, choice=20) for place, points in enumerate((6, 3, 5, 6, 2))]
    table = Table(MARKET, ships=ships)
    table.play("market", *8 * [None])
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
