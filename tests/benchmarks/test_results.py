"""Saving and loading the results of runs."""

import csv
from pathlib import Path

import msgspec
import pytest

from benchmarks.results import Figure, load_result, percentile, save
from tests.benchmarks.some_result import FIGURES, a_result


def figure(rounds: list[float], ceiling: list[float]) -> Figure:
    return Figure("name", "group", "title", "unit", rounds, ceiling=ceiling)


def test_a_ratio_is_taken_round_by_round_and_not_of_the_medians() -> None:
    assert figure([1.0, 4.0, 9.0], [2.0, 2.0, 3.0]).ratio == 2.0
    assert figure([5.0, 1.0, 9.0, 2.0], [1.0] * 4).median == 3.5


def test_the_ratio_of_times_is_inverted_so_that_more_is_better() -> None:
    assert msgspec.structs.replace(figure([4.0], [2.0]), better="less").ratio == 0.5


def test_rounds_of_different_number_have_no_ratio() -> None:
    with pytest.raises(ValueError, match="shorter"):
        assert figure([1.0, 2.0], [1.0]).ratio


def test_the_last_run_of_a_kind_is_saved_as_json_and_every_run_has_a_row(tmp_path: Path) -> None:
    first, last = a_result("too loud"), msgspec.structs.replace(a_result(), figures=FIGURES[1:])
    for result in (first, last):
        save(result, tmp_path)
    assert load_result("suite", tmp_path) == last
    with (tmp_path / "runs.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [row["noisy"] for row in rows] == ["True", "False"]
    assert [row["engine.pure.games [games/s]"] for row in rows] == ["411", ""]
    assert {row["action.rate [actions/s]"] for row in rows} == {"2500"}


def test_a_kind_without_runs_has_no_result(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="suite"):
        load_result("suite", tmp_path)


def test_a_percentile_is_one_of_the_values() -> None:
    assert [percentile([4, 1, 3, 2], percent) for percent in (0, 50, 99, 100)] == [1, 3, 4, 4]
