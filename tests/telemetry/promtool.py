"""promtool, Prometheus's checker of rules and metrics."""

import subprocess

from tests.tools import PROMTOOL, require


def promtool(*arguments: str, given: bytes = b"") -> str:
    """Run promtool; return its output, or fail the test with it."""
    program = require(PROMTOOL)
    ended = subprocess.run([program, *arguments], input=given, capture_output=True, check=False, timeout=60)
    output = (ended.stdout + ended.stderr).decode()
    assert ended.returncode == 0, output
    return output
