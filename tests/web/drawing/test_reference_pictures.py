"""A picture that has changed was meant to change; see `reference_pictures`."""

import re

import pytest

from tests.web.drawing.reference_pictures import FOLDER, draw_pictures

TOLERANCE = 0.11
"""How much a coordinate may differ: mathematical functions round otherwise on another machine."""

NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)")

HOW_TO_RENEW = "if they should differ, run `python -m tests.web.drawing.reference_pictures` and look at the new ones"


def test_the_pictures_are_as_they_were() -> None:
    """One test, because `make mutants` must know that it runs every line of the drawing."""
    drawn = dict(draw_pictures())
    assert {path.name for path in FOLDER.iterdir()} == {*drawn}
    assert [name for name, picture in drawn.items() if _differs(picture, (FOLDER / name).read_text())] == [], (
        HOW_TO_RENEW
    )
    assert len(drawn["finished.svg"]) < 400_000


def _differs(picture: str, reference: str) -> bool:
    """Return whether words differ, or numbers by more than TOLERANCE."""
    (words, numbers), (expected_words, expected_numbers) = _split(picture), _split(reference)
    return words != expected_words or numbers != pytest.approx(expected_numbers, abs=TOLERANCE)


def _split(picture: str) -> tuple[list[str], list[float]]:
    """Return what stands between the numbers of a picture, and the numbers."""
    parts = NUMBER.split(picture)
    return parts[::2], [float(number) for number in parts[1::2]]
