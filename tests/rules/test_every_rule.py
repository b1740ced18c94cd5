"""Every rule and every printed example has a test that names it, and that cites it in its docstring."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

RULES = {"R1": 6, "R2": 0, "R3": 5, "R4": 5, "R5": 11, "R6": 5, "R7": 4, "R8": 4}
"""How many rules each chapter has; R2 is one by itself, and R8.5, pictures, is not the engine's."""

IDS = [f"{chapter}.{number}" for chapter, count in RULES.items() for number in range(1, count + 1)] + ["R2"]

EXAMPLES = {
    "R9, placing": (
        "the_bridge_and_the_sea_region_are_continued",
        "the_island_is_continued",
        "the_island_on_the_left_and_the_sea_below_are_continued",
        "an_island_that_does_not_go_on_is_refused",
        "seas_that_touch_at_a_corner_are_not_connected",
    ),
    "R9, islanders": (
        "none_on_an_occupied_bridge_but_merchant_or_fisherman",
        "none_on_an_occupied_island_but_collector_or_fisherman",
        "in_three_steps_blue_and_red_come_to_share_a_sea",
    ),
    "R9, evaluation": (
        "a_bridge_worth_2_shells",
        "a_bridge_worth_4_shells",
        "an_island_worth_2_bananas",
        "an_island_worth_4_bananas",
        "an_enclosed_sea_worth_5_fish",
        "a_boat_in_reds_region_brings_5_fish_then_a_group_of_two_is_covered",
        "red_places_tile_and_fisherman_and_the_boat_on_it_brings_3_fish",
        "blue_and_red_tie_on_an_island_that_a_new_tile_joins",
    ),
    "R9, market": ("red_takes_one_of_several_best_ships_the_6_on_the_far_right",),
    "R9, ships": ("named_in_the_text",),
    "R9, the end": (
        "left_island_red_alone_takes_4_bananas",
        "green_alone_on_a_bridge_takes_3_shells",
        "blacks_incomplete_market_gives_nothing",
        "yellow_and_blue_share_a_sea_and_take_4_fish_each",
        "right_island_yellow_takes_2_bananas",
        "ships_of_24_points_and_10_wares_make_27",
    ),
    "R9, clarified": (
        "islands_whose_tips_touch_are_distinct_and_so_are_three_seas",
        "an_island_from_left_to_right_has_two_distinct_seas",
    ),
}
"""The printed examples under the rulebook's headings."""

PRINTED = [(heading, example) for heading, examples in EXAMPLES.items() for example in examples]


@cache
def named_tests() -> dict[str, str]:
    """Return the names and docstrings of the chapters' tests."""
    return {
        node.name: ast.get_docstring(node) or ""
        for path in sorted(Path(__file__).parent.glob("test_r[1-9]_*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


@pytest.mark.parametrize("rule", IDS)
def test_every_rule_has_a_test_that_names_it(rule: str) -> None:
    prefix = f"test_{rule.lower().replace('.', '_')}_"
    assert [name for name in named_tests() if name.startswith(prefix)]


@pytest.mark.parametrize(("heading", "example"), PRINTED)
def test_every_printed_example_has_a_test_that_names_it(heading: str, example: str) -> None:
    name = f"test_{heading.lower().replace(', ', '_').replace(' ', '_')}_{example}"
    assert named_tests()[name].startswith(heading)


def test_every_test_names_a_rule_that_there_is_and_cites_it() -> None:
    for name, docstring in named_tests().items():
        result = re.match(r"test_(r[1-8]_\d+|r2|r9)_", name)
        assert result, name
        rule = result[1].upper().replace("_", ".")
        assert rule in [*IDS, "R9"], name
        assert docstring.startswith(rule), name
