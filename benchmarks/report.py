"""Figures and how they are printed: medians of interleaved rounds, with their spread."""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple


class Figure(NamedTuple):
    """One line of the table."""

    name: str
    value: str
    ratio: str = ""
    reach: str = ""
    """What the project set out to reach."""


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that `percent` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def spread(values: Sequence[float]) -> str:
    """Median and range of some rounds."""
    return f"{median(values):,.0f} ({min(values):,.0f} to {max(values):,.0f})"


def table(figures: Sequence[Figure]) -> str:
    """The figures as a Markdown table."""
    rows = [Figure("", "measured", "of the ceiling", "reach"), *figures]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
