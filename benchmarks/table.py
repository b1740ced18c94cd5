"""A result of the suite as Markdown."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from benchmarks.results import Figure, Result, Series

COLUMNS = ("", "measured", "bare ceiling", "ratio", "set out to reach")


def lines(result: Result) -> Iterator[str]:
    """What was measured with, whether the machine was quiet, the table, and what is to be said beside it."""
    yield from _heading(result)
    yield ""
    yield from _table(result.figures)
    if notes := _notes(result):
        yield ""
        yield from (f"- {note[:1].upper()}{note[1:]}." for note in notes)


def value(number: float) -> str:
    """A number with three figures that count, but all of those before the point.

    >>> value(12_345.6), value(438.4), value(26.94), value(0.4567), value(3.0), value(0.0)
    ('12,346', '438', '26.9', '0.457', '3', '0')
    """
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}"


def named(figure: Figure) -> str:
    """The figure's title, and of whom or what it is."""
    return f"{figure.title} ({figure.of})" if figure.of else figure.title


def reach(figure: Figure) -> str:
    """What was set out to be reached, in words; empty where nothing was."""
    if figure.reach_ratio is not None:
        return f"{value(figure.reach_ratio)} of the ceiling"
    if figure.reach is None:
        return ""
    return (
        f"{value(figure.reach)} {figure.unit}"
        if figure.better == "more"
        else f"under {value(figure.reach)} {figure.unit}"
    )


def noise(result: Result) -> list[str]:
    """Why this result is not to be judged by; empty where it is."""
    told = ["this was a trial with short rounds"] if result.quick else []
    return told + result.noise.reasons


def machine(result: Result) -> str:
    """Where, when and with what."""
    of = result.machine
    return f"{result.date[:10]}, {of.cores} cores of {of.cpu}, Python {result.python}, {result.engine} engine"


def _heading(result: Result) -> Iterator[str]:
    versions = ", ".join(f"{name} {version}" for name, version in sorted(result.versions.items()))
    commit = f", commit {result.commit}" if result.commit else ""
    yield f"Measured on {machine(result)}{commit}, {result.machine.system}; {versions}."
    if reasons := noise(result):
        yield ""
        yield f"**Not to be judged by:** {'; '.join(reasons)}."


def _table(figures: Sequence[Figure]) -> Iterator[str]:
    rows: list[Sequence[str]] = [COLUMNS]
    for group, members in groupby(figures, key=lambda figure: figure.group):
        rows.append((f"**{group}**", "", "", "", ""))
        rows += [_row(figure) for figure in members]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    for number, row in enumerate(rows):
        yield "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        if number == 0:
            yield "|" + "|".join("-" * (width + 2) for width in widths) + "|"


def _row(figure: Figure) -> Sequence[str]:
    return (
        named(figure),
        _spread(figure.measured, figure.unit),
        value(figure.ceiling.median) if figure.ceiling else "",
        value(figure.ratio.median) if figure.ratio else "",
        reach(figure),
    )


def _spread(series: Series, unit: str) -> str:
    """The median, and the range where there is one."""
    middle, low, high = value(series.median), value(series.low), value(series.high)
    return f"{middle} {unit}" if low == high else f"{middle} {unit} ({low} to {high})"


def _notes(result: Result) -> list[str]:
    """What the figures say of themselves, each said once, and the notes of the run."""
    ceilings = [f"the bare ceiling of {figure.group.lower()}: {figure.ceiling_title}" for figure in result.figures]
    told = [note for note, figure in zip(ceilings, result.figures, strict=True) if figure.ceiling_title]
    own = [f"{figure.title}: {figure.note}" for figure in result.figures if figure.note]
    return list(dict.fromkeys([*told, *own, *result.notes]))
