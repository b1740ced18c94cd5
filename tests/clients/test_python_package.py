"""The Python client's package: built, installed beside nothing but what it requires, and played with."""

import re
import shutil
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from tests.programs import run_program
from tests.tools import run

PACKAGE = Path(__file__).parents[2] / "clients" / "python"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution of a copy, and a wheel from that alone."""
    folder = tmp_path_factory.mktemp("package")
    source = shutil.copytree(PACKAGE, folder / "source", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    build_sdist = "from setuptools.build_meta import build_sdist; build_sdist('..')"
    run(sys.executable, "-c", build_sdist, cwd=source)
    (sdist,) = folder.glob("south_seas-*.tar.gz")
    pip_wheel = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation"]
    run(*pip_wheel, "--wheel-dir", folder, sdist)
    (built,) = folder.glob("south_seas-*-py3-none-any.whl")
    return built


def requirements(distribution: metadata.Distribution) -> Iterator[metadata.Distribution]:
    """Return the distributions that one requires, and what these require."""
    for requirement in map(Requirement, distribution.requires or ()):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            required = metadata.distribution(requirement.name)
            assert requirement.specifier.contains(required.version), requirement
            yield required
            yield from requirements(required)


@pytest.fixture
def python(wheel: Path, tmp_path: Path) -> Path:
    """Return the interpreter of an environment with the wheel, and with links to exactly what it requires."""
    venv.create(tmp_path / "environment", with_pip=False)
    executable = tmp_path / "environment" / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", executable, "install", "--no-deps", "--no-index", wheel)
    base = str(tmp_path / "environment")
    site = Path(sysconfig.get_path("purelib", "venv", {"base": base, "platbase": base}))
    (installed,) = metadata.distributions(path=[str(site)])
    for distribution in requirements(installed):
        for name in {file.parts[0] for file in distribution.files or ()} - {".."}:
            if not (site / name).exists():
                (site / name).symlink_to(Path(str(distribution.locate_file(name))))
    return executable


async def test_the_wheel_plays_the_game_of_the_readme(python: Path, service_url: str, tmp_path: Path) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", (PACKAGE / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(program.splitlines()) == 20
    (tmp_path / "game.py").write_text(program.replace("http://127.0.0.1:8080", service_url))
    flags = ("-I", "-X", "dev", "-W", "error")
    player = await run_program(python, *flags, "game.py", cwd=tmp_path, timeout_s=100)
    errors = re.sub(r"^Executing .* took .* seconds\n", "", player.stderr, flags=re.MULTILINE)  # on a busy machine
    assert (player.returncode, errors) == (0, "")
    assert re.fullmatch(r"(last_tile|last_ship|bag_exhausted) \[\d+, \d+\]\n", player.stdout)


def test_the_wheel_contains_the_package_alone(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    modules = {f"south_seas/{path.name}" for path in (PACKAGE / "src" / "south_seas").glob("*.py")}
    assert {name for name in names if ".dist-info/" not in name} == {*modules, "south_seas/py.typed"}
    assert any(name.endswith("/licenses/LICENSE") for name in names)


def test_it_requires_two_packages() -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    assert {Requirement(line).name for line in project["dependencies"]} == {"aiohttp", "msgspec"}
