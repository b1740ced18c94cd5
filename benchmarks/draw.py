"""The picture of a result: `python -m benchmarks.draw [FILE] [-o OUT]`, an SVG with a bar for every figure.

Each bar is a ratio: to the bare ceiling of the same run, else to what was set out to reach, else to the longest bar of
its unit and group. The line through a bar is the range of the rounds, the mark across it what was set out to reach.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from textwrap import shorten
from typing import NamedTuple

from benchmarks.results import Figure, Result, Series, latest, load_result
from benchmarks.table import machine, named, noise, value

COLUMN, GAP, EDGE = 462, 32, 22
"""Widths: of a column, between the two, and around them."""
LABEL, BAR = 244, 112
"""Widths in a column: of a figure's name, and of the place of its bar; its value stands behind."""
ROW, HEAD, TOP, FOOT = 21, 36, 62, 86
ONE, MOST = 75, 1.45
"""How long a bar of the ratio 1 is, and the longest ratio that is drawn."""
LETTER = 5.8
"""About as wide as a letter of the legend."""
MOST_LETTERS = 165
"""Of one line across the whole picture."""

STYLE = """
:root { --card: #ffffff; --line: #d0d7de; --text: #1f2328; --soft: #59636e; --bar: #2f81c7; --good: #2c8a4b;
  --missed: #c77700; --ghost: #e6eaef; }
@media (prefers-color-scheme: dark) {
  :root { --card: #0d1117; --line: #3d444d; --text: #f0f6fc; --soft: #9198a1; --bar: #4493d8; --good: #3fa662;
    --missed: #d9902f; --ghost: #262c36; }
}
text { font: 12px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; fill: var(--text); }
.title { font-size: 16px; font-weight: 600; } .group { font-size: 13px; font-weight: 600; }
.soft { fill: var(--soft); font-size: 11px; } .card { fill: var(--card); stroke: var(--line); }
.rule { stroke: var(--line); } .ghost { fill: var(--ghost); } .bar { fill: var(--bar); } .good { fill: var(--good); }
.missed { fill: var(--missed); } .range { stroke: var(--text); stroke-opacity: 0.65; } .reach { stroke: var(--text);
  stroke-width: 2; }
"""


class Bar(NamedTuple):
    """A figure's bar; all are ratios, of which 1 is `ONE` long."""

    figure: Figure
    length: float
    low: float
    high: float
    mark: float | None
    """What was set out to reach."""
    ceiling: bool
    """Whether 1 is the bare ceiling."""

    @property
    def kind(self) -> str:
        """How it is coloured: by whether it is on the right side of the mark."""
        if self.mark is None:
            return "bar"
        more = self.figure.better == "more" or self.ceiling
        return "good" if (self.length >= self.mark if more else self.length <= self.mark) else "missed"


def bars(figures: Sequence[Figure]) -> list[Bar]:
    """A bar for each."""
    longest: dict[tuple[str, str], float] = {}
    for figure in figures:
        key = figure.group, figure.unit
        longest[key] = max(longest.get(key, 0.0), figure.measured.median)
    return [_bar(figure, longest[figure.group, figure.unit]) for figure in figures]


def _bar(figure: Figure, longest: float) -> Bar:
    if figure.ratio is not None:
        return _of(figure, figure.ratio, 1.0, figure.reach_ratio, ceiling=True)
    if figure.reach is not None:
        return _of(figure, figure.measured, figure.reach, 1.0, ceiling=False)
    return _of(figure, figure.measured, longest or 1.0, None, ceiling=False)


def _of(figure: Figure, series: Series, one: float, mark: float | None, *, ceiling: bool) -> Bar:
    return Bar(figure, series.median / one, series.low / one, series.high / one, mark, ceiling)


def picture(result: Result) -> str:
    """The whole SVG."""
    groups = [
        (name, list(members)) for name, members in groupby(bars(result.figures), key=lambda bar: bar.figure.group)
    ]
    columns = _columns(groups)
    height = TOP + max(sum(_height(group) for group in column) for column in columns) + FOOT
    width = 2 * EDGE + COLUMN * len(columns) + GAP * (len(columns) - 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        f"<title>How fast South Seas is</title><style>{STYLE}</style>",
        f'<rect class="card" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        _text(EDGE, 32, "How fast South Seas is", "title"),
        _text(EDGE, 50, machine(result), "soft"),
    ]
    for number, column in enumerate(columns):
        left, top = EDGE + number * (COLUMN + GAP), TOP
        for group in column:
            parts += _group(left, top, *group)
            top += _height(group)
    parts += _legend(height - 60, noise(result))
    return "\n".join([*parts, "</svg>", ""])


