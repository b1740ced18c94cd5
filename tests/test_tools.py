"""The messages about missing programs, the progress of long steps of `make`, and which tests are the slowest."""

import re
import subprocess
import sys

import pytest

from tests import tools
from tests.tools import CURL, HAPROXY, ROOT, Tool

MISSING = Tool("curl", lambda: None, "apt install curl")


def progress(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a step as the Makefile does."""
    arguments = [sys.executable, str(ROOT / ".ci" / "progress"), "Doing it", *command]
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)


def test_a_missing_program_skips_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "_required", False)
    with pytest.raises(pytest.skip.Exception, match="not installed: curl"):
        tools.require(MISSING)
    assert not tools.is_installed(MISSING)


def test_a_missing_program_fails_a_test_if_all_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "_required", True)
    for check in (tools.require, tools.is_installed):
        with pytest.raises(pytest.fail.Exception, match="not installed: curl; apt install curl"):
            check(MISSING)


def test_the_run_ends_with_a_table_of_missing_programs() -> None:
    reasons = [f"Skipped: {tools.REASON}{tool.name}" for tool in (CURL, HAPROXY, CURL)]
    head, curl, haproxy = tools.summary([*reasons, "Skipped: for another reason"])
    assert head.split() == ["tests", "missing", "install", "with"]
    assert curl.split() == ["2", "curl", "apt", "install", "curl"]
    assert haproxy.split() == ["1", "haproxy", "apt", "install", "haproxy"]


def test_there_is_no_table_without_missing_programs() -> None:
    assert [*tools.summary(["Skipped: for another reason"])] == []


def test_a_short_step_shows_only_its_title() -> None:
    finished = progress(sys.executable, "-c", "print('detail')")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "Doing it\n", "")


def test_a_long_step_shows_the_last_line_of_its_output_every_three_seconds() -> None:
    finished = progress(sys.executable, "-uc", "import time; print('first'); print('second'); time.sleep(3.5)")
    assert finished.stdout == "Doing it\n    3 s  second\n"


def test_a_step_that_fails_shows_all_of_its_output() -> None:
    finished = progress(sys.executable, "-c", "print('why'); raise SystemExit(7)")
    assert finished.returncode == 7
    assert finished.stderr.startswith("why\nThis failed: ")


def report(nodeid: str, duration_s: float) -> pytest.TestReport:
    return pytest.TestReport(nodeid, ("", None, ""), {}, "passed", None, "call", duration=duration_s)


def test_the_slowest_tests_are_those_whose_parts_take_longest() -> None:
    reports = [report("a", 2), report("b", 3), report("a", 2), report("c", 1)]
    assert tools.pick_slowest(reports, 1) == ["a"]
    assert tools.pick_slowest(reports, 2) == ["a", "b"]


def test_the_slowest_tests_exist() -> None:
    named = {tuple(re.split(r"::|\[", nodeid)[:2]) for nodeid in tools.read_slowest()}
    assert len(named) > 50
    gone = [(path, name) for path, name in named if not re.search(rf"\b{name}\b", (ROOT / path).read_text("utf-8"))]
    assert gone == []  # else `make slowest`
