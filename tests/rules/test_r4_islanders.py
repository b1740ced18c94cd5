"""R4: islanders."""

import pytest

from schemas.actions import Pass, PlaceIslander, RetrieveIslander
from schemas.events import (
    FeatureEvaluated,
    FishCovered,
    IslanderRetrieved,
    IslanderReturned,
    ShipTaken,
    TileDrawn,
    TilePlaced,
    TurnStarted,
)
from tests.rules.rules_game import BLUE, BOARDS, RED, Table, kinds, of


@pytest.mark.parametrize("name", ("bridge", "island", "market", "sea"))
def test_r4_1_an_islander_may_stand_on_every_kind_of_segment(name: str) -> None:
    """R4.1: on a segment of the tile just placed."""
    table = Table(BOARDS["all kinds"])
    table.place(RED)
    assert table.free_segments() == {"bridge", "island", "market", "sea"}
    table.stand(name)
    returned = name == "bridge"
    assert table.supply() == [4 if returned else 3, 4]


def test_r4_1_only_the_tile_just_placed_takes_an_islander() -> None:
    """R4.1: four segments are offered, none of the start tile's; there is no other."""
    table = Table(BOARDS["all kinds"])
    table.place(RED)
    assert [move.segment for move in table.moves(PlaceIslander)] == [0, 1, 2, 3]
    for segment in (4, -1):
        assert table.refusal(PlaceIslander(segment)) == "R4.1"


def test_r4_1_the_islander_comes_from_the_supply() -> None:
    """R4.1: with nobody at home there is nobody to place."""
    table = Table(BOARDS["five coves"])
    table.play(*4 * ("island", None))
    table.place(RED)
    assert table.supply() == [0, 4]
    assert table.free_segments() == set()
    assert table.refusal(PlaceIslander(0)) == "R4.1"


def test_r4_1_two_segments_of_one_feature_are_two_moves() -> None:
    """R4.1: both arms of tile 3 belong to the bridge that runs around the four tiles."""
    for arm in ("bridge", "bridge 2"):
        table = Table(BOARDS["ring"])
        table.play(None, None)
        table.place(RED)
        assert {"bridge", "bridge 2"} < table.free_segments()
        (evaluated,) = of(table.stand(arm), FeatureEvaluated)
        assert (evaluated.kind, len(evaluated.cells)) == ("bridge", 4)


def test_r4_2_no_islander_on_what_anybody_occupies() -> None:
    """R4.2: the feature must be unoccupied, by anyone, the player included."""
    table = Table(BOARDS["two shores"])
    table.lay(RED, "bridge")
    table.place(BLUE)
    assert table.free_segments() == {"sea", "sea 2"}
    assert table.refusal(PlaceIslander(table.segment(2, "bridge"))) == "R4.2"
    table.stand("sea")
    table.place(RED)
    assert table.free_segments() == {"sea 2"}
    for own_or_anothers in ("bridge", "sea"):
        assert table.refusal(PlaceIslander(table.segment(3, own_or_anothers))) == "R4.2"


def test_r4_3_a_feature_that_this_very_tile_completed_may_be_occupied() -> None:
    """R4.3: the islander comes back in the same turn (R5.9)."""
    table = Table(BOARDS["bridge of two shells"])
    events = table.play(None, None, "bridge")
    assert [event.cause for event in of(events, FeatureEvaluated)] == ["completed"]
    assert len(of(events, IslanderReturned)) == 1
    assert (table.wares(RED), table.supply()) == ({"shells": 2}, [4, 4])


def test_r4_4_international_retrieves_only_with_nobody_at_home() -> None:
    """R4.4: edition international; from anywhere on the board, and nothing is awarded."""
    table = Table(BOARDS["five coves"])
    table.play(*4 * ("island", None))
    table.place(RED)
    assert {(move.x, move.y) for move in table.moves(RetrieveIslander)} == {(1, 0), (2, 0), (3, 0), (4, 0)}
    assert kinds(table.retrieve(3, "island")) == [IslanderRetrieved, TurnStarted, TileDrawn]
    assert (table.wares(RED), table.supply()) == ({}, [1, 4])


def test_r4_4_international_refuses_with_somebody_at_home() -> None:
    table = Table(BOARDS["five coves"])
    table.play("island", None)
    table.place(RED)
    assert table.moves(RetrieveIslander) == []
    assert table.refusal(RetrieveIslander(1, 0, table.segment(1, "island"))) == "R4.4"


def test_r4_4_german_retrieves_whenever_none_was_placed_this_turn() -> None:
    table = Table(BOARDS["five coves"], edition="german")
    table.play("island", None)
    table.place(RED)
    assert table.supply() == [3, 4]
    table.retrieve(1, "island")
    assert (table.wares(RED), table.supply()) == ({}, [4, 4])


def test_r4_4_only_ones_own_islander_is_taken_back() -> None:
    """R4.4: one of their islanders; neither another's nor one that is not there."""
    table = Table(BOARDS["five coves"], edition="german")
    table.play("island", "sea")
    table.place(RED)
    assert [(move.x, move.y) for move in table.moves(RetrieveIslander)] == [(1, 0)]
    beside = table.segment(1, "sea")
    for x, y, segment in ((0, 1, 0), (0, 0, 0), (1, 0, beside), (1, 0, 9), (1, 0, -1), (7, 7, 0), (2**31 - 1, 0, 0)):
        assert table.refusal(RetrieveIslander(x, y, segment)) == "R4.4"


@pytest.mark.parametrize(("retrieves", "winners"), ((False, [RED]), (True, [RED, BLUE])))
def test_r4_4_retrieval_can_change_the_majority(retrieves: bool, winners: list[int]) -> None:
    """R4.4: it comes before the evaluation; Red has two pickers to Blue's one, and may take one of them back."""
    table = Table(BOARDS["joined island"], edition="german")
    table.play("island", None, "island", "island")
    table.place(RED)
    events = table.retrieve(1, "island") if retrieves else table.skip("islander")
    assert [event.winners for event in of(events, FeatureEvaluated)] == [winners]


@pytest.mark.parametrize(
    ("board", "name", "turns"),
    (("bridge of two shells", "bridge", 2), ("boat on tile 3", "sea", 2), ("market", "market", 8)),
)
def test_r4_4_retrieval_can_leave_a_feature_unoccupied(board: str, name: str, turns: int) -> None:
    """R4.4: one that this tile completes, or in which it puts a boat; then nothing happens (R5.6, R5.11)."""
    table = Table(BOARDS[board], edition="german")
    table.play(name, *(turns - 1) * [None])
    table.place(RED)
    assert not {FeatureEvaluated, FishCovered, ShipTaken} & {*kinds(table.retrieve(1, name))}
    assert (table.wares(RED), table.ships(RED), table.supply()) == ({}, [], [4, 4])


def test_r4_5_doing_neither_is_always_allowed() -> None:
    """R4.5: with islanders at home, and with none."""
    table = Table(BOARDS["five coves"])
    for _ in range(4):
        table.place(RED)
        assert table.moves(Pass) == [Pass("islander")]
        table.stand("island")
        table.lay(BLUE)
    assert kinds(table.place(RED)) == [TilePlaced]
    assert table.moves(Pass) == [Pass("islander")]
    table.skip("islander")
    assert table.supply() == [0, 4]
