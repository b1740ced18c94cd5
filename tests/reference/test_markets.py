"""The reference's markets (R5.4, R5.10)."""

from collections.abc import Sequence

from tests.reference.pieces import Json
from tests.reference.small_game import Table, only, types
from tests.reference.tileset_builder import market, sea, ship, tile

OPEN = tile("open", "ssss", sea(range(8)))
STALL = tile("stall", "ssss", sea(range(8)), market())
AROUND_ONE = ((0, -1), (1, -1), (2, -1), (2, 0), (2, 1), (1, 1))
AROUND_TWO = ((0, -1), (1, -1), (2, -1), (3, -1), (3, 0), (3, 1), (2, 1), (0, 1))


def ships(*points: int) -> list[Json]:
    """Make ships that only a market can bring, named by their place and points."""
    return [ship(f"s{place}-{worth}", worth, bananas=99) for place, worth in enumerate(points)]


def one_market(made: Sequence[Json]) -> tuple[Table, list[Json]]:
    """Let seat 1 surround seat 0's market at (1, 0), and return what follows."""
    table = Table([OPEN, STALL], "stall " + "open " * 8, ships=made)
    table.lay(1, 0, islander=1)
    for x, y in AROUND_ONE:
        assert only(table.lay(x, y), "islander_returned") == []
    return table, table.lay(0, 1)


def test_r5_10_the_best_ship_is_taken_at_once_where_there_is_no_choice() -> None:
    table, events = one_market(ships(2, 6, 3, 5, 6))
    assert types(events) == [
        "tile_placed",
        "islander_returned",
        "ship_taken",
        "ship_revealed",
        "turn_started",
        "tile_drawn",
    ]
    assert events[1:4] == [
        {"type": "islander_returned", "seat": 0, "x": 1, "y": 0, "segment": 1},
        {"type": "ship_taken", "seat": 0, "ship": "s1-6", "points": 6, "by": "market", "paid": None},
        {"type": "ship_revealed", "ship": "s4-6"},
    ]
    assert table.supply() == [4, 4]


def test_r5_10_the_owner_chooses_among_several_best_ships_also_in_anothers_turn() -> None:
    table, events = one_market(ships(6, 2, 6, 3, 4))
    assert types(events) == ["tile_placed", "islander_returned"]
    turn = table.game.view()["turn"]
    assert (turn["seat"], turn["phase"], turn["decider"]) == (1, "take_ship", 0)
    assert table.game.legal_actions() == [{"type": "take_ship", "ship": "s0-6"}, {"type": "take_ship", "ship": "s2-6"}]
    events = table.act("take_ship", ship="s2-6")
    assert types(events) == ["ship_taken", "ship_revealed", "turn_started", "tile_drawn"]
    assert table.game.view()["players"][0]["ships"] == ["s2-6"]


def two_markets(made: Sequence[Json]) -> tuple[Table, list[Json]]:
    """Let seat 1 complete seat 0's market at (1, 0) and its own at (2, 0) with one tile, of three players."""
    table = Table([OPEN, STALL], "stall stall " + "open " * 10, ships=made, players=3)
    table.lay(1, 0, islander=1)
    table.lay(2, 0, islander=1)
    for x, y in AROUND_TWO:
        table.lay(x, y)
    return table, table.lay(1, 1)


def test_r5_10_several_markets_go_clockwise_from_the_active_player_after_all_merchants_are_home() -> None:
    table, events = two_markets(ships(2, 6, 3, 5, 4, 6))
    assert [one["seat"] for one in only(events, "islander_returned")] == [1, 0]
    assert types(events)[1:7] == [
        "islander_returned",
        "islander_returned",
        "ship_taken",
        "ship_revealed",
        "ship_taken",
        "ship_revealed",
    ]
    assert [(one["seat"], one["ship"]) for one in only(events, "ship_taken")] == [(1, "s1-6"), (0, "s3-5")]
    assert table.game.view()["display"] == ["s0-2", "s2-3", "s4-4", "s5-6"]


def test_r5_10_the_refill_may_give_the_next_owner_a_choice() -> None:
    table, events = two_markets(ships(2, 6, 3, 5, 5))
    assert [(one["seat"], one["ship"]) for one in only(events, "ship_taken")] == [(1, "s1-6")]
    assert [action["ship"] for action in table.game.legal_actions()] == ["s3-5", "s4-5"]
    assert table.game.view()["turn"]["decider"] == 0


def test_r5_10_with_no_ship_left_the_merchant_goes_home_without_and_the_game_ends() -> None:
    table, events = two_markets(ships(6))
    assert [(one["seat"], one["ship"]) for one in only(events, "ship_taken")] == [(1, "s0-6")]
    assert len(only(events, "islander_returned")) == 2
    assert only(events, "game_finished") == [{"reason": "last_ship", "winners": [1]}]
    assert table.supply() == [4, 4, 4]


def test_r4_3_a_merchant_may_be_placed_where_all_eight_tiles_lie_already() -> None:
    table = Table([OPEN, STALL], "open " * 7 + "stall open", ships=ships(2, 6, 3, 5))
    for x, y in ((1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)):
        table.lay(x, y)
    events = table.lay(1, 1, islander=1)
    assert only(events, "ship_taken") == [{"seat": 1, "ship": "s1-6", "points": 6, "by": "market", "paid": None}]
