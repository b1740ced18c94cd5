"""When a machine is too noisy to judge by."""

import pytest

from benchmarks.noise import LEAST_BUSY, MOST_LOAD, MOST_OTHERS, MOST_RANGE, MOST_SPREAD, MOST_STEAL, Watch, reasons_of

QUIET = {"spread": MOST_SPREAD, "load": MOST_LOAD, "others": MOST_OTHERS, "steal": MOST_STEAL}


def test_at_the_bounds_a_machine_is_quiet() -> None:
    assert reasons_of(**QUIET) == []


@pytest.mark.parametrize("name", QUIET)
def test_beyond_each_bound_there_is_one_reason(name: str) -> None:
    assert len(reasons_of(**QUIET | {name: 2 * QUIET[name]})) == 1


def test_a_report_tells_all_that_was_seen() -> None:
    watch = Watch()
    for _ in range(3):
        watch.sample()
    report = watch.report()
    assert len(report.calibration_ms.rounds) == 15
    assert report.calibration_ms.low > 0
    assert report.noisy == bool(report.reasons)
    assert 0 <= report.others_share <= 1
    assert 0 <= report.steal_share <= 1


def test_a_ceiling_that_left_its_core_idle_makes_the_run_doubtful() -> None:
    watch = Watch()
    watch.expect_busy("the busy one", [LEAST_BUSY, 1.0, 0.1])
    watch.expect_busy("the idle one", [0.5, 0.4, 1.0])
    report = watch.report()
    assert report.noisy
    assert "the idle one used 50% of its core (at least 80%), held up by what is around it" in report.reasons
    assert not any("the busy one" in reason for reason in report.reasons)


def test_computing_that_was_faster_in_one_round_makes_the_run_doubtful() -> None:
    watch = Watch()
    watch.expect_steady("the steady one", [100.0, 100.0 * MOST_RANGE, 120.0])
    watch.expect_steady("the unsteady one", [353.0, 561.0])
    report = watch.report()
    assert "the best round of the unsteady one was 1.59 times as fast as the worst (at most 1.30)" in report.reasons
    assert not any("the steady one" in reason for reason in report.reasons)
