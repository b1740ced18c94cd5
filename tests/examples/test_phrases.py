"""Phrases for costs, and the examples in docstrings."""

import doctest
from importlib import import_module

import pytest

from examples.terminal.phrases import cost_text
from south_seas.models import Cost


@pytest.mark.parametrize(
    ("cost", "text"),
    (
        (Cost(bananas=0, shells=0, fish=0, any=6, same=[]), "6 of any"),
        (Cost(bananas=0, shells=0, fish=0, any=0, same=[4]), "4 alike"),
        (Cost(bananas=0, shells=0, fish=0, any=0, same=[]), "nothing"),
    ),
)
def test_cost_text(cost: Cost, text: str) -> None:
    assert cost_text(cost) == text


@pytest.mark.parametrize("name", ("keyboard", "palette", "phrases"))
def test_docstring_examples(name: str) -> None:
    result = doctest.testmod(import_module(f"examples.terminal.{name}"))
    assert result.attempted
    assert not result.failed
