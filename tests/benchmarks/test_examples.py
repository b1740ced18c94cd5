"""The examples in the docstrings of the suite."""

import doctest
from importlib import import_module
from types import ModuleType

import pytest

NAMES = ("balance", "peers.boardgame", "peers.colyseus", "results", "report", "tournament")


@pytest.mark.parametrize("module", [import_module(f"benchmarks.{name}") for name in NAMES], ids=NAMES)
def test_they_are_true(module: ModuleType) -> None:
    received = doctest.testmod(module)
    assert received.attempted > 0
    assert received.failed == 0
