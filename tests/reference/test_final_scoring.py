"""The reference's end of the game (R7)."""

from tests.reference.small_game import Table, only, types
from tests.reference.tileset_builder import island, market, sea, ship, tile

OPEN = tile("open", "ssss", sea(range(8)))
GROVE = tile("grove", "ssss", island("", 3), sea(range(8), [1]), market())
CAPE = tile("cape", "sssi", sea(range(6)), island("w", 5))
ALL_LAND = tile("all-land", "iiii", island("nesw", 3))
ISLAND, SEA, MARKET = range(3)


def test_r7_2_and_r7_3_after_the_last_tile_what_is_incomplete_counts_except_markets() -> None:
    table = Table([OPEN, GROVE, CAPE], "cape grove grove")
    table.lay(1, 0, 1, islander=1)
    table.lay(-1, 0, islander=SEA)
    events = table.lay(-2, 0, islander=MARKET)
    assert types(events) == [
        "tile_placed",
        "islander_placed",
        "feature_evaluated",
        "islander_returned",
        "feature_evaluated",
        "islander_returned",
        "game_finished",
    ]
    assert {one["cause"] for one in only(events, "feature_evaluated")} == {"final"}
    view = table.game.view()
    assert (view["status"], view["turn"]) == ("finished", None)
    assert view["board"]["-2,0"]["islanders"] == [{"segment": MARKET, "seat": 0}]
    assert table.supply() == [3, 4]
    assert [table.wares(0), table.wares(1)] == [(5, 0, 0), (0, 0, 2)]
    assert view["result"] == {
        "winners": [0],
        "reason": "last_tile",
        "scores": [{"seat": 0, "ships": 0, "wares": 1, "total": 1}, {"seat": 1, "ships": 0, "wares": 0, "total": 0}],
    }
    assert table.game.legal_actions() == []


def test_r7_4_tied_players_share_the_win() -> None:
    table = Table([OPEN], "open open")
    table.lay(1, 0)
    assert only(table.lay(2, 0), "game_finished") == [{"reason": "last_tile", "winners": [0, 1]}]


def test_r7_1_the_turn_of_the_last_tile_is_played_out_delivery_included() -> None:
    table = Table([OPEN, GROVE], "grove", ships=[ship("a", 2, bananas=2), ship("b", 3, bananas=9)])
    table.lay(1, 0, islander=ISLAND)
    assert table.phase == "deliver"
    events = table.act("pass", phase="deliver")
    assert only(events, "game_finished") == [{"reason": "last_tile", "winners": [0]}]


def test_r7_1_after_the_last_ship_nothing_is_drawn() -> None:
    table = Table([OPEN, GROVE], "grove open open", ships=[ship("a", 2, bananas=2)])
    table.lay(1, 0, islander=ISLAND)
    events = table.act("deliver", ship="a", wares={"bananas": 2, "shells": 0, "fish": 0})
    assert types(events) == ["ship_taken", "game_finished"]
    assert table.game.view()["bag"] == 2
    result = table.game.view()["result"]
    assert (result["reason"], result["scores"][0]) == ("last_ship", {"seat": 0, "ships": 2, "wares": 0, "total": 2})


def test_r7_1_both_ends_together_are_the_last_ship() -> None:
    table = Table([OPEN, GROVE], "grove", ships=[ship("a", 2, bananas=2)])
    table.lay(1, 0, islander=ISLAND)
    events = table.act("deliver", ship="a", wares={"bananas": 2, "shells": 0, "fish": 0})
    assert only(events, "game_finished") == [{"reason": "last_ship", "winners": [0]}]


def test_r3_5_the_bag_runs_out_by_discards() -> None:
    table = Table([OPEN, GROVE, ALL_LAND], "grove all-land all-land")
    events = table.lay(1, 0, islander=SEA)
    assert types(events)[2:] == [
        "turn_started",
        "tile_discarded",
        "tile_discarded",
        "feature_evaluated",
        "islander_returned",
        "game_finished",
    ]
    assert only(events, "game_finished")[0]["reason"] == "bag_exhausted"
    assert table.game.view()["discarded"] == ["all-land", "all-land"]


def test_r3_5_no_tile_at_all_can_be_placed() -> None:
    table = Table([OPEN, ALL_LAND], "all-land")
    assert table.game.view()["result"]["reason"] == "bag_exhausted"
    assert table.game.legal_actions() == []
