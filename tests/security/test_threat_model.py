"""Each row of the threat model names existing tests, and each test file here is in a row."""

import re
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS
from tests.docs.named_tests import find_missing

PAGE = (DOCS / "threat-model.md").read_text(encoding="utf-8")

OF_THE_PAGE_ITSELF = {"test_threat_model.py", "test_limit_settings.py"}


def rows() -> list[tuple[str, list[str]]]:
    """Return each threat with the tests of its row."""
    table = PAGE.partition("| Threat |")[2].partition("\n\n")[0]
    result = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return [(threat, re.findall(r"`([\w/]+\.py(?:::\w+)?)`", tests)) for threat, _, tests in result]


@pytest.mark.parametrize(("threat", "tests"), rows())
def test_a_row_names_existing_tests(threat: str, tests: list[str]) -> None:
    assert tests, threat
    assert find_missing(tests) == []


def test_the_page_has_rows() -> None:
    assert len(rows()) > 20


def test_every_test_file_of_this_directory_is_in_a_row() -> None:
    named = {test.partition("::")[0] for _, tests in rows() for test in tests}
    files = {f"security/{file.name}" for file in Path(__file__).parent.glob("test_*.py")}
    assert files - {f"security/{name}" for name in OF_THE_PAGE_ITSELF} <= named
