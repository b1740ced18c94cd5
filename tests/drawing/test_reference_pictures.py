"""A picture that has changed was meant to change; see `reference_pictures`."""

import re

from tests.drawing.reference_pictures import FOLDER, draw_pictures

NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)")

HOW_TO_RENEW = "if they should differ, run `python -m tests.drawing.reference_pictures` and look at the new ones"


def test_the_pictures_are_as_they_were() -> None:
    """One test, because `make mutants` must know that it runs every line of the drawing."""
    drawn = dict(draw_pictures())
    assert {path.name for path in FOLDER.iterdir()} == {*drawn}
    differing = [name for name, picture in drawn.items() if _differs(picture, (FOLDER / name).read_text())]
    assert differing == [], HOW_TO_RENEW
    assert len(drawn["finished.svg"]) < 400_000


def _differs(picture: str, reference: str) -> bool:
    """Return whether words differ, or numbers by more than 1 in their last decimal place, integers at all.

    Mathematical functions round otherwise on another machine.
    """
    parts, expected = NUMBER.split(picture), NUMBER.split(reference)
    return parts[::2] != expected[::2] or any(
        abs(float(number) - float(other)) > 1.1 * 10.0 ** -max(1, len(other.partition(".")[2]))
        for number, other in zip(parts[1::2], expected[1::2], strict=True)
        if number != other
    )
