"""Tests that the documentation names: `path.py` or `path.py::test_name`, below `tests/`."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]


def find_missing(tests: Iterable[str]) -> list[str]:
    """Return those of the named tests that do not exist."""
    return [test for test in tests if not _exists(*test.split("::"))]


def _exists(file: str, name: str | None = None) -> bool:
    names = _functions(TESTS / file)
    return bool(names) if name is None else name in names


@cache
def _functions(file: Path) -> set[str]:
    """Return the names of the test functions of a file, none if it does not exist."""
    source = file.read_text(encoding="utf-8") if file.is_file() else ""
    functions = (
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return {function.name for function in functions if function.name.startswith("test_")}
