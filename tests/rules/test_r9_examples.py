"""R9: the rulebook's printed examples with its numbers, to the final scoring and what it clarifies."""

from typing import Any

import pytest

from schemas.actions import Deliver, PlaceTile, TakeShip
from schemas.events import FeatureEvaluated, FishCovered, IslanderReturned
from schemas.game import Score
from schemas.tileset import Ship
from service.engine.queries import islander_values
from service.games.tilesets import load_catalogue
from tests.rules.rules_game import (
    BLACK,
    BLUE,
    BOARDS,
    FAR_SHIPS,
    GREEN,
    RED,
    YELLOW,
    Table,
    kinds,
    of,
    paid,
    read_drawings,
    ship,
)

LAGOON = load_catalogue(None).get("lagoon").tileset


def examples(heading: str) -> list[Any]:
    """Return the examples under a heading of the rulebook, each with its drawing and what else a test needs."""
    read = read_drawings("examples.txt")
    return [pytest.param(drawing, *more, id=name) for (place, name, *more), drawing in read if place == heading]


@pytest.mark.parametrize(("drawing", "cell"), examples("placing"))
def test_r9_placing_every_shared_side_goes_on(drawing: str, cell: str) -> None:
    """R9, placing: the last tile fits there in one rotation only."""
    table = Table(drawing)
    x, y = map(int, cell.split())
    table.play(*(len(table.places) - 2) * [None])
    assert {placement for placement in table.placements() if placement[:2] == (x, y)} == {(x, y, 0)}
    table.place(table.game.seat)


def test_r9_placing_an_island_that_does_not_go_on_is_refused() -> None:
    """R9, placing: the new tile shows sea to the island, whichever way it is turned."""
    table = Table("""
      0      .
    ~~~~~  .....
    ~####  .....
    ~####  .....
    ~####  .....
    ~~~~~  .....

      1      .
    """)
    for rotation in range(4):
        assert table.refusal(PlaceTile(1, 0, rotation)) == "R3.3"


def test_r9_placing_seas_that_touch_at_a_corner_are_not_connected() -> None:
    """R9, placing: the sea of tile 2 is free although that of tile 1 is occupied."""
    table = Table(BOARDS["touching seas"], first=BLUE)
    table.lay(BLUE, "sea")
    table.place(RED)
    assert "sea" in table.free_segments()


@pytest.mark.parametrize(("drawing", "occupied", "free"), examples("islanders"))
def test_r9_islanders_none_on_an_occupied_feature(drawing: str, occupied: str, free: str) -> None:
    """R9, islanders: Blue continues Red's bridge or island."""
    table = Table(drawing)
    table.lay(RED, occupied)
    table.place(BLUE)
    assert table.free_segments() == {*free.split(", ")}


def test_r9_islanders_in_three_steps_blue_and_red_come_to_share_a_sea() -> None:
    """R9, islanders: Blue's fisherman, Red's on a distinct sea, a tile that joins the two seas; both stay."""
    table = Table(BOARDS["touching seas"], first=BLUE)
    assert IslanderReturned not in kinds(table.play("sea", "sea", None))
    assert table.supply() == [3, 3]
    assert [(one.seat, one.majority) for one in islander_values(table.index, table.game)] == [(RED, True), (BLUE, True)]


@pytest.mark.parametrize(("drawing", "islander", "cause", "wares"), examples("evaluation"))
def test_r9_evaluation_red_takes(drawing: str, islander: str, cause: str, wares: str) -> None:
    """R9, evaluation: Red's islander stands on tile 1, the last tile completes the feature or brings a boat."""
    table = Table(drawing)
    events = table.play(islander, *(len(table.places) - 2) * [None])
    (evaluated,) = of(events, FeatureEvaluated)
    number, ware = wares.split()
    expected = (islander.removesuffix(" 2"), cause, {ware: int(number)})
    assert (evaluated.kind, evaluated.cause, table.wares(RED)) == expected
    covered = of(events, FishCovered)
    assert [(event.x, event.y, event.fish) for event in covered] == ([(1, 0, 2)] if cause == "boat" else [])
    if covered:
        assert kinds(events).index(FishCovered) < kinds(events).index(IslanderReturned)
    assert table.supply() == [4, 4]


def test_r9_evaluation_blue_and_red_tie_on_an_island_that_a_new_tile_joins() -> None:
    """R9, evaluation: 4 bananas each."""
    table = Table("""
      0      1
    ~~~~~  ~~~~~
    ~~~~~  ~~~~~
    ~~~~~  ~~b~~
    ~~~~~  ~###~
    ~~~~~  ~###~

      2      3
    ~~~~~  ####~
    ~~~##  ###b~
    ~~bb#  ####~
    ~~~##  ~~~~~
    ~~~~~  ~~~~~
    """)
    (evaluated,) = of(table.play("island", "island", None), FeatureEvaluated)
    assert evaluated.winners == [RED, BLUE]
    assert (table.wares(RED), table.wares(BLUE)) == ({"bananas": 4}, {"bananas": 4})


