"""Lock files alone say what is installed: no later release of a dependency changes or breaks an installation."""

import hashlib
import re
import sys
import zipfile
from pathlib import Path

import pytest

from tests.tools import ROOT, run

INSTALLATION = re.compile(r"\binstall [^|&]*?-r ")


def _variable(name: str) -> list[str]:
    """Return the words of a variable of the Makefile."""
    values = re.findall(rf"^{name} := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert len(values) == 1
    return str(values[0]).split()


def _make_wheel(directory: Path, name: str, version: str, *metadata: str) -> str:
    """Write a wheel without modules, and return the line of a lock file that pins it."""
    path = directory / f"{name}-{version}-py3-none-any.whl"
    information = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, lines in (
            ("METADATA", ("Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *metadata)),
            ("WHEEL", ("Wheel-Version: 1.0", "Generator: tests", "Root-Is-Purelib: true", "Tag: py3-none-any")),
            ("RECORD", ()),
        ):
            wheel.writestr(f"{information}/{file}", "".join(f"{line}\n" for line in lines))
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


def test_a_later_release_of_a_dependency_changes_nothing(tmp_path: Path) -> None:
    """Pip before 23.3 fails if a package asks for an extra of another that has a newer release, whatever is locked."""
    extra = ("Provides-Extra: toml",)
    lock = tmp_path / "lock"
    lock.write_text(
        _make_wheel(tmp_path, "dependency", "1.0", *extra)
        + _make_wheel(tmp_path, "plugin", "1.0", "Requires-Dist: dependency[toml]>=1.0")
    )
    _make_wheel(tmp_path, "dependency", "1.1", *extra)
    pip = (sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "install", *_variable("LOCKED"))
    target = tmp_path / "installed"
    run(*pip, "--no-index", "--find-links", str(tmp_path), "--target", str(target), "-r", str(lock))
    assert sorted(path.name for path in target.iterdir()) == ["dependency-1.0.dist-info", "plugin-1.0.dist-info"]


@pytest.mark.parametrize(
    ("file", "options", "count"), (("Makefile", "$(LOCKED)", 7), ("Dockerfile", "--no-deps --require-hashes", 2))
)
def test_every_lock_file_is_installed_so(file: str, options: str, count: int) -> None:
    installations = INSTALLATION.findall((ROOT / file).read_text().replace("\\\n", " "))
    assert [one for one in installations if f" {options} " in one] == installations
    assert len(installations) == count
