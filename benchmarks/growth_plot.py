"""The growth of each measurement as a picture, for the page with the table."""

import math
from collections.abc import Iterator
from html import escape
from itertools import groupby

from benchmarks.results import Figure, Result

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 40, 700, 20, 210
COLORS = ("#1565c0", "#64b5f6", "#2e7d32", "#ef6c00", "#8e24aa", "#c62828", "#757575")
LEGEND_COLUMNS = 2
LEGEND_ROW = 18


def growth_plot(result: Result) -> Iterator[str]:
    """Yield an SVG with a line for each measurement: its medians as multiples of that of the fewest games.

    Both axes are logarithmic. Text and grid have the color of the page's text. There is no style attribute: the
    Content-Security-Policy forbids it.
    """
    ordered = sorted(result.figures, key=_column)
    lines = [[*members] for _, members in groupby(ordered, key=_column)]
    counts = [_games(figure) for figure in lines[0]]
    doublings = [math.log2(figure.median / line[0].median) for line in lines for figure in line]
    lowest, top = min(-1, math.floor(min(doublings))), max(1, math.ceil(max(doublings)))
    height = HEIGHT + LEGEND_ROW * max(0, math.ceil(len(lines) / LEGEND_COLUMNS) - 3)

    def x(games: int) -> float:
        return LEFT + 20 + (RIGHT - LEFT - 40) * math.log(games / counts[0]) / math.log(counts[-1] / counts[0])

    def y(ratio: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (math.log2(ratio) - lowest) / (top - lowest)

    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" font-size="12" '
    yield 'fill="currentColor"><title>Each measurement with more games, as a multiple of that with one</title>'
    for ratio in (2.0**power for power in range(lowest, top + 1)):
        opacity = 0.7 if ratio == 1 else 0.25
        yield f'<path d="M{LEFT} {y(ratio):.0f}H{RIGHT}" stroke="currentColor" stroke-opacity="{opacity}"/>'
        yield f'<text x="{LEFT - 6}" y="{y(ratio) + 4:.0f}" text-anchor="end">{ratio:g}</text>'
    for games in counts:
        yield f'<text x="{x(games):.0f}" y="{BOTTOM + 18}" text-anchor="middle">{games:,}</text>'
    for number, line in enumerate(lines):
        points = [(x(_games(figure)), y(figure.median / line[0].median)) for figure in line]
        path, color = "L".join(f"{at:.0f} {ratio:.1f}" for at, ratio in points), COLORS[number % len(COLORS)]
        yield f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"/>'
        row, column = divmod(number, LEGEND_COLUMNS)
        left, below = LEFT + column * (RIGHT - LEFT) // LEGEND_COLUMNS, BOTTOM + 44 + row * LEGEND_ROW
        yield f'<path d="M{left} {below - 4}h20" stroke="{color}" stroke-width="3"/>'
        yield f'<text x="{left + 26}" y="{below}">{escape(line[0].title)}</text>'
    yield "</svg>"


def _column(figure: Figure) -> str:
    return figure.name.rpartition(".")[0]


def _games(figure: Figure) -> int:
    return int(figure.name.rpartition(".")[2])
