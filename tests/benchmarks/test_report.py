"""Results as Markdown."""

from benchmarks.report import peers_table, report_lines
from benchmarks.results import Figure
from tests.benchmarks.some_result import a_result


def test_the_suite_says_with_what_was_measured_and_each_figure_beside_its_ceiling() -> None:
    received = [*report_lines(a_result())]
    assert received[0].startswith(
        "Measured on 2026-11-22, 2 cores of A Processor, Linux 6.1, Python 3.11.7, pure engine, commit 0123456789ab; "
        "aiohttp 3.14.5."
    )
    assert received[1:] == [
        "",
        "|  | measured | bare ceiling | ratio | target |",
        "| --- | --- | --- | --- | --- |",
        "| **Engine** |  |  |  |  |",
        "| random games (pure) | 411 games/s (399 to 420) |  |  | 350 games/s |",
        "| list < & > apply (pure) | 6.25 µs |  |  |  |",
        "| **One action** |  |  |  |  |",
        "| actions | 2,500 actions/s (2,400 to 2,600) | 5,000 | 0.5 | 0.7 of the ceiling |",
        "| **Memory** |  |  |  |  |",
        "| an idle socket | 16.4 KB |  |  | under 15 KB |",
        "",
        "- The bare ceiling of one action: no game.",
        "- Actions: everything on.",
        "- Two instances do more.",
    ]


def test_a_noisy_run_says_why() -> None:
    assert "**Noisy run:** too loud; too short." in report_lines(a_result("too loud", "too short"))


OURS = Figure(
    *("peers.service.post.rate", "Services", "all matches at once", "moves/s", [4_000.0, 4_400.0, 3_600.0]),
    of="South Seas by POST",
    ceiling=[2_000.0, 2_000.0, 2_000.0],
    ceiling_title="boardgame.io",
    target="2 times",
)
THEIRS = Figure(
    *("peers.service.boardgame.half.p99", "Services", "at half load, p99", "ms", [8.0]),
    better="less",
    of="boardgame.io",
)


def test_peers_have_a_line_each_and_a_column_for_each_question() -> None:
    assert [*peers_table([OURS, THEIRS])] == [
        "| **Services** | all matches at once, moves/s | at half load, p99, ms |",
        "| --- | ---: | ---: |",
        "| South Seas by POST | 4,000 ±10% |  |",
        "| boardgame.io |  | 8 |",
    ]
