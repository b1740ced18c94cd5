"""What a move would do, on the boards of the rules' own tests and with the rulebook's numbers."""

import pytest
from msgspec.structs import astuple

from schemas.actions import Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.events import (
    AnyEvent,
    FeatureEvaluated,
    FishCovered,
    GameFinished,
    IslanderPlaced,
    IslanderReturned,
    ShipTaken,
    TilePlaced,
    TurnStarted,
)
from schemas.vocabulary import Edition
from service.engine import move_effects, move_feature
from service.engine.delivery import missing_wares
from tests.rules.rules_game import BLUE, BOARDS, RED, Table, kinds, kinds_of, of, paid, ship
from tests.rules.test_r5_evaluation import one_market, two_markets, worth
from tests.rules.test_r8_queries import three_pickers
from tests.rules.test_r9_examples import examples


def effects(table: Table, x: int, y: int) -> list[AnyEvent]:
    """Return what placing the drawn tile as it is drawn, and passing then, would cause."""
    placed, passed = move_effects(table.index, table.game, PlaceTile(x, y, 0))
    return [*placed, *(passed or ())]


@pytest.mark.parametrize(("drawing", "islander", "cause", "wares"), examples("evaluation"))
@pytest.mark.parametrize("edition", ("international", "german"))
def test_a_placement_says_what_it_would_evaluate_and_whom_it_would_pay(
    drawing: str, islander: str, cause: str, wares: str, edition: Edition
) -> None:
    """R5.5, R5.6, R5.7: the rulebook's examples, before the last tile is placed."""
    table = Table(drawing, edition=edition)
    before = len(table.places) - 2
    if before:
        table.play(islander, *(before - 1) * [None])
        caused = effects(table, *table.places[table.game.tile])
    else:  # the islander stands on the last tile
        table.place(RED)
        move = PlaceIslander(table.segment(table.game.tile, islander))
        caused = move_effects(table.index, table.game, move).events
    (evaluated,) = of(caused, FeatureEvaluated)
    number, ware = wares.split()
    assert (evaluated.cause, evaluated.winners, kinds_of(evaluated.wares)) == (cause, [RED], {ware: int(number)})
    assert [event.fish for event in of(caused, FishCovered)] == ([2] if cause == "boat" else [])
    assert [event.seat for event in of(caused, IslanderReturned)] == [RED]
    assert table.wares(RED) == {}


def test_a_joined_island_pays_the_majority() -> None:
    """R5.5: two pickers of Red's and one of Blue's."""
    table = three_pickers()
    (evaluated,) = of(effects(table, *table.places[5]), FeatureEvaluated)
    assert [(one.seat, one.count) for one in evaluated.islanders] == [(RED, 2), (BLUE, 1)]
    assert (evaluated.winners, kinds_of(evaluated.wares)) == ([RED], {"bananas": 3})


def test_a_placement_that_completes_nothing_says_only_itself_and_the_next_turn() -> None:
    """R2: the tile that is drawn next is hidden."""
    table = Table(BOARDS["four roles"])
    assert kinds(effects(table, *table.places[1])) == [TilePlaced, TurnStarted]


def test_a_completed_market_says_its_ship_and_nothing_that_depends_on_the_next_one() -> None:
    """R5.10: the ship turned up after Red's is hidden, so whether Blue then delivers or ends the turn is hidden too."""
    table = Table(BOARDS["market"], ships=worth(2, 6, 3, 5, 4), players=2)
    table.lay(RED, "market")
    for number in range(2, 9):
        table.lay((number - 1) % 2)
    caused = effects(table, *table.places[9])
    assert kinds(caused) == [TilePlaced, IslanderReturned, ShipTaken]
    assert [(event.seat, event.points, event.paid) for event in of(caused, ShipTaken)] == [(RED, 6, None)]


def test_two_completed_markets_say_the_first_ship_only() -> None:
    """R5.10: Red's ship may be the one that replaces Blue's; both merchants return."""
    table = Table(BOARDS["two markets"], ships=worth(2, 5, 3, 4, 6), players=2)
    table.play("market", None, None, "market", *7 * [None])
    caused = effects(table, *table.places[12])
    assert [event.seat for event in of(caused, IslanderReturned)] == [BLUE, RED]
    assert [event.seat for event in of(caused, ShipTaken)] == [BLUE]


def test_with_an_empty_pile_two_markets_say_both_ships() -> None:
    """R5.10, R6.4: nothing is turned up any more."""
    table = Table(BOARDS["two markets"], ships=worth(2, 5, 3, 4), players=2)
    table.play("market", None, None, "market", *7 * [None])
    caused = effects(table, *table.places[12])
    assert [(event.seat, event.points) for event in of(caused, ShipTaken)] == [(BLUE, 5), (RED, 4)]
    assert kinds(caused)[-1] is TurnStarted


