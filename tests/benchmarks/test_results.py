"""Results of runs: saved, loaded, and shown as Markdown."""

import csv
from pathlib import Path

import msgspec
import pytest

from benchmarks.report import columns_table, report_lines
from benchmarks.results import Figure, Result, load_result, save

ACTIONS = Figure(
    *("action.rate", "One action", "actions", "actions/s", [2_500.0, 2_400.0, 2_600.0]),
    ceiling=[5_000.0, 4_000.0, 5_200.0],
    ceiling_title="no game",
    target="0.7 of the ceiling",
    note="everything on",
)
LISTING = Figure("engine.pure.list", "Engine", "list < & > apply", "µs", [6.25], better="less", of="pure")
RESULT = Result(
    kind="suite",
    date="2026-11-22T05:43:36Z",
    commit="0123456789ab",
    machine="2 cores",
    python="3.11.7",
    engine="pure",
    versions={"aiohttp": "3.14.5"},
    noise=[],
    figures=[LISTING, ACTIONS],
    notes=["two instances do more"],
)


def test_a_ratio_is_taken_round_by_round_and_inverted_for_times() -> None:
    figure = Figure("name", "group", "title", "unit", [1.0, 4.0, 9.0], ceiling=[2.0, 2.0, 3.0])
    assert (figure.ratio, msgspec.structs.replace(figure, better="less").ratio) == (2.0, 0.5)
    with pytest.raises(ValueError, match="shorter"):
        assert msgspec.structs.replace(figure, ceiling=[1.0]).ratio


def test_the_last_run_of_a_kind_is_saved_as_json_and_every_run_has_a_row(tmp_path: Path) -> None:
    last = msgspec.structs.replace(RESULT, figures=[ACTIONS])
    for result in (msgspec.structs.replace(RESULT, noise=["too loud"]), last):
        save(result, tmp_path)
    assert load_result("suite", tmp_path) == last
    with (tmp_path / "runs.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [row["noisy"] for row in rows] == ["True", "False"]
    assert [row["engine.pure.list [µs]"] for row in rows] == ["6.25", ""]
    assert {row["action.rate [actions/s]"] for row in rows} == {"2500"}


def test_the_suite_says_with_what_was_measured_and_each_figure_beside_its_ceiling() -> None:
    where = "2026-11-22, 2 cores, Python 3.11.7, pure engine, commit 0123456789ab; aiohttp 3.14.5"
    assert [*report_lines(msgspec.structs.replace(RESULT, noise=["too loud", "too short"]))] == [
        f"Measured on {where}. Medians of interleaved rounds, with their range; more is better in ratios.",
        "",
        "**Noisy run:** too loud; too short.",
        "",
        "|  | measured | bare ceiling | ratio | target |",
        "| --- | --- | --- | --- | --- |",
        "| **Engine** |  |  |  |  |",
        "| list < & > apply (pure) | 6.25 µs |  |  |  |",
        "| **One action** |  |  |  |  |",
        "| actions | 2,500 actions/s (2,400 to 2,600) | 5,000 | 0.5 | 0.7 of the ceiling |",
        "",
        "- The bare ceiling of one action: no game.",
        "- Actions: everything on.",
        "- Two instances do more.",
    ]


def test_peers_have_a_line_each_and_a_column_for_each_question() -> None:
    figures = [
        msgspec.structs.replace(ACTIONS, of="South Seas"),
        Figure("boardgame.p99", "One action", "at half load, p99", "ms", [8.0], of="boardgame.io"),
    ]
    assert [*columns_table(figures)] == [
        "| **One action** | actions, actions/s | at half load, p99, ms |",
        "| --- | ---: | ---: |",
        "| South Seas | 2,500 ±4% |  |",
        "| boardgame.io |  | 8 |",
    ]
