"""The reference on boards small enough to check by eye: placement, islanders, bridges, islands, scores."""

import pytest

from tests.reference import IllegalAction
from tests.reference.small_game import Table, only, types
from tests.reference.tileset_builder import bridge, island, market, sea, tile

OPEN = tile("open", "ssss", sea(range(8)))
CAPE = tile("cape", "sssi", sea(range(6)), island("w", 1))
ISLET = tile("islet", "ssss", island("", 2), sea(range(8)))
ALL_LAND = tile("all-land", "iiii", island("nesw", 3))
BEND = tile("bend", "sbbs", bridge("es", 1), sea([3, 4], [1]), sea([5, 6, 7, 0, 1, 2]))
PIER = tile("pier", "sssb", bridge("w"), island("", 1), sea(range(8), [1]))
ROAD = tile("road", "sbsb", bridge("ew", 1), sea([7, 0, 1, 2]), sea([3, 4, 5, 6]))
TEMPLE = tile("temple", "ssss", market(), sea(range(8), [1, 1]))
JOINT = tile("joint", "iisi", sea([4, 5]), island("new", 1))


def test_r3_2_and_r3_3_a_tile_touches_a_side_and_continues_every_edge() -> None:
    table = Table([CAPE], "cape")
    placements = {(action["x"], action["y"], action["rotation"]) for action in table.legal("place_tile")}
    west = {(-1, 0, 2)}
    north = {(0, -1, rotation) for rotation in (0, 1, 2)}
    east = {(1, 0, rotation) for rotation in (1, 2, 3)}
    south = {(0, 1, rotation) for rotation in (0, 2, 3)}
    assert placements == west | north | east | south


def test_what_is_not_listed_is_refused_and_changes_nothing() -> None:
    table = Table([CAPE], "cape")
    before = table.game.view()
    for rejected in (
        {"type": "place_tile", "x": 1, "y": 1, "rotation": 0},
        {"type": "place_tile", "x": 1, "y": 0, "rotation": 0},
        {"type": "pass", "phase": "islander"},
    ):
        with pytest.raises(IllegalAction):
            table.game.apply(rejected)
    assert table.game.view() == before


def test_r3_5_a_tile_that_fits_nowhere_is_discarded_and_the_same_player_draws_again() -> None:
    table = Table([OPEN, ALL_LAND], "all-land open all-land all-land open", first_seat=1)
    assert table.game.view()["discarded"] == ["all-land"]
    assert table.game.view()["turn"]["number"] == 1
    events = table.lay(0, 1)
    assert events[-4:] == [
        {"type": "turn_started", "number": 2, "seat": 0},
        {"type": "tile_discarded", "tile": "all-land"},
        {"type": "tile_discarded", "tile": "all-land"},
        {"type": "tile_drawn", "tile": "open"},
    ]
    assert table.game.view()["bag"] == 0


def test_r4_2_no_islander_on_an_occupied_feature_but_on_the_others_of_the_tile() -> None:
    table = Table([ROAD], "road road road")
    table.lay(1, 0, islander=0)
    table.act("place_tile", x=2, y=0, rotation=0)
    assert table.segments() == [1, 2]


def test_r4_4_international_retrieves_only_with_an_empty_supply() -> None:
    table = Table([OPEN, CAPE], "cape open " * 5)
    for x in (1, 2, 3, 4):
        table.act("place_tile", x=x, y=0, rotation=1)
        assert table.legal("retrieve_islander") == []
        table.act("place_islander", segment=1)
        table.lay(-x, 0)
    table.act("place_tile", x=5, y=0, rotation=1)
    assert table.segments() == []
    assert table.legal("retrieve_islander") == [
        {"type": "retrieve_islander", "x": x, "y": 0, "segment": 1} for x in (1, 2, 3, 4)
    ]
    table.act("retrieve_islander", x=2, y=0, segment=1)
    assert table.supply() == [1, 4]


def test_r4_4_german_retrieves_before_the_evaluation_and_changes_the_majority() -> None:
    table = Table([OPEN, CAPE, JOINT], "cape open cape cape joint open", edition="german")
    lay_three_capes(table)
    table.act("place_tile", x=1, y=1, rotation=0)
    events = table.act("retrieve_islander", x=2, y=1, segment=1)
    (evaluated,) = only(events, "feature_evaluated")
    assert types(events)[0] == "islander_retrieved"
    assert evaluated["winners"] == [0, 1]


def test_r5_1_a_loop_of_bridges_is_complete_and_so_is_the_sea_within() -> None:
    table = Table([BEND, OPEN], "bend bend bend open")
    table.lay(1, 0, 1, islander=1)
    table.lay(1, 1, 2, islander=0)
    table.act("place_tile", x=0, y=1, rotation=3)
    assert table.segments() == [2]
    events = table.act("pass", phase="islander")
    loop, within = only(events, "feature_evaluated")
    square = [{"x": 0, "y": 0}, {"x": 1, "y": 0}, {"x": 0, "y": 1}, {"x": 1, "y": 1}]
    assert (loop["kind"], loop["winners"], loop["wares"]["shells"], loop["cells"]) == ("bridge", [1], 4, square)
    assert (within["kind"], within["winners"], within["wares"]["fish"], within["cells"]) == ("sea", [0], 4, square)
    assert table.supply() == [4, 4]


def test_r5_1_a_bridge_is_complete_between_two_ends() -> None:
    table = Table([ROAD, PIER], "pier pier road")
    table.lay(1, 0, islander=0)
    events = table.lay(-1, 0, 2)
    (evaluated,) = only(events, "feature_evaluated")
    assert (evaluated["winners"], evaluated["wares"]["shells"]) == ([0], 1)
    assert only(events, "islander_returned") == [{"seat": 0, "x": 1, "y": 0, "segment": 0}]


