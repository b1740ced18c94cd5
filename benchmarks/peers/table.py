"""A result of the peers as Markdown, a row for each of them."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from benchmarks.results import Figure, Result
from benchmarks.table import machine, noise, value


def lines(result: Result) -> Iterator[str]:
    """What was measured with, whether the machine was quiet, a table for each group, and what is to be said of them."""
    versions = ", ".join(f"{name} {version}" for name, version in sorted(result.versions.items()))
    yield f"Measured on {machine(result)}; {versions}. Medians of rounds in turn, ± half of their range."
    if reasons := noise(result):
        yield ""
        yield f"**Not to be judged by:** {'; '.join(reasons)}."
    for _, members in groupby(result.figures, key=lambda figure: figure.group):
        yield ""
        yield from table(list(members))
    yield ""
    yield from (f"- {note[:1].upper()}{note[1:]}." for note in [*reached(result.figures), *result.notes])


def table(figures: Sequence[Figure]) -> Iterator[str]:
    """One row for each who was measured, one column a question."""
    questions = list(dict.fromkeys(_question(figure) for figure in figures))
    yield _line([f"**{figures[0].group}**", *questions])
    yield "|---|" + "---:|" * len(questions)
    for who in dict.fromkeys(figure.of for figure in figures):
        by = {_question(figure): figure for figure in figures if figure.of == who}
        yield _line([who, *(_cell(by.get(question)) for question in questions)])


def spread(figure: Figure) -> str:
    """The median, and half of the range of the rounds in percent of it.

    >>> from benchmarks.results import series
    >>> spread(Figure(name="", group="", title="", unit="", measured=series([90.0, 100.0, 120.0])))
    '100 ±15%'
    """
    of = figure.measured
    told = value(of.median)
    return told if of.low == of.high else f"{told} ±{(of.high - of.low) / 2 / of.median:.0%}"


def reached(figures: Sequence[Figure]) -> Iterator[str]:
    """How ours compares with the peer beside it, and what was set out to reach."""
    for figure in figures:
        if figure.ratio is not None and (figure.reach is not None or figure.reach_ratio is not None):
            times = f"{value(figure.ratio.median)} times as good as {figure.ceiling_title}'s of the same rounds"
            yield f"{figure.of}, {figure.title}: {times}; set out to reach {_reach(figure)}"


def _reach(figure: Figure) -> str:
    parts = []
    if figure.reach is not None:
        parts.append(f"{'under ' if figure.better == 'less' else ''}{value(figure.reach)} {figure.unit}")
    if figure.reach_ratio is not None:
        parts.append(f"{value(figure.reach_ratio)} times")
    return " and ".join(parts)


def _question(figure: Figure) -> str:
    return f"{figure.title}, {figure.unit}"


def _cell(figure: Figure | None) -> str:
    """Empty where it was not measured."""
    return spread(figure) if figure else ""


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
