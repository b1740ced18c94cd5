"""Every rule has a test that names it, no test cites another, and every printed example is tested."""

import ast
import re
from collections.abc import Callable
from functools import cache
from math import prod
from pathlib import Path

import pytest

from tests.rules import test_r9_examples

RULES = {"R1": 6, "R2": 0, "R3": 5, "R4": 5, "R5": 11, "R6": 5, "R7": 4, "R8": 4}
"""How many rules each chapter has; R2 is one by itself, and R8.5, pictures, is not the engine's."""

IDS = [f"{chapter}.{number}" for chapter, count in RULES.items() for number in range(1, count + 1)] + ["R2"]

EXAMPLES = {"placing": 5, "islanders": 3, "evaluation": 8, "market": 1, "ships": 5, "the end": 6, "clarified": 7}
"""How many printed examples each heading of the rulebook has a test of."""


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


@pytest.mark.parametrize(("heading", "examples"), EXAMPLES.items())
def test_every_printed_example_has_a_test(heading: str, examples: int) -> None:
    tests = vars(test_r9_examples)
    prefix = f"test_r9_{heading.replace(' ', '_')}_"
    assert sum(count_cases(test) for name, test in tests.items() if name.startswith(prefix)) == examples


def count_cases(test: Callable[..., None]) -> int:
    marks: list[pytest.Mark] = getattr(test, "pytestmark", [])
    return prod(len(mark.args[1]) for mark in marks if mark.name == "parametrize")


def test_every_test_names_a_rule_that_there_is_and_cites_no_other() -> None:
    for name, docstring in named_tests().items():
        result = re.match(r"test_(r[1-8]_\d+|r2|r9)_", name)
        assert result, name
        rule = result[1].upper().replace("_", ".")
        assert rule in [*IDS, "R9"], name
        assert docstring.startswith(rule) or not docstring, name