Group = tuple[str, list[Bar]]


def _columns(groups: Sequence[Group]) -> list[list[Group]]:
    """The groups in two columns in their order, as even as can be."""
    cuts = range(1, max(2, len(groups)))
    heights = [_height(group) for group in groups]
    cut = min(cuts, key=lambda at: max(sum(heights[:at]), sum(heights[at:])))
    return [list(part) for part in (groups[:cut], groups[cut:]) if part]


def _height(group: Group) -> int:
    return HEAD + ROW * len(group[1])


def _group(left: int, top: int, name: str, members: Sequence[Bar]) -> Iterator[str]:
    yield _text(left, top + 22, name, "group")
    yield f'<line class="rule" x1="{left}" x2="{left + COLUMN}" y1="{top + 29}" y2="{top + 29}"/>'
    for number, bar in enumerate(members):
        yield from _row(left, top + HEAD + number * ROW, bar)


def _row(left: int, top: int, bar: Bar) -> Iterator[str]:
    """One figure: its name, the ceiling behind its bar, the range of the rounds, the mark, and its value."""
    start, middle = left + LABEL, top + ROW // 2
    yield _text(left, middle + 4, named(bar.figure))
    if bar.ceiling:
        yield f'<rect class="ghost" x="{start}" y="{top + 3}" width="{ONE}" height="15"/>'
    yield f'<rect class="{bar.kind}" x="{start}" y="{top + 5}" width="{_long(bar.length)}" height="11" rx="1"/>'
    yield (
        f'<line class="range" x1="{start + _long(bar.low)}" x2="{start + _long(bar.high)}" '
        f'y1="{middle}" y2="{middle}"/>'
    )
    if bar.mark is not None:
        at = start + _long(bar.mark)
        yield f'<line class="reach" x1="{at}" x2="{at}" y1="{top + 2}" y2="{top + 19}"/>'
    yield _text(start + BAR + 4, middle + 4, _value(bar))


def _value(bar: Bar) -> str:
    """The median, of what the name says, and the ratio where there is a ceiling."""
    number, unit = value(bar.figure.measured.median), bar.figure.unit
    told = f"{number}/s" if unit.endswith("/s") else f"{number} {unit}"
    return f"{told} · {value(bar.length)}" if bar.ceiling else told


def _long(ratio: float) -> float:
    return round(ONE * min(ratio, MOST), 1)


def _legend(top: int, reasons: Sequence[str]) -> Iterator[str]:
    at: float = EDGE
    for kind, text in (
        ("good", "what was set out to reach is reached"),
        ("missed", "not reached"),
        ("bar", "nothing set out: by the longest of its unit"),
        ("ghost", "bare ceiling of the same rounds · ratio to it"),
    ):
        yield f'<rect class="{kind}" x="{at:.0f}" y="{top - 9}" width="12" height="11" rx="1"/>'
        yield _text(round(at) + 17, top, text, "soft")
        at += 34 + LETTER * len(text)
    yield _text(EDGE, top + 20, "Across a bar: what was set out to reach. Along it: the range of the rounds.", "soft")
    if reasons:
        yield _text(
            EDGE,
            top + 40,
            shorten(f"Not to be judged by: {'; '.join(reasons)}", MOST_LETTERS, placeholder=" …"),
            "soft",
        )


def _text(left: float, base: float, text: str, kind: str = "") -> str:
    css = f' class="{kind}"' if kind else ""
    return f'<text{css} x="{left}" y="{base}">{escape(text)}</text>'


def main() -> None:
    """Draw it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.draw", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="a result (the last of the suite)")
    parser.add_argument("-o", "--output", type=Path, help="where to write it (standard output)")
    options = parser.parse_args()
    drawn = picture(load_result(options.file or latest()))
    if options.output is None:
        sys.stdout.write(drawn)
    else:
        options.output.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
