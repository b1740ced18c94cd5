"""The list of equivalent mutants, what is tuning, and the table."""

import pytest

from tests.tools import ROOT
from tests.verification.mutants.results import Line, format_report, read_equivalents
from tests.verification.mutants.runner import Outcome
from tests.verification.mutants.tuning import is_tuning


def test_equivalent_mutants_are_of_lines_that_exist_have_a_reason_and_are_no_tuning() -> None:
    for one in read_equivalents():
        lines = [line.strip() for line in (ROOT / one.path).read_text().splitlines()]
        assert all(line in lines for line in one.before.splitlines()), one
        assert len(one.reason.split()) > 3, one
        assert not is_tuning(one.path, one.before, one.after), one


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    (
        ("service/store/pubsub.py", "PING_INTERVAL_S = 1.0", "PING_INTERVAL_S = 2.0", True),
        ("service/web/x.py", "_MAX_BYTES: Final = 2 * 1_024", "_MAX_BYTES: Final = 2 * 1025", True),
        ("service/web/x.py", "X_TIMEOUT_S, MAX_X = 1.0, 4", "X_TIMEOUT_S, MAX_X = 1.0, 5", True),
        ("service/web/x.py", "X_TIMEOUT_S, OTHER = 1.0, 4", "X_TIMEOUT_S, OTHER = 1.0, 5", False),
        ("service/web/x.py", "MAX_X = 4 * 2", "MAX_X = 4 / 2", False),
        ("service/web/x.py", "SALT_BYTES = 16", "SALT_BYTES = 17", False),
        ("service/web/x.py", "if MAX_X > 4:", "if MAX_X > 5:", False),
        ("service/engine/x.py", "MAX_BRIDGE_EDGES = 2", "MAX_BRIDGE_EDGES = 3", False),
        ("service/games/bots/process_pool.py", "DECISION_TIMEOUT_S = 3.0", "DECISION_TIMEOUT_S = 4.0", False),
    ),
)
def test_other_numbers_of_limits_times_and_batch_sizes_are_tuning_unless_a_page_promises_them(
    path: str, before: str, after: str, expected: bool
) -> None:
    assert is_tuning(path, before, after) is expected


def test_equivalent_and_tuning_mutants_do_not_count_and_survivors_are_shown() -> None:
    report = list(
        format_report(
            [
                Line("service/web/limits.py", 2, "MAX_X = 3", "MAX_X = 4", Outcome.SURVIVED),
                Line("service/web/limits.py", 3, "X = 3", "X = 4", None),
                Line("service/web/limits.py", 4, "a < b", "a <= b", Outcome.SURVIVED),
                Line("service/web/routes/play.py", 5, "del a", "pass", Outcome.NOTICED),
                Line("service/main.py", 6, "while x:", "while not (x):", Outcome.TIMED_OUT),
            ]
        )
    )
    assert report[:4] == ["service/web/limits.py:2", "  - MAX_X = 3", "  + MAX_X = 4", "  (tuning)"]
    assert report[4:7] == ["service/web/limits.py:4", "  - a < b", "  + a <= b"]
    assert [line.split() for line in report[-3:]] == [
        ["service", "1", "0", "1", "0", "0", "0", "100%"],
        ["service.web", "4", "1", "0", "1", "1", "1", "50%"],
        ["all", "5", "1", "1", "1", "1", "1", "67%"],
    ]
