"""R5.1 to R5.5, R5.9 and R5.11: complete features and their evaluation. Boats and markets have their own files."""

import pytest

from schemas.events import FeatureEvaluated, IslanderReturned, TileDrawn, TilePlaced, TurnStarted
from schemas.tileset import Bridge, Edges, Ship, Tile, TileSet
from service.engine.tileset_validation import list_faults
from tests.rules.board_parser import BOARDS
from tests.rules.rules_game import BLUE, RED, Table, kinds, of, ship


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


def test_r5_1_a_bridge_segment_has_at_most_two_edges() -> None:
    """R5.1: a tile set with a bridge that forks is refused."""
    fork = Tile(
        id="fork",
        count=2,
        edges=Edges(n="bridge", e="bridge", s="bridge", w="bridge"),
        segments=(Bridge(edges=("n", "e", "s", "w"), shells=0),),
    )
    ships: tuple[Ship, ...] = (ship("s", 2, choice=1),)
    created = TileSet(id="forks", name="Forks", provenance="test", start="fork", tiles=(fork,), ships=ships)
    assert "a bridge segment has at most 2 edges (R5.1)" in [fault.reason for fault in list_faults(created)]


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
