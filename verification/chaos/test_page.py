"""docs/durability.md explains every fault."""

import re

from tests.tools import ROOT
from verification.chaos.faults import FAULT_TYPES

PAGE = (ROOT / "docs" / "durability.md").read_text(encoding="utf-8")


def first_cells(table: str) -> list[str]:
    """Return the first cell of each row of a Markdown table."""
    return re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)


def rows_after(head: str) -> list[str]:
    return first_cells(PAGE[PAGE.index(head) :].split("\n\n")[0])[1:]


def test_the_page_explains_every_fault() -> None:
    assert sorted(rows_after("| Fault | Injection |")) == sorted(fault.name for fault in FAULT_TYPES)
