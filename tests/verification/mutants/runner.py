"""Runs tests in a copy of the project, in processes of their own of which none survives."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from importlib.util import cache_from_source
from pathlib import Path

from coverage import Coverage

from service.store.embedded.process import terminate_with_parent
from tests.verification.mutants import plugin
from tests.verification.mutants.coverage_map import Run, read_run

_PR_SET_CHILD_SUBREAPER = 36
CONFIG = "tests/verification/mutants/coverage.ini"


class Outcome(StrEnum):
    """What the tests make of a mutant."""

    NOTICED = "noticed"
    SURVIVED = "survived"
    TIMED_OUT = "timed out"


def adopt_orphans() -> None:
    """Let processes whose parent has ended become children of this one, on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def copy_project(root: Path, directory: Path) -> None:
    """Copy what git tracks or would track, so that a mutated module is never the developer's own."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],  # noqa: S607  make needs git on PATH too
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if os.path.lexists(root / name):
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, directory / name, follow_symlinks=False)
    (directory / "clients" / "node_modules").symlink_to(root / "clients" / "node_modules")


def measure(project: Path, files: Sequence[str], processes: int) -> Run:
    """Run test files and measure which test runs which line."""
    data_file, report = project / ".coverage", project / "report.json"
    variables = {"COVERAGE_PROCESS_START": str(project / CONFIG), "COVERAGE_FILE": str(data_file)}
    _run_pytest(project, ["-n", str(processes), "--dist", "worksteal", *files], report, variables, timeout_s=None)
    if not report.exists():
        sys.exit("pytest could not run the tests: see what `make test` says")
    coverage = Coverage(data_file=str(data_file), config_file=str(project / CONFIG))
    coverage.combine([str(project)])
    coverage.save()
    coverage.get_data().close()
    return read_run(data_file, json.loads(report.read_text()))


def run_mutant(
    project: Path, path: str, mutated: str, tests: Sequence[str], timeout_s: float
) -> tuple[Outcome, str | None]:
    """Run tests over a mutated module, and its examples, until the first fails; return the outcome and what failed."""
    report = project / "report.json"
    report.unlink(missing_ok=True)
    with _replaced(project / path, mutated):
        examples = ["--doctest-modules", path] if ">>> " in mutated else []
        exit_code = _run_pytest(project, ["-n", "0", "-x", *examples, *tests], report, {}, timeout_s)
    if exit_code is None:
        return Outcome.TIMED_OUT, None
    if exit_code == 0:
        return Outcome.SURVIVED, None
    outcomes = json.loads(report.read_text()) if report.exists() else {}
    return Outcome.NOTICED, next((test for test, duration in outcomes.items() if duration is None), None)


_project = Path()
"""A worker's own copy."""


def set_up_worker(root: Path, directory: Path) -> None:
    """Give a process of a pool its own copy of the project."""
    global _project  # noqa: PLW0603  one worker, one copy
    adopt_orphans()
    _project = directory / str(os.getpid())
    copy_project(root, _project)


def run_in_worker(path: str, mutated: str, tests: Sequence[str], timeout_s: float) -> tuple[Outcome, str | None]:
    """Run a mutant in the worker's copy."""
    return run_mutant(_project, path, mutated, tests, timeout_s)


@contextmanager
def _replaced(file: Path, content: str) -> Iterator[None]:
    """Replace a module; its bytecode would seem current, because times count in seconds there."""
    original, bytecode = file.read_text(), Path(cache_from_source(str(file)))
    try:
        file.write_text(content)
        bytecode.unlink(missing_ok=True)
        yield
    finally:
        file.write_text(original)
        bytecode.unlink(missing_ok=True)


def _run_pytest(
    project: Path, arguments: Sequence[str], report: Path, variables: Mapping[str, str], timeout_s: float | None
) -> int | None:
    """Run pytest and return its exit code; None if it took too long."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-p", plugin.__name__, "-p", "no:cacheprovider", *arguments],
        cwd=project,
        env={
            **os.environ,
            "PYTHONPATH": str(project),  # programs that are installed, such as south-seas, import the copy
            "PYTEST_CURRENT_TEST": "",  # of a test that runs this
            plugin.REPORT: str(report),
            **variables,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=terminate_with_parent(os.getpid()),  # noqa: PLW1509  two system calls, no lock that a thread could hold
    )
    try:
        return process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _kill_children()


def _kill_children() -> None:
    """End what tests have started and left behind, and what that has started."""
    while children := [
        int(child) for file in Path("/proc/self/task").glob("*/children") for child in file.read_text().split()
    ]:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
