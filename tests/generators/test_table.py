"""The tables in docs/clients.md are the list of the gate, and the operations of the document."""

from tests.generators import table


def test_the_page_has_the_current_tables() -> None:
    text = table.PAGE.read_text()
    assert table.page(text) == text, "run: python -m tests.generators.table"
