"""The Python client's package: built, installed beside nothing but what it requires, and played with.

Every operation has code samples, which the clients' types accept.
"""

import json
import re
import shutil
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path
from textwrap import indent
from typing import Any
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from service.web.assembly import ROUTES
from tests.clients.conftest import CLIENTS
from tests.tools import ROOT, run, run_program
from tools.openapi.code_samples import CALLS

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


OPERATIONS: dict[str, Any] = {
    operation["operationId"]: operation
    for item in json.loads(resources.files("schemas").joinpath("openapi.json").read_bytes())["paths"].values()
    for operation in item.values()
}


def samples(label: str) -> list[str]:
    """Return all samples with a label."""
    every = [sample for operation in OPERATIONS.values() for sample in operation["x-codeSamples"]]
    return [sample["source"] for sample in every if sample["label"] == label]


def test_every_operation_has_samples() -> None:
    assert set(CALLS) == {route.operation_id for route in ROUTES if route.path.startswith("/v1/")}
    for name, operation in OPERATIONS.items():
        labels = [sample["label"] for sample in operation["x-codeSamples"]]
        assert labels == (["curl", "Python", "TypeScript"] if name in CALLS else ["curl"]), name


async def test_python_samples_have_the_clients_types(tmp_path: Path) -> None:
    program = tmp_path / "samples.py"
    functions = [
        f"async def sample_{number}(token: str, api_key: str) -> None:\n{indent(source, '    ')}\n"
        for number, source in enumerate(samples("Python"))
    ]
    program.write_text("\n".join(functions))
    checked = await run_program(sys.executable, "-m", "mypy", "--config-file=", program, cwd=ROOT, timeout_s=110)
    assert checked.returncode == 0, checked.stdout


async def test_typescript_samples_have_the_clients_types(node: str, tmp_path: Path) -> None:
    imports = (
        'import { ApiKeyClient, SouthSeas } from "south-seas-client";\ndeclare const token: string, apiKey: string;\n'
    )
    bodies = [source.partition("\n\n")[2] for source in samples("TypeScript")]
    file = tmp_path / "samples.ts"
    file.write_text(imports + "\n".join(f"{{\n{body}\n}}" for body in bodies) + "\nexport {};\n")
    config = {
        "compilerOptions": {
            "module": "esnext",
            "target": "es2022",
            "moduleResolution": "bundler",
            "strict": True,
            "noEmit": True,
            "lib": ["es2023", "dom", "dom.iterable"],
            "types": [],
            "skipLibCheck": True,
            "allowImportingTsExtensions": True,
            "paths": {"south-seas-client": [str(CLIENTS / "typescript" / "src" / "index.ts")]},
        },
        "files": [str(file)],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    compiler = CLIENTS / "node_modules/typescript/bin/tsc"
    checked = await run_program(node, compiler, "-p", tmp_path, cwd=CLIENTS / "typescript", timeout_s=110)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("source", samples("curl"))
def test_a_curl_sample_is_complete(source: str) -> None:
    assert "{" not in source.partition("-d ")[0]
    assert source.startswith("curl ")
