"""Results as Markdown: a row for each figure of the suite, and a column for each measurement elsewhere."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median

from benchmarks.results import Figure, Result


def report_lines(result: Result) -> Iterator[str]:
    """Yield the machine and versions, whether the run was noisy, the tables, and the notes."""
    versions = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    commit = f", commit {result.commit}" if result.commit else ""
    where = f"{result.date[:10]}, {result.machine}, Python {result.python}, {result.engine} engine{commit}"
    yield f"Measured on {where}; {versions}. Medians of interleaved rounds, with their range; more is better in ratios."
    if result.noise:
        yield ""
        yield f"**Noisy run:** {'; '.join(result.noise)}."
    groups = [[*members] for _, members in groupby(result.figures, key=lambda figure: figure.group)]
    is_suite = result.kind == "suite"
    for group in [result.figures] if is_suite else groups:
        yield ""
        yield from suite_table(group) if is_suite else columns_table(group)
    notes = [*_notes(result.figures), *result.notes]
    yield ""
    yield from (f"- {note[:1].upper()}{note[1:]}." for note in dict.fromkeys(notes))


def format_value(number: float) -> str:
    """Format a number with three significant digits, or with all digits before the point.

    >>> [format_value(number) for number in (12_345.6, 438.4, 26.94, 0.4567, 3.0, 0.0)]
    ['12,346', '438', '26.9', '0.457', '3', '0']
    """
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def suite_table(figures: Sequence[Figure]) -> Iterator[str]:
    """Yield a table with a row for each figure and its ceiling."""
    yield _row("", "measured", "bare ceiling", "ratio", "target")
    yield _row(*["---"] * 5)
    for group, members in groupby(figures, key=lambda figure: figure.group):
        yield _row(f"**{group}**", "", "", "", "")
        for figure in members:
            name = f"{figure.title} ({figure.of})" if figure.of else figure.title
            low, high = format_value(min(figure.rounds)), format_value(max(figure.rounds))
            spread = "" if low == high else f" ({low} to {high})"
            ceiling = format_value(median(figure.ceiling)) if figure.ceiling else ""
            yield _row(
                name, f"{format_value(figure.median)} {figure.unit}{spread}", ceiling, _ratio(figure), figure.target
            )


def columns_table(figures: Sequence[Figure]) -> Iterator[str]:
    """Yield a table with a row for each of what was measured, as a peer, and a column for each measurement."""
    columns = list(dict.fromkeys(_column(figure) for figure in figures))
    yield _row(f"**{figures[0].group}**", *columns)
    yield _row("---", *["---:"] * len(columns))
    for of in dict.fromkeys(figure.of for figure in figures):
        by_column = {_column(figure): figure for figure in figures if figure.of == of}
        yield _row(of, *(_cell(by_column[column]) if column in by_column else "" for column in columns))


def _notes(figures: Sequence[Figure]) -> Iterator[str]:
    for figure in figures:
        if figure.of and figure.target and figure.ceiling_title:
            times = f"{_ratio(figure)} times as good as {figure.ceiling_title}'s of the same rounds"
            yield f"{figure.of}, {figure.title}: {times}; target {figure.target}"
        elif figure.ceiling_title and not figure.of:
            yield f"the bare ceiling of {figure.group.lower()}: {figure.ceiling_title}"
        if figure.note:
            yield f"{figure.title}: {figure.note}"


def _cell(figure: Figure) -> str:
    """Return the median, and half the range of the rounds in percent of it."""
    half = (max(figure.rounds) - min(figure.rounds)) / 2
    return format_value(figure.median) + (f" ±{half / figure.median:.0%}" if half else "")


def _column(figure: Figure) -> str:
    return f"{figure.title}, {figure.unit}"


def _ratio(figure: Figure) -> str:
    return "" if figure.ratio is None else format_value(figure.ratio)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"
