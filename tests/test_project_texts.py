"""ARCHITECTURE.md, CONTRIBUTING.md and README.md name what exists, and the release is told everywhere alike."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name

import pytest

from service import release
from service.release import REVISION, VERSION
from service.store.game_store import RedisStore
from tests.tools import CURL, ROOT, require, run_program
from tests.web.app_server import serve

TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_every_package_room_and_function_exists() -> None:
    names = re.findall(r"`((?:service|schemas|engine|games|web|telemetry|store)(?:\.\w+)+)`", TEXT)
    full = {name if name.startswith(("service", "schemas")) else f"service.{name}" for name in names}
    assert len(full) > 30
    for name in full:
        assert resolve_name(name) is not None


def test_rooms_that_the_table_names_exist() -> None:
    rooms = {
        f"{package}.{room}"
        for package, holds in re.findall(r"^\| `(service\.\w+)` \|([^|]*)\|", TEXT, re.MULTILINE)
        for room in re.findall(r"`([a-z_]+)`", holds)
    }
    assert len(rooms) > 30
    assert [room for room in rooms if find_spec(room) is None and room not in DATA] == []


DATA = {"service.web.static", "service.store.scripts"}
"""Folders without code."""


CONTRIBUTING_TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_files_exist() -> None:
    paths = re.findall(r"(?<![\w/])((?:schemas|service|tests|docs|clients|k8s|\.ci)/[\w./-]+)", CONTRIBUTING_TEXT)
    paths = [path.rstrip(".") for path in paths if "NAME" not in path and "_..." not in path]
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_modules_that_are_run_exist() -> None:
    modules = re.findall(r"python -m ((?:service|tests|benchmarks)[\w.]*)", CONTRIBUTING_TEXT)
    paths = [ROOT.joinpath(*module.split(".")) for module in modules]
    assert [path for path in paths if not (path.with_suffix(".py").exists() or (path / "__main__.py").exists())] == []


def test_constants_are_defined_where_it_says() -> None:
    named = re.findall(r"`([A-Z_]{4,})` (?:of|in) `((?:service|tests)/[\w/]+\.py)`", CONTRIBUTING_TEXT)
    assert {name for name, _ in named} >= {"RULES", "SCHEMA_VERSION", "CHANGES_BY_EVENT"}
    for name, path in named:
        assert re.search(rf"^{name}\b", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), name


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", CONTRIBUTING_TEXT)) <= targets


README = (ROOT / "README.md").read_text(encoding="utf-8")
MAX_LINES = 130


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MAX_LINES


async def test_its_example_plays_a_move_and_draws_the_board(service_url: str, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    require(CURL)
    (tmp_path / ".venv").symlink_to(Path(sys.prefix))
    script = "set -e\n" + "".join(blocks).replace("http://127.0.0.1:8080", service_url)
    environment = {"PATH": os.environ["PATH"]}
    shell = await run_program("sh", "-c", script, cwd=tmp_path, env=environment)
    assert shell.returncode == 0, shell.stderr
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
    assert '"type": "tile_placed"' in shell.stdout
    assert '"language": "fr"' in shell.stdout


def git(*arguments: str, directory: Path = ROOT) -> str:
    """Run git, and return what it prints."""
    command = ("git", "-C", str(directory), *arguments)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_checkout_has_the_revision_of_its_commit() -> None:
    assert git("rev-parse", "HEAD") == REVISION


def test_a_directory_without_git_has_none_in_any_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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
