"""Each promise in `promises.toml` is in its page, and its tests run; so do those that the threat model names."""

import re
import tomllib
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS, pages, read_page
from tests.tools import ROOT

PROMISES = tomllib.loads(Path(__file__).with_name("promises.toml").read_text(encoding="utf-8"))

WITHOUT = PROMISES.pop("pages without promises of their own")
"""Why a page has no table."""

NotCollected = Callable[[Collection[str]], list[str]]


@pytest.fixture
def not_collected(request: pytest.FixtureRequest) -> NotCollected:
    """Return a function that returns those of the named tests that pytest did not collect, or skips.

    In a run of some files or with -k, it looks for the names in the others.
    """
    session = [] if request.config.option.keyword else request.session.items
    items = {item.nodeid.partition("[")[0] for item in session if not item.get_closest_marker("skip")}
    files = {test.partition("::")[0] for test in items}

    def is_missing(test: str) -> bool:
        file, _, name = _path(test).partition("::")
        return f"{file}::{name}" not in items if name and file in files else not _is_defined(test)

    return lambda tests: [test for test in tests if is_missing(test)]


def _path(test: str) -> str:
    """Return the path of a named test: below `tests`, unless it is one of `verification`."""
    return test if test.startswith("verification/") else f"tests/{test}"


def _is_defined(test: str) -> bool:
    file, _, name = _path(test).partition("::")
    path = ROOT / file
    return path.is_file() and f"def {name or 'test_'}" in path.read_text(encoding="utf-8")


def test_every_page_has_a_table_or_a_reason() -> None:
    assert sorted([*PROMISES, *WITHOUT]) == pages()


@pytest.mark.parametrize("page", PROMISES)
def test_the_page_promises_this_and_the_tests_run(page: str, not_collected: NotCollected) -> None:
    text = read_page(page)
    for words, tests in PROMISES[page].items():
        assert words in text
        assert not_collected([tests] if isinstance(tests, str) else tests) == [], words


def test_each_threat_has_tests_that_run(not_collected: NotCollected) -> None:
    table = (DOCS / "threat-model.md").read_text(encoding="utf-8").partition("| Threat |")[2].partition("\n\n")[0]
    rows = table.splitlines()[2:]
    assert len(rows) > 20
    for row in rows:
        tests = re.findall(r"`([\w/]+\.py(?:::\w+)?)`", row.split(" | ")[2])
        assert tests, row
        assert not_collected(tests) == [], row
