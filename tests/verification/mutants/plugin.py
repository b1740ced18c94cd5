"""A pytest plugin: which test runs which line, how long each test takes, and which fail.

Processes that a test starts measure themselves, in the context that coverage.ini names.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from coverage import Coverage

REPORT = "SOUTH_SEAS_MUTANTS_REPORT"
"""The environment variable with the file to write: each test's duration, or null where it did not pass."""

_durations: dict[str, float] = {}
_not_passed: set[str] = set()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measure each test, with its fixtures, in a context of its own."""
    coverage = Coverage.current()
    if coverage is not None:
        coverage.switch_context(item.nodeid)
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what setting up, running and tearing down take."""
    _durations[report.nodeid] = _durations.get(report.nodeid, 0) + report.duration
    if not report.passed:
        _not_passed.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what was measured; with pytest-xdist the controller hears of all tests."""
    coverage = Coverage.current()
    if coverage is not None:
        coverage.stop()
        coverage.save()
    if not hasattr(session.config, "workerinput"):
        tests = {test: None if test in _not_passed else duration for test, duration in _durations.items()}
        Path(os.environ[REPORT]).write_text(json.dumps(tests))
