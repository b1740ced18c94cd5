"""promtool, Prometheus's checker of rules and metrics."""

from tests.tools import PROMTOOL, require, run


def promtool(*arguments: str, given: bytes = b"") -> str:
    """Run promtool; return its output, or fail the test with it."""
    return run(require(PROMTOOL), *arguments, given=given)
