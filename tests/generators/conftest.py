"""The tests that generate, compile and play take minutes, so only `make test-all` (`--slow`) runs them."""

import pytest

collect_ignore = ["programs"]
"""They import what is generated, and run as programs of their own."""


@pytest.fixture
def slow_gate(pytestconfig: pytest.Config) -> None:
    """Skip a test unless everything is to be tried."""
    if not pytestconfig.getoption("--slow"):
        pytest.skip("make test-all runs it: it takes minutes")
