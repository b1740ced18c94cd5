"""Which build of the engine a process imports."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import builds
from benchmarks.builds import COMPILED, PURE, environments

PRINT_BUILD = "from benchmarks.builds import current_build; print(current_build())"


def test_each_build_that_there_is_gets_the_process_that_it_is_for() -> None:
    for build, environment in environments().items():
        received = subprocess.run(
            (sys.executable, "-c", PRINT_BUILD), env=environment, capture_output=True, text=True, check=True
        )
        assert received.stdout.strip() == build


def test_a_build_of_other_sources_is_not_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(builds, "ROOT", tmp_path)
    for place in (tmp_path, tmp_path / "build" / "compiled"):
        (place / "service" / "web").mkdir(parents=True)
        (place / "service" / "web" / "app.py").write_text("ONE = 1\n")
    assert [*environments()] == [PURE, COMPILED]
    (tmp_path / "service" / "web" / "app.py").write_text("ONE = 2\n")
    assert [*environments()] == [PURE]
