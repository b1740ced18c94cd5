"""The peers are installed as they were measured: every version fixed, nothing of where they came from."""

import json
import re
from pathlib import Path

import pytest

PEERS = Path(__file__).parents[3] / "benchmarks" / "peers"
VERSION = re.compile(r"\d+\.\d+\.\d+")


def test_npm_packages_are_pinned_and_locked() -> None:
    requested = json.loads((PEERS / "node" / "package.json").read_bytes())
    locked = json.loads((PEERS / "node" / "package-lock.json").read_bytes())["packages"]
    for kind in ("dependencies", "optionalDependencies"):
        for name, version in requested[kind].items():
            assert VERSION.fullmatch(version)
            assert locked[f"node_modules/{name}"]["version"] == version
    assert not any("resolved" in package for package in locked.values())


@pytest.mark.parametrize("name", ("catanatron", "open_spiel"))
def test_python_packages_are_pinned_and_locked(name: str) -> None:
    [version] = re.findall(rf"^{name}==(\S+)$", (PEERS / "requirements.in").read_text(), re.MULTILINE)
    locked = (PEERS / "requirements.lock").read_text()
    assert re.search(rf"^{name.replace('_', '-')}=={re.escape(version)} \\\n    --hash=sha256:", locked, re.MULTILINE)
    assert "://" not in locked
