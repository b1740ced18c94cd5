"""Parts of the suite, once each with short rounds."""

from math import isfinite
from xml.etree import ElementTree as ET

from benchmarks.answers import answers
from benchmarks.growth import growth
from benchmarks.growth_plot import growth_plot
from benchmarks.report import report_lines
from benchmarks.results import describe_run
from benchmarks.run import Run
from benchmarks.stored import stored


async def test_what_a_game_and_an_action_cost_redis() -> None:
    run = Run(rounds=1, quick=True)
    await stored(run)
    figures = {figure.name: figure.median for figure in run.figures}
    assert 0 < figures["stored.mid-game"] < figures["stored.finished"]
    assert 0 < figures["stored.day-old"] < figures["stored.finished"]
    assert 0 < figures["stored.archived"] < figures["stored.day-old"]
    assert min(figures["stored.action.bytes"], figures["stored.action.cpu"]) > 0


async def test_what_is_asked_without_moving() -> None:
    run = Run(rounds=1, quick=True)
    await answers(run)
    figures = {figure.name: figure.median for figure in run.figures}
    assert 0 < figures["answers.scores"] < figures["answers.moves"] < figures["answers.effects"]
    assert figures["answers.features"] > 0


async def test_growth_has_a_row_for_each_number_of_games_and_a_line_for_each_measurement() -> None:
    run = Run(rounds=1, quick=True)
    await growth(run)
    assert all(figure.median > 0 and isfinite(figure.median) for figure in run.figures)
    result = describe_run("growth", run.figures, [], {}, run.notes)
    rows = [line for line in report_lines(result) if line.startswith("|")]
    assert [row.split("|")[1].strip() for row in rows[2:]] == ["1 game", "100 games"]
    picture = ET.fromstring("\n".join(growth_plot(result)))  # noqa: S314 (our own)
    lines = [path for path in picture.findall("{*}path") if path.get("fill") == "none"]
    assert len(lines) == len({figure.title for figure in run.figures})
