"""R7: the end of the game."""

import pytest

from schemas.actions import Deliver
from schemas.events import FeatureEvaluated, FishCovered, GameFinished, IslanderReturned, ShipTaken, TileDrawn
from schemas.game import Score
from schemas.tileset import Ship
from tests.rules.rules_game import BLUE, BOARDS, FAR_SHIPS, RED, Table, kinds, of, ship


def test_r7_1_the_game_ends_after_the_turn_of_the_last_tile() -> None:
    """R7.1: nobody draws any more."""
    table = Table(BOARDS["islet"], spares=0)
    events = table.lay(RED)
    assert kinds(events[-1:]) == [GameFinished]
    assert TileDrawn not in kinds(events)
    assert table.result().reason == "last_tile"


@pytest.mark.parametrize(
    ("others", "spares", "reason"),
    (([ship("other", 6, fish=9)], 0, "last_tile"), ([], 3, "last_ship"), ([], 0, "last_ship")),
    ids=["last tile", "last ship", "both"],
)
def test_r7_1_the_last_turn_is_played_out_delivery_included(others: list[Ship], spares: int, reason: str) -> None:
    """R7.1: Red picks three bananas with the last tile, delivers them to the last ship, or both."""
    table = Table(BOARDS["islet"], ships=[ship("three", 3, bananas=3), *others], spares=spares)
    table.lay(RED, "island")
    assert table.phase() == "deliver"
    table.act(Deliver("three"))
    assert table.result().reason == reason
    assert (table.ships(RED), table.view().bag) == (["three"], spares)


def test_r7_1_the_last_ship_may_be_acquired_by_a_market() -> None:
    """R7.1: acquired, however."""
    table = Table(BOARDS["market"], ships=[ship("only", 3, bananas=3)])
    events = table.play("market", *8 * [None])
    assert [event.by for event in of(events, ShipTaken)] == ["market"]
    assert table.result().reason == "last_ship"


def test_r7_1_a_turn_with_ships_left_in_the_display_is_played_out_after_a_market() -> None:
    """R7.1, R2: a market's ship does not replace the delivery of the same turn."""
    table = Table(BOARDS["market"], ships=[ship("best", 6, bananas=3), ship("last", 2, fish=1)])
    table.give(RED, fish=1)
    table.lay(RED, "market")
    assert table.phase() == "deliver"
    table.skip("deliver")
    for number in range(2, 9):
        table.lay((number - 1) % 2)
        if number % 2:
            table.skip("deliver")
    table.lay(RED)
    assert table.ships(RED) == ["best"]
    table.act(Deliver("last"))
    assert table.ships(RED) == ["best", "last"]
    assert table.result().reason == "last_ship"


def test_r7_2_incomplete_bridges_islands_and_seas_are_evaluated_as_if_complete() -> None:
    """R7.2: an island with one banana and a sea with one fish; no boat covers anything now."""
    table = Table(
        """
          0      1      2      3
        ~~~~~  ~~~~~  ~~~~~  ~~~~~
        ~~~~~  ~~~~~  ~~~~~  ~~~~~
        ~~o--  -s---  -----  -----
        ~~~~~  ~~~~~  ~~~~~  ~~~~~
        ~~~~~  ~~~~~  ~~F~~  ~###~
        """,
        spares=0,
    )
    events = table.play("bridge", "sea 2", "island")
    evaluated = of(events, FeatureEvaluated)
    assert {event.cause for event in evaluated} == {"final"}
    assert sorted(event.kind for event in evaluated) == ["bridge", "island", "sea"]
    assert FishCovered not in kinds(events)
    assert (table.wares(RED), table.wares(BLUE)) == ({"shells": 1}, {"fish": 2})
    assert (table.supply(), len(of(events, IslanderReturned))) == ([4, 4], 3)


def test_r7_2_incomplete_markets_give_nothing_and_the_merchant_stays() -> None:
    table = Table(BOARDS["islet"].replace("~bbb~", "~~M~~"), spares=0)
    assert not {FeatureEvaluated, IslanderReturned, ShipTaken} & {*kinds(table.lay(RED, "market"))}
    assert table.result().winners == [RED, BLUE]
    assert table.supply() == [3, 4]
    assert [standing.seat for standing in table.view().board["1,0"].islanders] == [RED]


def test_r7_3_points_are_the_ships_and_one_for_every_three_wares_of_any_kind() -> None:
    """R7.3: rounded down, over all kinds together."""
    ships = [*FAR_SHIPS, ship("two", 2, choice=1), ship("five", 5, choice=1)]
    table = Table(BOARDS["islet"], ships=ships, spares=0)
    table.award(RED, "two", "five")
    table.give(RED, bananas=2, shells=2, fish=1)
    table.give(BLUE, bananas=2, fish=1)
    table.lay(RED)
    assert table.result().scores == [
        Score(seat=RED, ships=7, wares=1, total=8),
        Score(seat=BLUE, ships=0, wares=1, total=1),
    ]


@pytest.mark.parametrize(("bananas", "winners"), ((2, [BLUE]), (4, [RED, BLUE])))
def test_r7_4_the_most_points_win_and_tied_players_share_the_win(bananas: int, winners: list[int]) -> None:
    """R7.4: points, not wares; Blue has three, which are a point."""
    table = Table(BOARDS["islet"], players=3, spares=0)
    table.give(RED, bananas=bananas)
    table.give(BLUE, fish=3)
    table.lay(RED)
    assert table.result().winners == winners
