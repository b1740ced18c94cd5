"""The paths where `make bench-peers` installs the peers."""

import json
from pathlib import Path

from benchmarks.builds import ROOT

PYTHON = ROOT / ".venv-peers" / "bin" / "python"
FOLDER = Path(__file__).parent / "node"
MODULES = FOLDER / "node_modules"
NODE = MODULES / ".bin" / "node"
"""Locked with the peers, as it affects the figures: boardgame.io is about 1.8 times as fast on Node 26 as on 20."""


class NotInstalled(Exception):
    """A peer is not installed. The message names the command that installs it."""


def require(*paths: Path) -> None:
    """Raise NotInstalled if one of these paths is missing."""
    for path in paths:
        if not path.exists():
            raise NotInstalled(f"{path} is missing: `make bench-peers` installs the peers")


def version_of(package: str) -> str:
    """Return an npm package's installed version."""
    version: str = json.loads((MODULES / package / "package.json").read_bytes())["version"]
    return version
