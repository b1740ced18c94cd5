"""Bots are loaded from entry points; a faulty one is rejected by name."""

import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from service.games.bots import random
from service.games.bots.registry import ENTRY_POINT_GROUP, InvalidBot, load_bot, load_bots
from tests.games.bots.bot_games import play_to_end, start_game

HERE = "tests.games.bots.fake_bots"
EXAMPLE = Path(__file__).parents[3] / "examples" / "bots" / "magpie"


def install(directory: Path, name: str, source: str) -> None:
    """Write the metadata of an installed package with a bot."""
    metadata = directory / f"bots_{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: bots-{name}\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\n{name} = {source}\n", encoding="utf-8")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory whose packages count as installed."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_the_built_in_bots_are_loaded_by_name() -> None:
    assert [loaded.bot.name for loaded in load_bots(plugins=False)] == ["expert", "greedy", "random"]
    assert [loaded.info.heavy for loaded in load_bots(plugins=False)] == [True, False, False]


def test_a_package_adds_a_bot(installed: Path) -> None:
    install(installed, "first", f"{HERE}:FIRST")
    assert [loaded.bot.name for loaded in load_bots(plugins=True)] == ["expert", "first", "greedy", "random"]
    assert "first" not in [loaded.bot.name for loaded in load_bots(plugins=False)]


def test_a_package_cannot_reuse_a_name(installed: Path) -> None:
    install(installed, "greedy", f"{HERE}:FIRST")
    with pytest.raises(InvalidBot, match="has this name too"):
        load_bots(plugins=True)


@pytest.mark.parametrize(
    ("name", "source", "reason"),
    (
        ("absent", "tests.games.bots.absent:BOT", "ModuleNotFoundError"),
        ("absent", f"{HERE}:ABSENT", "AttributeError"),
        ("nameless", f"{HERE}:NAMELESS", "name"),
        ("renamed", f"{HERE}:RENAMED", "has the name another"),
        ("versionless", f"{HERE}:VERSIONLESS", "version"),
        ("speechless", f"{HERE}:SPEECHLESS", "no method"),
    ),
)
def test_a_faulty_bot_is_rejected_by_name(name: str, source: str, reason: str) -> None:
    with pytest.raises(InvalidBot, match=reason) as raised:
        load_bot(name, source)
    assert str(raised.value).startswith(f"bot {name} ({source}): ")


def test_the_example_is_loaded_from_its_metadata_and_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    shutil.copytree(EXAMPLE, source)
    options = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation")
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", target, source], check=True)
    monkeypatch.syspath_prepend(str(target))
    assert [offered.name for offered in entry_points(group=ENTRY_POINT_GROUP)] == ["magpie"]
    magpie = next(loaded for loaded in load_bots(plugins=True) if loaded.bot.name == "magpie")
    service, others = play_to_end(start_game("glitter"), [magpie.bot, random.BOT])
    assert service > 2 * others
    sys.modules.pop("south_seas_magpie")


def test_the_documentation_shows_the_example_unchanged() -> None:
    page = (EXAMPLE.parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
    assert (EXAMPLE / "south_seas_magpie.py").read_text(encoding="utf-8") in page
