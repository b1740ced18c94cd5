"""What is kept of a run."""

from pathlib import Path

import pytest

from benchmarks.results import latest, load_result, percentile, ratios, save, series
from tests.benchmarks.some_result import a_result


def test_a_series_tells_median_and_range_whatever_the_order() -> None:
    told = series([5.0, 1.0, 9.0, 2.0])
    assert (told.median, told.low, told.high, told.rounds) == (3.5, 1.0, 9.0, [5.0, 1.0, 9.0, 2.0])


def test_a_ratio_is_taken_round_by_round_and_not_of_the_medians() -> None:
    assert ratios([1.0, 4.0, 9.0], [2.0, 2.0, 3.0]).rounds == [0.5, 2.0, 3.0]


def test_rounds_of_different_number_have_no_ratio() -> None:
    with pytest.raises(ValueError, match="shorter"):
        ratios([1.0, 2.0], [1.0])


def test_a_result_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    result = a_result("too loud")
    file = save(result, tmp_path)
    assert file.name == "2026-11-22T054336Z-suite.json"
    assert load_result(file) == result


def test_the_latest_is_the_youngest_of_its_kind(tmp_path: Path) -> None:
    for name in ("2026-01-02T000000Z-suite", "2026-01-03T000000Z-peers", "2025-12-31T235959Z-suite"):
        (tmp_path / f"{name}.json").touch()
    assert latest("suite", tmp_path).stem == "2026-01-02T000000Z-suite"
    assert latest("peers", tmp_path).stem == "2026-01-03T000000Z-peers"


def test_where_nothing_was_measured_nothing_is_the_latest(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="suite"):
        latest("suite", tmp_path)


def test_a_percentile_is_one_of_the_values() -> None:
    assert [percentile([4, 1, 3, 2], percent) for percent in (0, 50, 99, 100)] == [1, 3, 4, 4]
