"""The tests that generate, compile and play take minutes, so only `make test-all` (`--require-all`) runs them."""

import pytest


@pytest.fixture
def slow_gate(pytestconfig: pytest.Config) -> None:
    """Skip a test unless everything is to be tried."""
    if not pytestconfig.getoption("--require-all"):
        pytest.skip("make test-all runs it: it takes minutes")
