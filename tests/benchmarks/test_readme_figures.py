"""The README's tables and its picture come from kept results, the table and the picture of the suite from the same."""

import pytest

from benchmarks.draw import picture
from benchmarks.readme import PICTURE, README, block, places, shown
from benchmarks.results import FOLDER, load_result

TEXT = README.read_text(encoding="utf-8")


def test_the_readme_has_a_place_for_the_suite_and_one_for_the_peers() -> None:
    assert places(TEXT).keys() == {"suite", "peers"}


@pytest.mark.parametrize(("kind", "name"), places(TEXT).items())
def test_each_place_shows_the_result_that_it_names(kind: str, name: str) -> None:
    assert shown(TEXT, kind) == block(kind, name), f"python -m benchmarks.readme benchmarks/results/{name} writes it"


def test_the_picture_is_drawn_from_the_result_of_the_table() -> None:
    name = places(TEXT)["suite"]
    drawn = PICTURE.read_text(encoding="utf-8")
    assert drawn == picture(load_result(FOLDER / name)), (
        f"python -m benchmarks.readme benchmarks/results/{name} draws it"
    )
