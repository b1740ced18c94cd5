"""The table in docs/clients.md is the list of the gate."""

from tests.generators import table


def test_the_page_has_the_current_table() -> None:
    text = table.PAGE.read_text()
    assert table.page(text) == text, "run: python -m tests.generators.table"