def test_a_choice_of_a_ship_says_which_is_taken() -> None:
    """R5.10."""
    table, _ = one_market(worth(6, 2, 6, 3, 4), players=3)
    (taken,) = move_effects(table.index, table.game, TakeShip("s2-6")).events
    assert isinstance(taken, ShipTaken)
    assert (taken.seat, taken.ship, taken.points) == (RED, "s2-6", 6)


def test_with_a_choice_to_make_no_ship_is_said() -> None:
    """R5.10: Blue must choose first."""
    table, _ = two_markets(worth(6, 5, 3, 6, 6), players=2)
    assert [
        len(of(move_effects(table.index, table.game, move).events, ShipTaken)) for move in table.moves(TakeShip)
    ] == [1, 1]


def test_a_delivery_says_what_is_paid_and_the_turn_that_follows() -> None:
    """R6.2, R6.4: the ship turned up is hidden."""
    table = Table(BOARDS["four roles"], ships=[ship(f"s{number}", 4, shells=2) for number in range(5)])
    table.give(RED, shells=3)
    table.lay(RED, "bridge")
    caused = move_effects(table.index, table.game, Deliver("s0", paid(shells=2))).events
    assert kinds(caused) == [ShipTaken, TurnStarted]
    assert [(event.seat, event.points, event.paid) for event in of(caused, ShipTaken)] == [(RED, 4, paid(shells=2))]
    assert kinds(move_effects(table.index, table.game, Pass()).events) == [TurnStarted]


def test_the_last_tile_says_how_the_game_ends() -> None:
    """R7.1, R7.2: the incomplete features are evaluated, and Red wins."""
    table = Table(BOARDS["four roles"], spares=0)
    table.give(RED, fish=9)
    table.play("bridge", "sea", "market")
    caused = effects(table, *table.places[4])
    assert [event.winners for event in of(caused, GameFinished)] == [[RED]]
    assert {event.cause for event in of(caused, FeatureEvaluated)} == {"final"}


def test_an_islander_says_what_its_feature_gives_now_and_lacks() -> None:
    """R4.1, R5.1 to R5.4: sides without a neighbour; of a market, empty cells around it.

    The sea is on both sides of the bridge's open end, which is one side.
    """
    table = Table(BOARDS["four roles"])
    caused = {}
    for islander in ("bridge", "sea", "market", "island"):
        table.place(table.game.seat)
        move = PlaceIslander(table.segment(table.game.tile, islander))
        feature = move_feature(table.index, table.game, move)
        assert feature is not None
        assert feature.islanders == []
        caused[islander] = (kinds_of(feature.wares), feature.open)
        assert kinds(move_effects(table.index, table.game, move).events)[0] is IslanderPlaced
        table.act(move)
    assert caused == {
        "bridge": ({"shells": 2}, 1),
        "sea": ({"fish": 3}, 8),
        "market": ({}, 5),
        "island": ({"bananas": 2}, 1),
    }


def test_a_retrieved_islander_says_what_is_given_up() -> None:
    """R4.4, R5.5: the island that tile 5 has completed would give Red, who has the majority, 3 bananas."""
    table = three_pickers()
    table.place(RED)
    table.game.edition = "german"
    x, y = table.places[1]
    move = RetrieveIslander(x, y, table.segment(1, "island"))
    feature = move_feature(table.index, table.game, move)
    assert feature is not None
    assert ([(one.seat, one.count) for one in feature.islanders], feature.open) == ([(RED, 2), (BLUE, 1)], 0)
    assert kinds_of(feature.wares) == {"bananas": 3}
    (evaluated,) = of(move_effects(table.index, table.game, move).events, FeatureEvaluated)
    assert evaluated.winners == [RED, BLUE]


@pytest.mark.parametrize(
    ("cost", "missing"),
    (
        ({"bananas": 1, "shells": 2}, (0, 0, 0, 0)),
        ({"bananas": 3, "fish": 1}, (2, 0, 1, 0)),
        ({"same": (3, 1)}, (0, 1, 0, 0)),
        ({"same": (3, 2)}, (1, 0, 0, 1)),
        ({"bananas": 2, "choice": 4}, (1, 0, 0, 2)),
    ),
)
def test_a_ship_says_what_a_player_with_a_banana_and_two_shells_lacks(
    cost: dict[str, int], missing: tuple[int, ...]
) -> None:
    """R6.3: bananas, shells, fish, and wares of a kind to choose."""
    table = Table(BOARDS["four roles"], ships=[ship("wanted", 4, **cost)])  # type: ignore[arg-type]  # its kinds differ
    table.give(RED, bananas=1, shells=2)
    player = table.game.players[RED]
    assert astuple(missing_wares(table.index, player, 0)) == missing
