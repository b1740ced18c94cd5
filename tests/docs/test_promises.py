"""Each promise in `promises.toml` is still in its page, and its tests exist."""

import tomllib
from pathlib import Path

import pytest

from tests.docs.blocks import pages, read_page
from tests.docs.named_tests import find_missing

PROMISES = tomllib.loads(Path(__file__).with_name("promises.toml").read_text(encoding="utf-8"))

WITHOUT = PROMISES.pop("pages without promises of their own")
"""Why a page has no table."""


def test_every_page_has_a_table_or_a_reason() -> None:
    assert sorted([*PROMISES, *WITHOUT]) == pages()


@pytest.mark.parametrize("page", PROMISES)
def test_the_page_promises_this_and_the_tests_exist(page: str) -> None:
    text = read_page(page)
    for words, tests in PROMISES[page].items():
        assert words in text
        assert find_missing([tests] if isinstance(tests, str) else tests) == [], words
