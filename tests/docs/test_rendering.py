"""A page that is rendered otherwise than before was meant to change; see `reference_pages`."""

from functools import cache

import pytest

from tests.docs.reference_pages import FOLDER, render_pages

NAMES = sorted(path.name for path in FOLDER.iterdir() if path.suffix != ".md")


@cache
def rendered() -> dict[str, str]:
    """Render the pages as they are now."""
    return dict(render_pages())


def test_each_reference_page_is_rendered() -> None:
    assert sorted(rendered()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_as_it_was(name: str) -> None:
    how_to_renew = "if it should differ, run `python -m tests.docs.reference_pages` and look at the new page"
    assert rendered()[name] == (FOLDER / name).read_text(), how_to_renew
