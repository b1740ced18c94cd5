"""R9: the rulebook's example of the final scoring, and what it clarifies."""

import pytest

from schemas.events import FeatureEvaluated
from schemas.game import Score
from service.engine.queries import islander_values
from tests.rules.board_parser import BOARDS
from tests.rules.rules_game import BLACK, BLUE, FAR_SHIPS, GREEN, RED, YELLOW, Table, of, ship


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
