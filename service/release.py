"""Which release runs: its version, and the revision of the sources that it was built from."""

import subprocess
from importlib.metadata import version
from pathlib import Path

_FILE = Path(__file__).with_name("revision.txt")
"""Written by setup.py into a wheel; a checkout has none."""


def _read_revision() -> str:
    """Return the commit of the wheel or of the checkout; `unknown` where neither says it."""
    root = _FILE.parents[1]
    if _FILE.exists():
        return _FILE.read_text().strip()
    if not (root / ".git").exists():  # else git would name a repository around the one that this is installed in
        return "unknown"
    try:
        command = ("git", "-C", str(root), "rev-parse", "HEAD")
        printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=5)  # noqa: S603  no input
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return printed.stdout.strip()


VERSION = version("south-seas-service")
REVISION = _read_revision()
