"""A picture that has changed was meant to change; see `reference_pictures`."""

import re
from functools import cache

import pytest

from tests.web.drawing.reference_pictures import FOLDER, draw_pictures

TOLERANCE = 0.11
"""How much a coordinate may differ: mathematical functions round otherwise on another machine."""

NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)")

HOW_TO_RENEW = "if it should differ, run `python -m tests.web.drawing.reference_pictures` and look at the new picture"


@cache
def drawn() -> dict[str, str]:
    """Draw the pictures as they are now."""
    return dict(draw_pictures())


def test_each_reference_picture_is_drawn() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {*drawn()}


def test_a_whole_game_is_a_small_drawing() -> None:
    assert len(drawn()["finished.svg"]) < 400_000


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir()))
def test_a_picture_is_as_it_was(name: str) -> None:
    words, numbers = _split((FOLDER / name).read_text())
    drawn_words, drawn_numbers = _split(drawn()[name])
    assert drawn_words == words, f"{name} differs: {HOW_TO_RENEW}"
    assert drawn_numbers == pytest.approx(numbers, abs=TOLERANCE), f"{name} differs: {HOW_TO_RENEW}"


def _split(picture: str) -> tuple[list[str], list[float]]:
    """Return what stands between the numbers of a picture, and the numbers."""
    parts = NUMBER.split(picture)
    return parts[::2], [float(number) for number in parts[1::2]]
