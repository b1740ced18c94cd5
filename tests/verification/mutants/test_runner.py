"""Tests run over a mutated module in a copy: the outcome, the module afterwards, and no process that is left behind."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tools import ROOT
from tests.verification.mutants.runner import Outcome

PACKAGE = "tests/verification/mutants"
MODULE = "service/limits.py"
SOURCE = "def limit():\n    return 3\n"
TESTS = """
import os
import subprocess
import sys
import time
from pathlib import Path
from service.limits import limit

def test_exists():
    assert limit()

def test_value():
    assert limit() == 3

def test_program():
    subprocess.Popen(["sleep", "60"], start_new_session=True)
    Path("started").touch()
    while limit() > 9:
        time.sleep(1)

def test_in_a_process():
    subprocess.run([sys.executable, "-c", "from service.limits import limit; limit()"], check=True)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Create a project with one module and tests of it."""
    for name in ("plugin.py", "coverage.ini", "__init__.py"):
        target = tmp_path / PACKAGE / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / PACKAGE / name).read_bytes())
    (tmp_path / MODULE).parent.mkdir()
    (tmp_path / MODULE).write_text(SOURCE)
    for package in ("service", "tests", "tests/verification"):
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "tests" / "test_limits.py").write_text(TESTS)
    return tmp_path


def call_as_worker(call: str) -> Any:
    """Return what a function of the runner returns in a process of its own: it ends all children of its process."""
    program = f"""
import json
from pathlib import Path
from tests.verification.mutants.runner import *
adopt_orphans()
print(json.dumps({call}, default=sorted))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def try_mutant(project: Path, mutated: str, *names: str, timeout_s: float = 60) -> tuple[Outcome, str | None]:
    """Run tests over a mutated module."""
    tests = [f"tests/test_limits.py::{name}" for name in names]
    outcome, test = call_as_worker(f"run_mutant(Path({str(project)!r}), {MODULE!r}, {mutated!r}, {tests}, {timeout_s})")
    return Outcome(outcome), test


def test_outcomes(project: Path) -> None:
    mutated = SOURCE.replace("3", "4")
    assert try_mutant(project, mutated, "test_exists") == (Outcome.SURVIVED, None)
    assert try_mutant(project, mutated, "test_exists", "test_value") == (
        Outcome.NOTICED,
        "tests/test_limits.py::test_value",
    )
    example = 'def limit():\n    """\n    >>> limit()\n    3\n    """\n    return 4\n'
    assert try_mutant(project, example, "test_exists") == (Outcome.NOTICED, f"{MODULE}::service.limits.limit")
    assert try_mutant(project, "limit = (", "test_exists") == (Outcome.NOTICED, None)
    assert (project / MODULE).read_text() == SOURCE


def running_in(project: Path) -> list[str]:
    """Return the processes that work in a project, on Linux."""
    return [str(link) for link in Path("/proc").glob("[0-9]*/cwd") if link.exists() and link.resolve() == project]


def test_what_a_mutant_leaves_running_is_ended(project: Path) -> None:
    assert try_mutant(project, SOURCE, "test_program") == (Outcome.SURVIVED, None)
    assert (project / "started").exists()
    assert running_in(project) == []


def test_a_mutant_that_takes_too_long_is_ended(project: Path) -> None:
    assert try_mutant(project, SOURCE.replace("3", "10"), "test_program", timeout_s=2) == (Outcome.TIMED_OUT, None)
    assert running_in(project) == []


def test_measures_which_test_runs_which_line_also_in_programs(project: Path) -> None:
    file = "tests/test_limits.py"
    durations, lines = call_as_worker(f"measure(Path({str(project)!r}), [{file!r}], 1)")
    assert set(durations) == {
        f"{file}::{name}" for name in ("test_exists", "test_value", "test_program", "test_in_a_process")
    }
    assert lines[MODULE]["2"] == sorted(durations)
