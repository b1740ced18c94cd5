"""What says which release runs: a checkout's commit, that of a wheel, the index, and the command."""

import subprocess
import sys
from pathlib import Path

import pytest

from service import release
from service.release import REVISION, VERSION
from service.store.game_store import RedisStore
from tests.tools import ROOT
from tests.web.app_server import serve


def git(*arguments: str, directory: Path = ROOT) -> str:
    """Run git, and return what it prints."""
    command = ("git", "-C", str(directory), *arguments)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_checkout_has_the_revision_of_its_commit() -> None:
    assert git("rev-parse", "HEAD") == REVISION


def test_a_directory_without_git_has_none_even_inside_another_repository(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    git("init", directory=tmp_path)
    monkeypatch.setattr(release, "_FILE", tmp_path / "site-packages" / "service" / "revision.txt")
    assert release._read_revision() == "unknown"
    monkeypatch.setattr(release, "_FILE", tmp_path / "service" / "revision.txt")
    assert release._read_revision() == "unknown"  # it has no commit yet


@pytest.mark.parametrize("named", (None, "0123abc"))
def test_a_build_has_the_revision_that_it_is_given_or_gits(
    named: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if named is not None:
        monkeypatch.setenv("SOUTH_SEAS_REVISION", named)
    command = (sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", str(tmp_path))
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    monkeypatch.setattr(release, "_FILE", tmp_path / "service" / "revision.txt")
    assert release._read_revision() == (named or REVISION)


def test_the_command_names_both() -> None:
    command = (sys.executable, "-m", "service.main", "--version")
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert printed.startswith(f"south-seas {VERSION} (revision {REVISION}")


async def test_the_index_names_both(store: RedisStore) -> None:
    async with serve(store) as session, session.get("/") as response:
        index = await response.json()
    assert (index["version"], index["revision"]) == (VERSION, REVISION)
