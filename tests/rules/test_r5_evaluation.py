"""R5: complete features and their evaluation, the fishing boats, and the markets."""

import pytest

from schemas.actions import TakeShip
from schemas.events import (
    AnyEvent,
    FeatureEvaluated,
    FishCovered,
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
from schemas.vocabulary import Edition
from tests.rules.rules_game import BLUE, BOARDS, GREEN, RED, Table, kinds, of, ship


@pytest.mark.parametrize("end", ("--o~~", "--#~~", "--M~~"))
def test_r5_1_a_bridge_is_complete_when_both_ends_stop(end: str) -> None:
    """R5.1: at a junction, an island or a market."""
    table = Table(BOARDS["bridge of two shells"].replace("--o~~", end))
    assert IslanderReturned not in kinds(table.lay(RED, "bridge"))
    (evaluated,) = of(table.play(None, None), FeatureEvaluated)
    assert (evaluated.kind, evaluated.cause, evaluated.wares.shells) == ("bridge", "completed", 2)
    assert [(cell.x, cell.y) for cell in evaluated.cells] == [(0, 0), (1, 0), (2, 0)]


def test_r5_1_a_bridge_is_complete_when_it_closes_a_loop() -> None:
    """R5.1: without any end."""
    table = Table(BOARDS["loop"])
    (evaluated,) = of(table.play("bridge", None, None), FeatureEvaluated)
    assert (evaluated.kind, evaluated.wares.shells, len(evaluated.cells)) == ("bridge", 3, 4)


def test_r5_2_an_island_is_complete_only_without_gaps_inside() -> None:
    """R5.2: seven tiles around the middle close the outer border, the eighth fills the gap."""
    table = Table(BOARDS["hollow"])
    table.lay(RED, "island")
    for number in range(2, 8):
        assert FeatureEvaluated not in kinds(table.lay((number - 1) % 2))
    (evaluated,) = of(table.lay(BLUE), FeatureEvaluated)
    assert (evaluated.kind, evaluated.winners, evaluated.wares.bananas) == ("island", [RED], 1)
    assert len(evaluated.cells) == 9


def test_r5_2_an_island_that_reaches_no_edge_is_complete_when_placed() -> None:
    table = Table(BOARDS["islet"])
    (evaluated,) = of(table.lay(RED, "island"), FeatureEvaluated)
    assert [(cell.x, cell.y) for cell in evaluated.cells] == [(1, 0)]
    assert table.wares(RED) == {"bananas": 3}


def test_r5_3_a_sea_region_is_complete_without_open_half_edges() -> None:
    """R5.3: the sea north of the bridge has none, that south of it has."""
    table = Table(BOARDS["bay"])
    events = table.lay(RED, "sea")
    assert [event.kind for event in of(events, FeatureEvaluated)] == ["sea"]
    table = Table(BOARDS["bay"])
    events = table.lay(RED, "sea 2")
    assert FeatureEvaluated not in kinds(events)
    assert table.supply() == [3, 4]


def test_r5_5_the_most_islanders_win_alone_and_all_go_home() -> None:
    """R5.5, R5.9: two of Red's pickers to one of Blue's."""
    table = Table(BOARDS["joined island"])
    table.play("island", None, "island", "island")
    assert table.supply() == [2, 3]
    events = table.lay(RED)
    (evaluated,) = of(events, FeatureEvaluated)
    assert [(one.seat, one.count) for one in evaluated.islanders] == [(RED, 2), (BLUE, 1)]
    assert evaluated.winners == [RED]
    assert (table.wares(RED), table.wares(BLUE)) == ({"bananas": 3}, {})
    returned = [(event.seat, event.x, event.y) for event in of(events, IslanderReturned)]
    assert returned == [(RED, 1, 0), (RED, 2, 1), (BLUE, 0, 1)]
    assert table.supply() == [4, 4]
    assert not [placed for placed in table.view().board.values() if placed.islanders]


def test_r5_5_every_occupied_feature_that_the_tile_completes_is_evaluated() -> None:
    """R5.5: tile 3 closes the bridge and with it the sea within."""
    table = Table(BOARDS["loop"])
    events = table.play("bridge", "sea 2", None)
    assert {(event.kind, *event.winners) for event in of(events, FeatureEvaluated)} == {("bridge", RED), ("sea", BLUE)}


def test_r5_11_nothing_happens_for_an_unoccupied_feature() -> None:
    """R5.11: the bridge is complete, and nobody stands on it."""
    table = Table(BOARDS["bridge of two shells"])
    assert kinds(table.play(None, None, None)) == [TilePlaced, TurnStarted, TileDrawn]
    assert (table.wares(RED), table.wares(BLUE)) == ({}, {})


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
def test_r5_6_without_fish_the_fishermen_come_home_with_none_or_stay(first: str, edition: Edition, home: bool) -> None:
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
    assert kinds(table.act(TakeShip("s2-6"))) == [ShipTaken, ShipRevealed, TurnStarted, TileDrawn]
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
