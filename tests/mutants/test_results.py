"""The list of equivalent mutants, and the table."""

from tests.mutants.results import Line, format_report, read_equivalents
from tests.mutants.runner import Outcome
from tests.tools import ROOT


def test_equivalent_mutants_are_of_lines_that_exist_and_have_a_reason() -> None:
    for one in read_equivalents():
        lines = [line.strip() for line in (ROOT / one.path).read_text().splitlines()]
        assert all(line in lines for line in one.before.splitlines()), one
        assert len(one.reason.split()) > 3, one


def test_equivalent_mutants_do_not_count_and_survivors_are_shown() -> None:
    report = list(
        format_report(
            [
                Line("service/web/limits.py", 3, "X = 3", "X = 4", None),
                Line("service/web/limits.py", 4, "a < b", "a <= b", Outcome.SURVIVED),
                Line("service/web/routes/play.py", 5, "del a", "pass", Outcome.NOTICED),
                Line("service/main.py", 6, "while x:", "while not (x):", Outcome.TIMED_OUT),
            ]
        )
    )
    assert report[:3] == ["service/web/limits.py:4", "  - a < b", "  + a <= b"]
    assert [line.split() for line in report[-3:]] == [
        ["service", "1", "0", "1", "0", "0", "100%"],
        ["service.web", "3", "1", "0", "1", "1", "50%"],
        ["all", "4", "1", "1", "1", "1", "67%"],
    ]