def test_r5_2_an_island_that_reaches_no_edge_is_complete_when_placed() -> None:
    table = Table([OPEN, ISLET], "islet open")
    events = table.lay(1, 0, islander=0)
    assert types(events)[:4] == ["tile_placed", "islander_placed", "feature_evaluated", "islander_returned"]
    assert events[2] == {
        "type": "feature_evaluated",
        "kind": "island",
        "cause": "completed",
        "cells": [{"x": 1, "y": 0}],
        "islanders": [{"seat": 0, "count": 1}],
        "winners": [0],
        "wares": {"bananas": 2, "shells": 0, "fish": 0},
    }
    assert table.wares(0) == (2, 0, 0)
    assert table.supply() == [4, 4]


def test_r5_3_seas_that_touch_at_a_corner_are_distinct_until_a_tile_joins_them() -> None:
    """Two fishermen on distinct seas stay where they are when the seas are joined (R9).

    F c   F is a cape with seat 0's fisherman, its island closed by the start c
    + o   o touches F at a corner only; + joins both, so no islander can be placed on it
    """
    table = Table([CAPE, OPEN], "cape open open open")
    table.lay(-1, 0, 2, islander=0)
    table.lay(0, 1, islander=0)
    events = table.act("place_tile", x=-1, y=1, rotation=0)
    assert types(events) == ["tile_placed", "turn_started", "tile_drawn"]
    assert table.supply() == [3, 3]


def test_r5_5_both_tied_players_get_the_wares_of_a_joined_island() -> None:
    """The printed example of a tie (R9).

    .  A
    B  +   the corner joins the capes A (seat 0) and B (seat 1) and closes the island.
    """
    corner = tile("corner", "issi", sea([2, 3, 4, 5]), island("nw", 2))
    table = Table([OPEN, CAPE, corner], "cape cape corner open")
    table.lay(1, 0, 3, islander=1)
    table.lay(0, 1, 2, islander=1)
    table.act("place_tile", x=1, y=1, rotation=0)
    assert table.segments() == [0]
    events = table.act("pass", phase="islander")
    (evaluated,) = only(events, "feature_evaluated")
    assert evaluated["winners"] == [0, 1]
    assert evaluated["cells"] == [{"x": 1, "y": 0}, {"x": 0, "y": 1}, {"x": 1, "y": 1}]
    assert only(events, "islander_returned") == [
        {"seat": 0, "x": 1, "y": 0, "segment": 1},
        {"seat": 1, "x": 0, "y": 1, "segment": 1},
    ]
    assert [table.wares(0), table.wares(1)] == [(4, 0, 0), (4, 0, 0)]


def lay_three_capes(table: Table) -> None:
    """Lay two capes of seat 0 and one of seat 1 around a free cell that is seat 0's to fill.

    .  A  .
    B  +  C   A and C are seat 0's, B is seat 1's, + is free
    """
    table.lay(1, 0, 3, islander=1)
    table.lay(2, 0)
    table.lay(2, 1, islander=1)
    table.lay(0, 1, 2, islander=1)


def test_r5_5_the_majority_alone_gets_the_wares() -> None:
    table = Table([OPEN, CAPE, JOINT], "cape open cape cape joint open")
    lay_three_capes(table)
    events = table.lay(1, 1)
    (evaluated,) = only(events, "feature_evaluated")
    assert evaluated["islanders"] == [{"seat": 0, "count": 2}, {"seat": 1, "count": 1}]
    assert evaluated["winners"] == [0]
    assert [table.wares(0), table.wares(1)] == [(4, 0, 0), (0, 0, 0)]
    assert table.supply() == [4, 4]


def test_r5_11_nothing_happens_for_an_unoccupied_feature() -> None:
    table = Table([OPEN, ISLET], "islet open")
    assert types(table.lay(1, 0)) == ["tile_placed", "turn_started", "tile_drawn"]


def test_r8_3_what_this_turn_completed_is_pending_until_it_is_evaluated() -> None:
    table = Table([OPEN, CAPE, JOINT], "cape open cape cape joint open")
    lay_three_capes(table)
    table.act("place_tile", x=1, y=1, rotation=0)
    scores = table.game.scores()
    assert [player["if_ended_now"] for player in scores["players"]] == [
        {"ships": 0, "wares": 1, "total": 1, "pending": {"bananas": 4, "shells": 0, "fish": 0}},
        {"ships": 0, "wares": 0, "total": 0, "pending": {"bananas": 0, "shells": 0, "fish": 0}},
    ]
    assert [(one["seat"], one["value"], one["majority"]) for one in scores["islanders"]] == [
        (0, 4, True),
        (0, 4, True),
        (1, 0, False),
    ]


def test_r8_4_every_islander_is_listed_with_what_it_would_bring() -> None:
    table = Table([ROAD, TEMPLE], "road temple temple temple")
    table.lay(1, 0, islander=0)
    table.lay(0, -1, islander=0)
    table.lay(0, 1, islander=1)
    assert table.game.scores()["islanders"] == [
        {
            "seat": 0,
            "x": 1,
            "y": 0,
            "segment": 0,
            "kind": "bridge",
            "role": "shell_collector",
            "value": 2,
            "unit": "shells",
            "majority": True,
        },
        {
            "seat": 0,
            "x": 0,
            "y": 1,
            "segment": 1,
            "kind": "sea",
            "role": "fisherman",
            "value": 2,
            "unit": "fish",
            "majority": True,
        },
        {
            "seat": 1,
            "x": 0,
            "y": -1,
            "segment": 0,
            "kind": "market",
            "role": "merchant",
            "value": 2,
            "unit": "points",
            "majority": True,
        },
    ]
