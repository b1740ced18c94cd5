"""R5.4 and R5.10: the markets."""

import pytest

from schemas.actions import TakeShip
from schemas.events import (
    AnyEvent,
    FeatureEvaluated,
    GameFinished,
    IslanderPlaced,
    IslanderReturned,
    ShipRevealed,
    ShipTaken,
    TileDrawn,
    TilePlaced,
    TurnStarted,
)
from schemas.tileset import Ship
from tests.rules.board_parser import BOARDS
from tests.rules.rules_game import BLUE, GREEN, RED, Table, kinds, of, ship


def worth(*points: int) -> list[Ship]:
    """Ships that only a market can bring, named by their place and points."""
    return [ship(f"s{place}-{number}", number, bananas=20) for place, number in enumerate(points)]


def one_market(ships: list[Ship], players: int = 2) -> tuple[Table, list[AnyEvent]]:
    """Red's market is completed by tile 9: of two players by Red, of three by Green."""
    table = Table(BOARDS["market"], ships=ships, players=players)
    table.lay(RED, "market")
    for number in range(2, 9):
        assert IslanderReturned not in kinds(table.lay((number - 1) % players))
    return table, table.lay(8 % players)


def two_markets(ships: list[Ship], players: int) -> tuple[Table, list[AnyEvent]]:
    """Tile 12 completes both: of two players Red's and that of Blue, who is active; of three both are Red's."""
    table = Table(BOARDS["two markets"], ships=ships, players=players)
    return table, table.play("market", None, None, "market", *8 * [None])


def test_r5_4_a_market_is_complete_when_all_8_cells_around_hold_tiles() -> None:
    """R5.4: seven, or all four sides, are not enough."""
    _, events = one_market(worth(2, 6, 3, 5))
    assert [(event.x, event.y) for event in of(events, IslanderReturned)] == [(1, 0)]


def test_r5_4_the_ninth_tile_may_be_the_market() -> None:
    """R5.4, R4.3: all 8 cells around hold tiles when it is placed."""
    table = Table(
        """
          0      1      2

          7      8      3
        ~~~~~  ~~~~~  ~~~~~
        ~~~~~  ~~~~~  ~~~~~
        ~~~~~  ~~M~~  ~~~~~
        ~~~~~  ~~~~~  ~~~~~
        ~~~~~  ~~~~~  ~~~~~

          6      5      4
        """,
        ships=worth(2, 6, 3, 5, 4),
    )
    events = table.play(*7 * [None], "market")
    assert kinds(events) == [
        TilePlaced,
        IslanderPlaced,
        IslanderReturned,
        ShipTaken,
        ShipRevealed,
        TurnStarted,
        TileDrawn,
    ]
    assert (table.ships(BLUE), table.supply()) == (["s1-6"], [4, 4])


def test_r5_10_the_owner_takes_the_ship_with_the_most_points_free_of_charge() -> None:
    """R5.10: whoever completes the market; nothing is paid and the display is refilled."""
    table, events = one_market(worth(2, 6, 3, 5, 4), players=3)
    (taken,) = of(events, ShipTaken)
    assert (taken.seat, taken.ship, taken.points, taken.by, taken.paid) == (RED, "s1-6", 6, "market", None)
    assert [event.ship for event in of(events, ShipRevealed)] == ["s4-4"]
    assert table.view().display == ["s0-2", "s2-3", "s3-5", "s4-4"]
    assert kinds(events).index(IslanderReturned) < kinds(events).index(ShipTaken)


def test_r5_10_of_several_with_the_most_points_the_owner_chooses() -> None:
    """R5.10: the chooser may be a player who is not on turn, and no other ship can be had."""
    table, _ = one_market(worth(6, 2, 6, 3, 4), players=3)
    turn = table.turn()
    assert (turn.phase, turn.seat, turn.decider) == ("take_ship", GREEN, RED)
    assert table.choices() == ["s0-6", "s2-6"]
    assert table.refusal(TakeShip("s1-2")) == "R5.10"
    assert table.refusal(TakeShip("s4-4")) == "R5.10"
    events = table.act(TakeShip("s2-6"))
    assert kinds(events) == [ShipTaken, ShipRevealed, TurnStarted, TileDrawn]
    assert table.ships(RED) == ["s2-6"]


