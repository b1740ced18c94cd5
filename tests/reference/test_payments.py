"""The reference's payments (R6.2, R6.3) and deliveries."""

import pytest

from tests.reference.payments import Payment, payments
from tests.reference.pieces import Json, Ship
from tests.reference.small_game import Table, only, types
from tests.reference.tileset_builder import island, sea, ship, tile

OPEN = tile("open", "ssss", sea(range(8)))
GROVE = tile("grove", "ssss", island("", 3), sea(range(8)))


def ways(made: Json, bananas: int, shells: int, fish: int) -> list[Payment]:
    return payments(Ship.of(made), {"bananas": bananas, "shells": shells, "fish": fish})


@pytest.mark.parametrize(
    ("made", "purse", "expected"),
    (
        (ship("named", 5, bananas=1, shells=2, fish=1), (9, 9, 9), [(1, 2, 1)]),
        (ship("named", 5, bananas=1, shells=2, fish=1), (9, 1, 9), []),
        (ship("six", 5, any_ware=6), (3, 0, 3), [(3, 0, 3)]),
        (ship("six", 5, any_ware=6), (4, 0, 3), [(3, 0, 3), (4, 0, 2)]),
        (ship("aaaa", 3, same=(4,)), (4, 3, 5), [(0, 0, 4), (4, 0, 0)]),
        (ship("aaa-b", 3, same=(3, 1)), (4, 0, 0), []),
        (ship("aaa-b", 3, same=(3, 1)), (3, 1, 1), [(3, 0, 1), (3, 1, 0)]),
        (ship("aa-bb", 3, same=(2, 2)), (2, 2, 2), [(0, 2, 2), (2, 0, 2), (2, 2, 0)]),
        (ship("aaa-and-any", 3, any_ware=1, same=(3,)), (4, 1, 0), [(3, 1, 0), (4, 0, 0)]),
        (ship("fish-and-any", 3, any_ware=2, fish=1), (1, 0, 3), [(0, 0, 3), (1, 0, 2)]),
        (ship("fish-and-aa", 3, same=(2,), fish=1), (2, 0, 3), [(0, 0, 3), (2, 0, 1)]),
        (ship("four-kinds", 3, same=(1, 1, 1, 1)), (9, 9, 9), []),
    ),
)
def test_r6_3_every_payment_is_listed_once(made: Json, purse: Payment, expected: list[Payment]) -> None:
    assert ways(made, *purse) == expected


def test_r6_3_six_of_any_kind_have_28_payments() -> None:
    assert len(ways(ship("six", 5, any_ware=6), 6, 6, 6)) == 28


def test_r6_1_to_r6_4_a_delivery_is_paid_the_display_refilled_and_the_turn_over() -> None:
    ships = [ship(f"s{number}", number, bananas=number) for number in (2, 3, 4, 5, 6)]
    table = Table([OPEN, GROVE], "grove open open", ships=ships)
    table.lay(1, 0, islander=0)
    assert table.game.legal_actions() == [
        {"type": "deliver", "ship": "s2", "wares": {"bananas": 2, "shells": 0, "fish": 0}},
        {"type": "deliver", "ship": "s3", "wares": {"bananas": 3, "shells": 0, "fish": 0}},
        {"type": "pass", "phase": "deliver"},
    ]
    events = table.act("deliver", ship="s2", wares={"bananas": 2, "shells": 0, "fish": 0})
    assert types(events) == ["ship_taken", "ship_revealed", "turn_started", "tile_drawn"]
    assert only(events, "ship_taken") == [
        {"seat": 0, "ship": "s2", "points": 2, "by": "delivery", "paid": {"bananas": 2, "shells": 0, "fish": 0}}
    ]
    view = table.game.view()
    assert view["display"] == ["s3", "s4", "s5", "s6"]
    assert view["ship_pile"] == 0
    assert view["players"][0]["ships"] == ["s2"]
    assert view["players"][0]["points"] == 2
    assert table.wares(0) == (1, 0, 0)


def test_the_engine_itself_passes_where_nothing_can_be_delivered() -> None:
    table = Table([OPEN, GROVE], "grove open open")
    assert types(table.lay(1, 0, islander=0))[-2:] == ["turn_started", "tile_drawn"]
