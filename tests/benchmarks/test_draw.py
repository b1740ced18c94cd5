"""The picture of a result."""

import re
from xml.etree import ElementTree as ET

import msgspec
import pytest

from benchmarks.draw import MOST, ONE, STYLE, bars, picture
from benchmarks.results import Figure, Result, series
from tests.benchmarks.some_result import FIGURES, a_result

SVG = "{http://www.w3.org/2000/svg}"


def parsed(result: Result) -> ET.Element:
    """The picture's root."""
    return ET.fromstring(picture(result))  # noqa: S314 (the suite has drawn it itself)


def test_it_is_well_formed_and_shows_every_figure_with_its_value() -> None:
    svg = parsed(a_result("too loud"))
    texts = [text.text for text in svg.iter(f"{SVG}text")]
    for name, value in (
        ("random games (pure)", "411/s"),
        ("list < & > apply (pure)", "6.25 µs"),
        ("actions", "2,500/s · 0.5"),
        ("an idle socket", "16.4 KB"),
    ):
        assert texts.index(value) == texts.index(name) + 1
    assert "Not to be judged by: too loud" in texts


def test_everything_lies_within_the_card() -> None:
    svg = parsed(a_result("too loud " * 99))
    width, height = map(float, svg.attrib["viewBox"].split()[2:])
    for element in svg.iter():
        assert float(element.get("x", 0)) + float(element.get("width", 0) if element.tag != f"{SVG}svg" else 0) <= width
        assert float(element.get("y", 0)) <= height


@pytest.mark.parametrize(
    ("name", "kind"),
    (
        ("engine.pure.games", "good"),
        ("engine.pure.list", "bar"),
        ("action.rate", "missed"),
        ("sockets.1000", "missed"),
    ),
)
def test_a_bar_says_whether_what_was_set_out_is_reached(name: str, kind: str) -> None:
    assert {bar.figure.name: bar.kind for bar in bars(FIGURES)}[name] == kind


def test_a_bar_of_a_cost_is_good_below_its_mark() -> None:
    (bar,) = bars([Figure("a", "b", "c", "s", series([0.5]), better="less", reach=1.0)])
    assert (bar.kind, bar.length) == ("good", 0.5)


def test_what_is_far_beyond_its_mark_is_cut() -> None:
    far = msgspec.structs.replace(a_result(), figures=[Figure("a", "b", "c", "s", series([9.0]), reach=1.0)])
    widths = [float(rect.attrib["width"]) for rect in parsed(far).iter(f"{SVG}rect")]
    assert round(ONE * MOST, 1) in widths
    assert ONE * 9 not in widths


def test_both_themes_give_every_colour() -> None:
    light, dark = STYLE.split("@media")
    named = re.findall(r"(--\w+):", light)
    assert named
    assert re.findall(r"(--\w+):", dark) == named
    assert set(re.findall(r"var\((--\w+)\)", STYLE)) == set(named)