def test_r5_10_ships_alike_but_for_their_id_are_distinct_choices() -> None:
    """R5.10: three ships with equal points and cost are three choices."""
    table, _ = one_market(worth(6, 6, 6, 3))
    assert table.choices() == ["s0-6", "s1-6", "s2-6"]


def test_r5_10_several_markets_clockwise_from_the_active_player() -> None:
    """R5.10: Blue, who is active, goes before Red; the display is refilled in between, with the ship that Red gets."""
    table, events = two_markets(worth(2, 5, 3, 4, 6), players=2)
    assert [(event.seat, event.ship) for event in of(events, ShipTaken)] == [(BLUE, "s1-5"), (RED, "s4-6")]
    assert table.view().display == ["s0-2", "s2-3", "s3-4"]


def test_r5_10_all_merchants_go_home_before_the_first_ship_is_chosen() -> None:
    """R5.10: Blue has a choice, and Red's merchant is already home."""
    table, events = two_markets(worth(6, 5, 3, 6, 6), players=2)
    assert [event.seat for event in of(events, IslanderReturned)] == [BLUE, RED]
    assert ShipTaken not in kinds(events)
    assert table.supply() == [4, 4]
    assert (table.game.decider, table.choices()) == (BLUE, ["s0-6", "s3-6"])
    table.act(TakeShip("s0-6"))
    assert (table.game.decider, table.choices()) == (RED, ["s3-6", "s4-6"])
    table.act(TakeShip("s4-6"))
    assert (table.ships(BLUE), table.ships(RED)) == (["s0-6"], ["s4-6"])


def test_r5_10_a_player_owed_several_ships_takes_them_in_succession() -> None:
    """R5.10: both markets are Red's, Green is on turn."""
    table, _ = two_markets(worth(6, 5, 3, 6, 6, 6), players=3)
    for choices, choice in ((["s0-6", "s3-6"], "s3-6"), (["s0-6", "s4-6"], "s4-6")):
        assert (table.game.seat, table.game.decider, table.phase()) == (GREEN, RED, "take_ship")
        assert table.choices() == choices
        table.act(TakeShip(choice))
    assert table.ships(RED) == ["s3-6", "s4-6"]
    assert (table.game.seat, table.phase()) == (RED, "place_tile")


def test_r5_10_with_no_ship_left_nothing_is_awarded() -> None:
    """R5.10: the last ship is Blue's, Red's merchant goes home without one."""
    table, events = two_markets(worth(6), players=2)
    assert [(event.seat, event.ship) for event in of(events, ShipTaken)] == [(BLUE, "s0-6")]
    assert len(of(events, IslanderReturned)) == 2
    assert [event.reason for event in of(events, GameFinished)] == ["last_ship"]
    assert (table.ships(RED), table.supply()) == ([], [4, 4])


def test_r5_10_bridges_islands_and_seas_come_before_the_markets() -> None:
    """R5.10: Blue occupies the islet of tile 12, which completes two markets too."""
    table = Table(BOARDS["two markets"], ships=worth(2, 6, 3, 5))
    events = table.play("market", None, None, "market", *7 * [None], "island")
    assert [kind for kind in kinds(events) if kind in (FeatureEvaluated, IslanderReturned, ShipTaken)] == [
        FeatureEvaluated,
        IslanderReturned,
        IslanderReturned,
        IslanderReturned,
        ShipTaken,
        ShipTaken,
    ]


@pytest.mark.parametrize(("fisher", "order"), (("sea", ["sea", "bridge"]), ("sea 2", ["bridge", "sea"])))
def test_r5_10_features_are_evaluated_in_the_order_of_the_placed_tiles_segments(fisher: str, order: list[str]) -> None:
    """R5.10: tile 2 completes the northern sea, the bridge and the southern sea, in this order."""
    table = Table("""
      1      0      2
    #####  #####  #####
    ##~~~  ~~~~~  ~~~##
    ##---  -----  ---##
    ##~~~  ~~~~~  ~~~##
    #####  #####  #####
    """)
    table.lay(RED, fisher)
    events = table.lay(BLUE, "bridge")
    assert [event.kind for event in of(events, FeatureEvaluated)] == order
