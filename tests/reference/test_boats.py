"""The reference's fishing boats (R5.6 to R5.8)."""

import pytest

from tests.reference.small_game import Table, only, types
from tests.reference.tileset_builder import island, sea, tile

SHOAL = tile("shoal", "ssss", sea(range(8), [1, 2]))
POND = tile("pond", "ssss", sea(range(8), [2]))
BARE = tile("bare", "ssss", sea(range(8)))
BOAT = tile("boat", "ssss", sea(range(8), [1], boat=True))
EMPTY_BOAT = tile("empty-boat", "ssss", sea(range(8), boat=True))
STRAIT = tile("strait", "sisi", island("ew"), sea([0, 1], [1], boat=True), sea([4, 5], [1]))


def test_a_boat_evaluates_the_region_and_covers_the_earliest_group_of_two_for_good() -> None:
    table = Table([SHOAL, POND, BOAT, BARE], "pond boat pond boat bare")
    table.lay(1, 0, islander=0)
    events = table.lay(2, 0)
    assert types(events)[:4] == ["tile_placed", "feature_evaluated", "fish_covered", "islander_returned"]
    assert only(events, "feature_evaluated")[0]["cause"] == "boat"
    assert only(events, "fish_covered") == [{"x": 0, "y": 0, "segment": 0, "group": 1, "fish": 2}]
    assert table.wares(0) == (0, 0, 6)
    assert types(table.lay(3, 0, islander=0)) == ["tile_placed", "islander_placed", "turn_started", "tile_drawn"]
    events = table.lay(4, 0)
    assert only(events, "fish_covered") == [{"x": 1, "y": 0, "segment": 0, "group": 0, "fish": 2}]
    assert table.wares(0) == (0, 0, 6 + 7)
    assert table.game.view()["board"]["0,0"]["covered"] == [{"segment": 0, "group": 1}]


def test_without_a_group_of_two_a_single_is_covered() -> None:
    table = Table([BARE, BOAT], "bare boat bare")
    table.lay(1, 0, islander=0)
    assert only(table.lay(2, 0), "fish_covered") == [{"x": 2, "y": 0, "segment": 0, "group": 0, "fish": 1}]


def test_a_fisherman_placed_on_the_boats_own_region_counts() -> None:
    table = Table([POND, BOAT], "boat pond")
    events = table.lay(0, 1, islander=0)
    assert types(events)[:5] == [
        "tile_placed",
        "islander_placed",
        "feature_evaluated",
        "fish_covered",
        "islander_returned",
    ]
    assert table.wares(0) == (0, 0, 3)


def test_a_boat_in_an_unoccupied_region_covers_nothing() -> None:
    table = Table([POND, BOAT], "boat pond")
    assert types(table.lay(0, 1)) == ["tile_placed", "turn_started", "tile_drawn"]
    assert table.game.view()["board"]["0,0"]["covered"] == []


def test_a_boat_acts_only_on_the_region_of_its_own_segment() -> None:
    """The first strait joins the region with its boatless side, the second with its boat's."""
    table = Table([BARE, STRAIT], "bare strait strait bare")
    table.lay(0, -1, islander=0)
    events = table.lay(0, 1, 2)
    assert only(events, "feature_evaluated") == []
    events = table.lay(0, -2, 2)
    assert [one["wares"]["fish"] for one in only(events, "feature_evaluated")] == [2]


@pytest.mark.parametrize(
    ("edition", "follows"),
    (
        ("international", ["tile_placed", "feature_evaluated", "islander_returned"]),
        ("german", ["tile_placed"]),
    ),
)
def test_r5_6_without_uncovered_fish_the_editions_differ(edition: str, follows: list[str]) -> None:
    table = Table([BARE, EMPTY_BOAT], "bare empty-boat bare", edition=edition)
    table.lay(1, 0, islander=0)
    events = table.lay(2, 0)
    assert types(events) == [*follows, "turn_started", "tile_drawn"]
    assert table.wares(0) == (0, 0, 0)


@pytest.mark.parametrize("edition", ("international", "german"))
def test_r5_8_a_region_that_the_boat_completes_is_evaluated_once_and_covered(edition: str) -> None:
    bay = tile("bay", "iisi", island("new"), sea([4, 5], [2]))
    mouth = tile("mouth", "siii", island("esw"), sea([0, 1], [1, 2], boat=True))
    table = Table([bay, mouth], "mouth bay", edition=edition)
    events = table.lay(0, 1, islander=1)
    assert [one["cause"] for one in only(events, "feature_evaluated")] == ["completed"]
    assert only(events, "fish_covered") == [{"x": 0, "y": 0, "segment": 1, "group": 0, "fish": 2}]
    assert table.wares(0) == (0, 0, 5)


@pytest.mark.parametrize("edition", ("international", "german"))
def test_r5_8_a_completed_region_without_fish_is_evaluated_in_both_editions(edition: str) -> None:
    bay = tile("bay", "iisi", island("new"), sea([4, 5]))
    mouth = tile("mouth", "siii", island("esw"), sea([0, 1], boat=True))
    table = Table([bay, mouth], "mouth bay", edition=edition)
    events = table.lay(0, 1, islander=1)
    assert types(events)[2:4] == ["feature_evaluated", "islander_returned"]
    assert only(events, "feature_evaluated")[0]["cause"] == "completed"
