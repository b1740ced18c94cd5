"""The match of typed text with choices."""

from examples.terminal.choices import Menu, make_menu
from south_seas.models import (
    Deliver,
    GameAction,
    Move,
    Pass,
    PlaceIslander,
    PlaceTile,
    RetrieveIslander,
    TakeShip,
    Wares,
)
from tests.examples.game_fixture import SHIPS


def placements() -> Menu:
    moves = [
        Move(id=f"p{x}.0.{rotation}", text=f"place the tile at ({x}, 0)", action=PlaceTile(x=x, y=0, rotation=rotation))
        for x, rotations in ((1, (0, 2)), (4, (1,)))
        for rotation in rotations
    ]
    return make_menu(7, moves, SHIPS)


def deliveries() -> Menu:
    moves = [
        Move(
            id="a",
            text="deliver 4 fish to the ship of 3 points",
            action=Deliver(ship="s1", wares=Wares(bananas=0, shells=0, fish=4)),
        ),
        Move(
            id="b",
            text="deliver 4 shells to the ship of 3 points",
            action=Deliver(ship="s1", wares=Wares(bananas=0, shells=4, fish=0)),
        ),
        Move(id="pass.deliver", text="deliver nothing", action=Pass(phase="deliver")),
    ]
    return make_menu(8, moves, SHIPS)


def chosen(menu: Menu, typed: str) -> str | None:
    choice = menu.match(typed).chosen
    return choice.move.id if choice else None


def test_a_placement_has_a_number_and_a_letter() -> None:
    menu = placements()
    assert [choice.key for choice in menu.choices] == ["1a", "1c", "2b"]
    assert chosen(menu, "1c") == "p1.0.2"
    assert chosen(menu, " 1C ") == "p1.0.2"


def test_a_number_suffices_for_a_single_rotation() -> None:
    menu = placements()
    assert chosen(menu, "2") == "p4.0.1"
    assert chosen(menu, "1") is None
    assert [choice.key for choice in menu.match("1").matching] == ["1a", "1c"]


def test_text_filters_the_choices() -> None:
    menu = deliveries()
    assert len(menu.match("deliver").matching) == 3
    assert chosen(menu, "4 Shells") == "b"
    assert menu.match("2 bananas") == (None, ())
    assert chosen(menu, "") is None


def test_passing_is_zero() -> None:
    assert [choice.key for choice in deliveries().choices] == ["1", "2", "0"]
    assert chosen(deliveries(), "0") == "pass.deliver"


def test_every_action_has_a_text() -> None:
    actions: tuple[GameAction, ...] = (
        PlaceIslander(segment=0),
        RetrieveIslander(x=0, y=0, segment=2),
        TakeShip(ship="s1"),
        Deliver(ship="s1", wares=Wares(bananas=1, shells=2, fish=1)),
        Pass(phase="islander"),
    )
    moves = [Move(id=str(number), text=f"text {number}", action=action) for number, action in enumerate(actions)]
    menu = make_menu(9, moves, SHIPS)
    assert [choice.text for choice in menu.choices] == [
        "text 0",
        "text 1",
        "take the ship worth 5: 1 banana + 2 shells + 1 fish",
        "deliver 1 banana, 2 shells and 1 fish to the ship worth 5: 1 banana + 2 shells + 1 fish",
        "no islander",
    ]
