"""Prometheus's own judgement."""

import subprocess

from tests.tools import PROMTOOL, require


def promtool(*arguments: str, given: bytes = b"") -> str:
    """What promtool says; the test fails with it where it is not content."""
    program = require(PROMTOOL)
    ended = subprocess.run([program, *arguments], input=given, capture_output=True, check=False, timeout=60)
    said = (ended.stdout + ended.stderr).decode()
    assert ended.returncode == 0, said
    return said
