"""Prometheus's own judgement."""

import shutil
import subprocess

import pytest


def promtool(*arguments: str, given: bytes = b"") -> str:
    """What promtool says; the test fails with it where it is not content."""
    program = shutil.which("promtool")
    if program is None:
        pytest.fail("there is no promtool in PATH (Debian and Ubuntu: apt install prometheus)")
    ended = subprocess.run([program, *arguments], input=given, capture_output=True, check=False, timeout=60)
    said = (ended.stdout + ended.stderr).decode()
    assert ended.returncode == 0, said
    return said
