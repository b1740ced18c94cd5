"""The sources of other releases, for a rolling update from them to this tree, and back.

Until two releases differ in their schema, copies of this tree stand for three that do, as docs/releasing.md has it:
what each reads and writes is changed, and a field is added whose loss the later two notice.
"""

import subprocess
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from shutil import copytree, ignore_patterns

from tests.tools import ROOT

__all__ = ["TRIAL", "list_releases", "make_trial_releases"]

TRIAL = "trial"
PACKAGES = ("service", "schemas")

GAME, SETUP = "service/engine/game.py", "service/engine/setup.py"

EXPANDED = {
    GAME: {
        "READABLE_SCHEMA = 1\n": "READABLE_SCHEMA = 2\n",
        "    @property\n    def decider": "    trial: int = 0\n\n    @property\n    def decider",
        "    game.schema_version = max(game.schema_version, SCHEMA_VERSION)\n": (
            "    if game.schema_version > 1 and game.trial != 7:\n"
            "        raise msgspec.DecodeError('a release has lost a field')\n"
            "    game.schema_version = max(game.schema_version, SCHEMA_VERSION)\n"
            "    game.trial = 7 if game.schema_version > 1 else 0\n"
        ),
    },
    SETUP: {
        "schema_version=SCHEMA_VERSION,": "schema_version=SCHEMA_VERSION, trial=7 if SCHEMA_VERSION > 1 else 0,",
    },
}
"""What the release does that reads the new schema, and writes the former, by file: text and its replacement."""

CONTRACTED = {GAME: {"\nSCHEMA_VERSION = 1\n": "\nSCHEMA_VERSION = 2\n"}}
"""And what the next one does in addition, which writes the new schema."""


def list_releases(former: str, directory: Path) -> list[Path]:
    """Return the sources that the instances run one after the other: updates, and each rolled back once."""
    if former == TRIAL:
        old, expanded, contracted = make_trial_releases(directory)
        return [old, expanded, old, expanded, contracted, expanded, contracted]
    old = _load_release(former, directory)
    return [old, ROOT, old, ROOT]


def make_trial_releases(directory: Path) -> tuple[Path, Path, Path]:
    """Return the sources of a release, of the next one, which reads a new schema, and of one that writes it."""
    expanded = _copy(directory / "expanded", EXPANDED)
    return ROOT, expanded, _copy(directory / "contracted", EXPANDED, CONTRACTED)


def _copy(release: Path, *changes: Mapping[str, Mapping[str, str]]) -> Path:
    """Copy this tree's packages, and change them."""
    for package in PACKAGES:
        copytree(ROOT / package, release / package, ignore=ignore_patterns("__pycache__"))
    for change in changes:
        for name, replacements in change.items():
            text = (release / name).read_text(encoding="utf-8")
            for old, new in replacements.items():
                if text.count(old) != 1:
                    raise ValueError(f"{name} does not have this once: {old!r}")
                text = text.replace(old, new)
            (release / name).write_text(text, encoding="utf-8")
    return release


def _load_release(name: str, directory: Path) -> Path:
    """Return the sources of a release: a directory, those of a wheel, or of a revision of this repository.

    Raises ValueError. It runs with the dependencies of this checkout.
    """
    path = Path(name)
    if path.is_dir():
        return path.resolve()
    release = directory / (path.stem if path.exists() else name.replace("/", "-"))
    archive = path if path.exists() else BytesIO(_git("archive", "--format=zip", name, *PACKAGES))
    with zipfile.ZipFile(archive) as files:
        files.extractall(release)
    if path.exists():
        return release
    (release / "service" / "revision.txt").write_bytes(_git("rev-parse", f"{name}^{{commit}}"))
    return release


def _git(*arguments: str) -> bytes:
    command = ("git", "-C", str(ROOT), *arguments)
    finished = subprocess.run(command, capture_output=True, check=False)
    if finished.returncode:
        raise ValueError(f"git {arguments[0]}: {finished.stderr.decode().strip()}")
    return finished.stdout