def test_r9_market_red_takes_one_of_several_best_ships_the_6_on_the_far_right() -> None:
    """R9, market: at least two ships are worth 6."""
    ships = [ship(f"s{place}", points, choice=20) for place, points in enumerate((6, 3, 5, 6, 2))]
    table = Table(BOARDS["market"], ships=ships)
    table.play("market", *8 * [None])
    far_right = table.view().display[-1]
    assert table.choices() == ["s0", far_right]
    table.act(TakeShip(far_right))
    assert (table.ships(RED), table.view().players[RED].points) == ([far_right], 6)
    assert len(table.view().display) == 4


@pytest.mark.parametrize(
    ("made", "wares"),
    (
        pytest.param(
            ship("s", 5, bananas=1, shells=2, fish=1),
            {"bananas": 1, "shells": 2, "fish": 1},
            id="2 shells, 1 fish and 1 banana are worth 5",
        ),
        pytest.param(ship("s", 5, choice=6), {"bananas": 3, "fish": 3}, id="6 of any kind are worth 5"),
        pytest.param(ship("s", 3, same=(4,)), {"shells": 4}, id="4 identical wares are worth 3"),
        pytest.param(ship("s", 4, choice=5), {"fish": 5}, id="5 of any kind are worth 4"),
        pytest.param(ship("s", 3, same=(3, 1)), {"bananas": 1, "shells": 3}, id="3 of one kind and 1 other: 3"),
    ),
)
def test_r9_ships_named_in_the_text(made: Ship, wares: dict[str, int]) -> None:
    """R9, ships: paid as the rulebook pays them."""
    table = Table(BOARDS["bridge of two shells"], ships=[made, *FAR_SHIPS])
    table.give(RED, **wares)
    table.lay(RED)
    table.act(Deliver("s", paid(**wares)))
    assert (table.wares(RED), table.ships(RED)) == ({}, ["s"])
    assert table.view().players[RED].points == made.points
    assert (made.points, made.cost) in [(one.points, one.cost) for one in LAGOON.ships]


@pytest.mark.parametrize(
    ("seat", "wares"),
    (
        pytest.param(RED, {"bananas": 4}, id="red has two pickers on the left island, blue one"),
        pytest.param(BLUE, {"fish": 4}, id="blue and yellow have a fisherman each on the sea"),
        pytest.param(GREEN, {"shells": 3}, id="green is alone on the bridge"),
        pytest.param(YELLOW, {"bananas": 2, "fish": 4}, id="yellow is alone on the right island"),
        pytest.param(BLACK, {}, id="black's incomplete market gives nothing"),
    ),
)
def test_r9_the_end_features_give(seat: int, wares: dict[str, int]) -> None:
    """R9, the end: five players place the board's twelve tiles; the last one joins the left island."""
    table = Table(BOARDS["final scoring"], players=5, spares=0)
    table.play(None, "sea 2", "bridge", "sea", "market", "island", "island", None, "island", None, "island")
    final = of(table.lay(BLUE), FeatureEvaluated)
    assert [event.cause for event in final] == ["final"] * 4
    assert (table.wares(seat), table.ships(seat)) == (wares, [])


def test_r9_the_end_ships_of_24_points_and_10_wares_make_27() -> None:
    """R9, the end: 2 + 3 + 4 + 4 + 5 + 6 = 24, and 3 for the wares."""
    won = [ship(f"s{place}", points, choice=20) for place, points in enumerate((2, 3, 4, 4, 5, 6))]
    table = Table(
        """
          0      1
        """,
        ships=[*FAR_SHIPS, *won],
        spares=0,
    )
    table.award(RED, *(one.id for one in won))
    table.give(RED, bananas=4, shells=3, fish=3)
    table.lay(RED)
    result = table.result()
    assert result.scores[RED] == Score(seat=RED, ships=24, wares=3, total=27)
    assert result.winners == [RED]


@pytest.mark.parametrize(("name", "value"), (("island", 1), ("island 2", 2), ("sea", 4), ("sea 2", 1), ("sea 3", 2)))
def test_r9_clarified_islands_whose_tips_touch_are_distinct_and_so_are_three_seas(name: str, value: int) -> None:
    """R9, clarified: each islander would bring what is printed on its own segment alone."""
    table = Table("""
      0      1
    ~~~~~  #b##F
    ~~~~~  f#~~~
    ##---  -s#~F
    ~~~~~  F~#~~
    ~~~~~  ~b#b~
    """)
    table.lay(RED, name)
    (one,) = islander_values(table.index, table.game)
    assert one.value == value


@pytest.mark.parametrize(("name", "value"), (("sea", 1), ("sea 2", 2)))
def test_r9_clarified_an_island_from_left_to_right_has_two_distinct_seas(name: str, value: int) -> None:
    """R9, clarified: one fish north of the island, two south of it."""
    table = Table("""
      0      1
    ~~~~~  ~~f~~
    ~~~##  ~~~~~
    ~~~##  #####
    ~~~##  ~~~~~
    ~~~~~  ~~F~~
    """)
    table.lay(RED, name)
    (one,) = islander_values(table.index, table.game)
    assert one.value == value
