"""`.ci/audit` reports what it found, and also when it could not ask."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tools import ROOT

CLEAN = {"dependencies": [{"name": "aiohttp", "version": "3.14.5", "vulns": []}]}
WEAK = {"dependencies": [{"name": "aiohttp", "version": "0.1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}]}
UNKNOWN = {"dependencies": [{"name": "aiohttp", "skip_reason": "not found on PyPI"}]}
NPM_CLEAN: dict[str, Any] = {"vulnerabilities": {}}
NPM_WEAK = {"vulnerabilities": {"left-pad": {"severity": "high"}}}
NPM_REFUSED = {"message": "405 Method Not Allowed"}


@pytest.mark.parametrize(
    ("python", "npm", "flags", "code", "says"),
    (
        (CLEAN, NPM_CLEAN, (), 0, "No vulnerability is known in any of the npm packages"),
        (WEAK, NPM_CLEAN, ("--if-reachable",), 1, "aiohttp 0.1: PYSEC-1, fixed in 3"),
        (CLEAN, NPM_WEAK, ("--if-reachable",), 1, "left-pad: high"),
        (WEAK, NPM_REFUSED, (), 1, "aiohttp 0.1"),
        (UNKNOWN, NPM_CLEAN, (), 2, "NOT AUDITED: Python packages: 1 of 1"),
        (CLEAN, NPM_REFUSED, (), 2, "NOT AUDITED: npm packages: 405"),
        (UNKNOWN, NPM_REFUSED, ("--if-reachable",), 0, "NOT AUDITED: npm packages: 405"),
        (None, None, (), 2, "NOT AUDITED: Python packages: no answer"),
        (None, None, ("--if-reachable",), 0, "NOT AUDITED"),
    ),
)
def test_findings_and_unreachable_registries_are_reported(
    tmp_path: Path, python: Any, npm: Any, flags: tuple[str, ...], code: int, says: str
) -> None:
    for name, received in (("pip-audit", python), ("npm", npm)):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho '{'' if received is None else json.dumps(received)}'\nexit 1\n")
        program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:/usr/bin:/bin"}
    finished = subprocess.run(
        (sys.executable, str(ROOT / ".ci" / "audit"), *flags),
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.returncode == code, finished.stderr
    assert says in finished.stdout + finished.stderr


def test_the_audit_is_part_of_ci() -> None:
    assert "make audit ARGS=--if-reachable" in (ROOT / ".ci" / "run").read_text()
