"""R6: delivering to a ship."""

from collections.abc import Sequence

import pytest

from schemas.actions import Deliver
from schemas.events import ShipRevealed, ShipTaken, TileDrawn, TurnStarted
from schemas.tileset import Ship
from schemas.vocabulary import WARES
from tests.rules.rules_game import BLUE, RED, Table, kinds, of, paid, ship

SEA = """
  0      1      2      3
"""
BANANAS = [ship(f"for-{number}", number, bananas=number) for number in (2, 3, 4, 5, 6)]


def at_the_harbour(ships: Sequence[Ship], **wares: int) -> Table:
    """Red has placed a tile and holds these wares, and may now deliver."""
    table = Table(SEA, ships=ships)
    table.give(RED, **wares)
    table.place(RED)
    table.skip("islander")
    return table


def test_r6_1_the_active_player_may_deliver_to_any_ship_of_the_display() -> None:
    """R6.1: a ship of the pile is not in the display, nor is one that the set has not."""
    table = at_the_harbour(BANANAS, bananas=9)
    assert [move.ship for move in table.moves(Deliver)] == ["for-2", "for-3", "for-4", "for-5"]
    for name in ("for-6", "none"):
        assert table.refusal(Deliver(name)) == "R6.1"


def test_r6_1_to_exactly_one_ship_a_turn_at_the_end_of_it() -> None:
    """R6.1: after one delivery it is Blue's turn, whatever Red still holds."""
    table = at_the_harbour(BANANAS, bananas=9)
    assert kinds(table.act(Deliver("for-2"))) == [ShipTaken, ShipRevealed, TurnStarted, TileDrawn]
    assert (table.game.seat, table.wares(RED)) == (BLUE, {"bananas": 7})


def test_r6_2_the_wares_are_paid_and_the_ship_is_the_players() -> None:
    """R6.2: its points count, and everybody sees it."""
    table = at_the_harbour(BANANAS, bananas=4, shells=1)
    (taken,) = of(table.act(Deliver("for-4")), ShipTaken)
    assert (taken.seat, taken.ship, taken.points, taken.by) == (RED, "for-4", 4, "delivery")
    assert taken.paid == paid(bananas=4)
    assert (table.wares(RED), table.ships(RED), table.view().players[RED].points) == ({"shells": 1}, ["for-4"], 4)


@pytest.mark.parametrize("wares", ({"bananas": 2}, {"bananas": 4}, {"bananas": 3, "fish": 1}, {"shells": 3}, {}))
def test_r6_2_no_more_and_no_less(wares: dict[str, int]) -> None:
    """R6.2: the ship asks for three bananas."""
    table = at_the_harbour(BANANAS, bananas=9, shells=9, fish=9)
    assert table.refusal(Deliver("for-3", paid(**wares))) == "R6.3"


def test_r6_2_nobody_pays_what_they_do_not_hold() -> None:
    table = at_the_harbour(BANANAS, bananas=3)
    assert table.refusal(Deliver("for-4")) == "R6.2"
    assert table.refusal(Deliver("for-4", paid(bananas=4))) == "R6.2"
    table = at_the_harbour([ship("s", 2, choice=2)], bananas=3)
    assert table.refusal(Deliver("s", paid(shells=2))) == "R6.2"


@pytest.mark.parametrize(
    ("made", "held", "payments"),
    (
        pytest.param(ship("s", 5, bananas=1, shells=2, fish=1), (9, 9, 9), [(1, 2, 1)], id="named wares, nothing else"),
        pytest.param(
            ship("s", 2, choice=2),
            (2, 1, 2),
            [(0, 0, 2), (0, 1, 1), (1, 0, 1), (1, 1, 0), (2, 0, 0)],
            id="wares of choice, each payment once",
        ),
        pytest.param(ship("s", 3, same=(4,)), (4, 3, 5), [(0, 0, 4), (4, 0, 0)], id="AAAA"),
        pytest.param(ship("s", 3, same=(3, 1)), (4, 3, 0), [(1, 3, 0), (3, 1, 0)], id="AAA B"),
        pytest.param(ship("s", 5, same=(2, 2, 1)), (2, 2, 1), [(2, 2, 1)], id="AA BB C"),
        pytest.param(ship("s", 4, fish=1, same=(2,), choice=1), (0, 0, 4), [(0, 0, 4)], id="all may be of one kind"),
        pytest.param(
            ship("s", 2, bananas=1, choice=1), (2, 2, 0), [(1, 1, 0), (2, 0, 0)], id="one kind named, one of choice"
        ),
        pytest.param(ship("s", 2, same=(2, 2)), (2, 2, 0), [(2, 2, 0)], id="AA BB is BB AA"),
    ),
)
def test_r6_3_a_ship_can_be_paid(made: Ship, held: Sequence[int], payments: list[tuple[int, ...]]) -> None:
    """R6.3: in bananas, shells and fish; payments that differ only in meaning are one."""
    table = at_the_harbour([made], **dict(zip(WARES, held, strict=True)))
    assert [tuple(payment.get(ware, 0) for ware in WARES) for payment in table.payments("s")] == payments


def test_r6_4_the_display_is_refilled_to_4_while_the_pile_lasts() -> None:
    """R6.4: five ships, so the first taken is replaced and the second is not."""
    table = at_the_harbour(BANANAS, bananas=9)
    table.give(BLUE, bananas=9)
    assert ShipRevealed in kinds(table.act(Deliver("for-2")))
    assert (len(table.view().display), table.view().ship_pile) == (4, 0)
    table.place(BLUE)
    table.skip("islander")
    assert ShipRevealed not in kinds(table.act(Deliver("for-3")))
    assert table.view().display == ["for-4", "for-5", "for-6"]


def test_r6_5_where_one_payment_is_possible_it_need_not_be_named() -> None:
    """R6.5: six of any kind, of exactly six wares; what was paid is told all the same."""
    table = at_the_harbour([ship("s", 5, choice=6)], bananas=3, fish=3)
    (taken,) = of(table.act(Deliver("s")), ShipTaken)
    assert taken.paid == paid(bananas=3, fish=3)


def test_r6_5_where_several_are_possible_the_client_must_choose() -> None:
    table = at_the_harbour([ship("s", 5, choice=6)], bananas=4, fish=3)
    assert table.refusal(Deliver("s")) == "R6.5"
    (taken,) = of(table.act(Deliver("s", paid(bananas=4, fish=2))), ShipTaken)
    assert taken.paid == paid(bananas=4, fish=2)
