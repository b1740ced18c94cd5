"""The tested build: plain Python, or the compiled wheel with SOUTH_SEAS_COMPILE=1.

The wheel is unpacked beside a copy of the tests, so that they import its modules.
"""

import os
import tomllib
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from pathlib import Path

import pytest

from service.engine import COMPILED
from tests.tools import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MODULES = PROJECT["tool"]["south-seas"]["compiled"]
ASKED = os.environ.get("SOUTH_SEAS_COMPILE") == "1"


def test_the_engine_says_which_build_it_is() -> None:
    assert COMPILED is ASKED


@pytest.mark.parametrize("path", MODULES)
def test_a_module_is_of_this_tree_and_of_the_build_that_was_asked_for(path: str) -> None:
    module = import_module(path.removesuffix(".py").replace("/", "."))
    assert module.__file__ is not None
    assert ROOT in Path(module.__file__).parents
    assert module.__file__.endswith(tuple(EXTENSION_SUFFIXES if ASKED else SOURCE_SUFFIXES))
