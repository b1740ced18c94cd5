"""The slowest tests of the last measured run: `make test` leaves them out, `make test-all` runs them."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

FILE = Path(__file__).with_suffix(".txt")
COUNT = 400
"""They take three quarters of the time of all 6,600 tests."""


def read() -> frozenset[str]:
    """Return the ids of these tests."""
    return frozenset(FILE.read_text(encoding="utf-8").splitlines())


def pick(reports: Iterable[pytest.TestReport], count: int = COUNT) -> list[str]:
    """Return the ids of the slowest tests, sorted; set-up and teardown count."""
    duration_s: defaultdict[str, float] = defaultdict(float)
    for report in reports:
        duration_s[report.nodeid] += report.duration
    return sorted(sorted(duration_s, key=lambda nodeid: duration_s[nodeid], reverse=True)[:count])


def write(reports: Iterable[pytest.TestReport]) -> None:
    """Store the slowest tests of a run."""
    FILE.write_text("".join(f"{nodeid}\n" for nodeid in pick(reports)), encoding="utf-8")
