"""R2: the turn."""

from schemas.actions import Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander
from schemas.events import FeatureEvaluated, IslanderPlaced, IslanderReturned, ShipTaken, TilePlaced, TurnStarted
from tests.rules.rules_game import BLUE, BOARDS, RED, Table, kinds, ship

BANANA_SHIPS = [ship(f"s{number}", 2, bananas=1) for number in range(6)]


def test_r2_tile_islander_evaluation_delivery_next_player() -> None:
    """R2: place a tile -> place an islander -> evaluation -> deliver to one ship -> next player."""
    table = Table(BOARDS["grove"], ships=BANANA_SHIPS)
    assert (table.game.seat, table.phase()) == (RED, "place_tile")
    assert kinds(table.place(RED)) == [TilePlaced]
    assert table.phase() == "islander"
    assert kinds(table.stand("island")) == [IslanderPlaced, FeatureEvaluated, IslanderReturned]
    assert table.phase() == "deliver"
    assert ShipTaken in kinds(table.act(Deliver("s0")))
    assert (table.game.seat, table.phase()) == (BLUE, "place_tile")


def test_r2_the_tile_must_be_placed() -> None:
    """R2: draw and place a tile (must)."""
    table = Table(BOARDS["grove"])
    for pass_ in (Pass(), Pass("islander"), Pass("deliver")):
        assert table.refusal(pass_) == "R2"
    assert table.moves(Pass) == []


def test_r2_steps_keep_their_order() -> None:
    """R2: neither islander nor delivery before the tile, and no second tile."""
    table = Table(BOARDS["grove"], ships=BANANA_SHIPS, edition="german")
    table.give(RED, bananas=1)
    assert table.refusal(PlaceIslander(0)) == "R2"
    assert table.refusal(Deliver("s0")) == "R2"
    table.place(RED)
    assert table.refusal(Deliver("s0")) == "R2"
    assert table.refusal(PlaceTile(2, 0, 0)) == "R2"
    table.skip("islander")
    assert table.refusal(PlaceIslander(0)) == "R2"


def test_r2_one_islander_is_placed_or_retrieved_not_both() -> None:
    """R2: place or retrieve an islander (may, one of the two)."""
    table = Table(BOARDS["grove"], ships=BANANA_SHIPS, edition="german")
    table.give(RED, bananas=1)
    table.place(RED)
    table.stand("sea")
    assert table.phase() == "deliver"
    assert table.refusal(RetrieveIslander(1, 0, table.segment(1, "sea"))) == "R2"
    assert table.refusal(PlaceIslander(table.segment(1, "island"))) == "R2"


def test_r2_placing_and_delivering_may_be_left_out() -> None:
    """R2: the islander and the delivery are may-steps."""
    table = Table(BOARDS["grove"], ships=BANANA_SHIPS)
    table.give(RED, bananas=1)
    table.place(RED)
    table.skip("islander")
    assert table.moves(Pass) == [Pass("deliver")]
    assert TurnStarted in kinds(table.skip("deliver"))
    assert (table.game.seat, table.wares(RED), table.ships(RED), table.supply()) == (BLUE, {"bananas": 1}, [], [4, 4])


def test_r2_nobody_is_asked_where_passing_is_all_there_is() -> None:
    """R2: a may-step in which nothing can be done is passed by itself."""
    table = Table(BOARDS["grove"])
    table.place(RED)
    assert TurnStarted in kinds(table.skip("islander"))
