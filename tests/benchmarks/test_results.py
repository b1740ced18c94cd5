"""What is kept of a run."""

import csv
import re
from pathlib import Path

import msgspec
import pytest

from benchmarks.report import report_lines
from benchmarks.results import FOLDER, Figure, load_result, percentile, save
from tests.benchmarks.some_result import FIGURES, a_result


def figure(rounds: list[float], ceiling: list[float]) -> Figure:
    return Figure("name", "group", "title", "unit", rounds, ceiling=ceiling)


def test_a_ratio_is_taken_round_by_round_and_not_of_the_medians() -> None:
    assert figure([1.0, 4.0, 9.0], [2.0, 2.0, 3.0]).ratio == 2.0
    assert figure([5.0, 1.0, 9.0, 2.0], [1.0] * 4).median == 3.5


def test_the_ratio_of_times_is_turned_round_so_that_more_is_better() -> None:
    assert msgspec.structs.replace(figure([4.0], [2.0]), better="less").ratio == 0.5


def test_rounds_of_different_number_have_no_ratio() -> None:
    with pytest.raises(ValueError, match="shorter"):
        assert figure([1.0, 2.0], [1.0]).ratio


def test_the_last_run_of_a_kind_is_kept_whole_and_all_have_a_row(tmp_path: Path) -> None:
    first, last = a_result("too loud"), msgspec.structs.replace(a_result(), figures=FIGURES[1:])
    for result in (first, last):
        assert save(result, ["A line."], tmp_path).read_text() == "# The last run of the suite\n\nA line.\n"
    assert load_result("suite", tmp_path) == last
    with (tmp_path / "runs.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [row["noisy"] for row in rows] == ["True", "False"]
    assert [row["engine.pure.games [games/s]"] for row in rows] == ["411", ""]
    assert {row["action.rate [actions/s]"] for row in rows} == {"2500"}


def test_what_was_never_run_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="suite"):
        load_result("suite", tmp_path)


@pytest.mark.parametrize("kind", ("suite", "peers"))
def test_the_pages_are_those_of_the_results_beside_them(kind: str) -> None:
    page = "\n".join([f"# The last run of the {kind}", "", *report_lines(load_result(kind)), ""])
    assert (FOLDER / f"{kind}.md").read_text() == page


def test_the_readme_has_the_figures_of_the_last_run() -> None:
    text = (FOLDER.parents[1] / "README.md").read_text()
    told = text[text.index("## How fast") :].split("\n## ")[0]
    table = (FOLDER / "suite.md").read_text()
    figures = re.findall(r"\*\*([^*]+)\*\*", told)
    assert len(figures) >= 5
    assert [figure for figure in figures if f" {figure} " not in table] == []


def test_a_percentile_is_one_of_the_values() -> None:
    assert [percentile([4, 1, 3, 2], percent) for percent in (0, 50, 99, 100)] == [1, 3, 4, 4]
