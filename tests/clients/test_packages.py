"""The packages of both clients are installed as their pages say, and play."""

import asyncio
import json
import os
import re
import shutil
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import metadata
from io import BytesIO
from itertools import cycle
from pathlib import Path
from subprocess import PIPE
from tarfile import open as open_tar
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from service.web.responses import list_files
from service.web.routes.page import CLIENTS as CLIENT_PACKAGES
from south_seas import Client
from tests.clients.conftest import CLIENTS
from tests.clients.node_programs import COMPILER, OPTIONS, run
from tests.tcp_proxy import run_proxy
from tests.tools import ROOT, SCRIPTS, run_program
from tests.tools import run as run_tool

PACKAGE, PYTHON_PACKAGE = CLIENTS / "typescript", CLIENTS / "python"
TIMEOUT_S = 100
NOWHERE = "http://127.0.0.1:9"


def run_npm(node: str, *arguments: str | Path, cwd: Path) -> None:
    """Run npm, of the development environment as in `make`."""
    path = os.pathsep.join((str(Path(node).parent), os.environ["PATH"]))
    run_tool(SCRIPTS / "npm", *arguments, cwd=cwd, environment={"PATH": path})


PACKAGES = list_files(CLIENT_PACKAGES)
"""What the service serves at /clients/."""


def package(ending: str) -> str:
    """Return the name of the package with this file name ending, and check that all texts on installing it have it."""
    (name,) = [name for name in PACKAGES if name.endswith(ending)]
    for page in (ROOT / "docs" / "clients.md", (PACKAGE if ending == ".tgz" else PYTHON_PACKAGE) / "README.md"):
        assert f" http://127.0.0.1:8080/clients/{name}\n" in page.read_text(), page
    assert f" http://127.0.0.1:8080/clients/{name}`" in (ROOT / "docs" / "index.md").read_text()
    assert f" http://127.0.0.1:8080/clients/{name}<" in PACKAGES["index.html"].read_text()
    return name


def install(node: str, service_url: str, folder: Path) -> Path:
    """Install the TypeScript client's package, as the service offers it, in a new project; return its folder."""
    project = folder / "project"
    project.mkdir()
    (project / "package.json").write_text("{}")  # CommonJS, as `npm init` makes it
    run_npm(node, "install", "--no-audit", "--no-fund", f"{service_url}/clients/{package('.tgz')}", cwd=project)
    return project


async def use_phone(command: Sequence[str | Path], pressed: dict[str, str], last: str, count: int) -> str:
    """Run the app until it has printed so many lines of a kind, or the game is over; return the last line's kind.

    What its player presses is added to `pressed`, by its key.
    """
    app = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
    assert app.stdout is not None
    kind = ""
    try:
        while count > 0 and kind != "over:":
            kind, *rest = (await asyncio.wait_for(app.stdout.readline(), TIMEOUT_S)).decode().split()
            assert kind != "refused:", rest
            pressed.update({rest[0]: rest[1]} if kind == "pressed" else {})
            count -= kind == last
    finally:
        with suppress(ProcessLookupError):
            app.kill()
        await app.wait()
    return kind


async def test_a_killed_phone_app_plays_each_move_once(node: str, service_url: str, tmp_path: Path) -> None:
    project = install(node, service_url, tmp_path)
    program = shutil.copy(ROOT / "examples" / "phone_app.mts", project)
    types = ("--noEmit", "--types", "node", "--typeRoots", CLIENTS / "node_modules" / "@types")
    await run([node, COMPILER, *OPTIONS, *types, program], project)
    pressed, pressed_offline = dict[str, str](), 0
    async with run_proxy(service_url) as road:
        use = partial(use_phone, (node, program, road.url, project / "phone"), pressed)
        lines = cycle(("pressed", "played"))  # before and after the answer
        while await use(next(lines), 8) != "over:":
            road.target = NOWHERE
            road.cut()
            before = len(pressed)
            for _ in range(2):
                await use("waiting:", 3)  # the last after a pause, in which the player has pressed
            pressed_offline += len(pressed) - before
            road.target = service_url
    async with Client(service_url) as client:
        game = json.loads((project / "phone" / "created.json").read_bytes())["game"]["id"]
        log = [diff async for diff in client.log(game)]
    assert [diff["move"] for diff in log if (diff["seat"], diff["by"]) == (0, "seat")] == [*pressed.values()]
    assert pressed_offline > 0


PAGES = {page.stem: page.read_text() for page in (PACKAGE / "README.md", ROOT / "docs" / "first-game.md")}


@pytest.mark.parametrize("page", PAGES)
async def test_the_package_plays_the_game_of_the_readme(page: str, node: str, service_url: str, tmp_path: Path) -> None:
    program = re.search(r"^```ts(?: tab)?\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)
    assert program is not None
    project = install(node, service_url, tmp_path)
    (project / "game.mts").write_text(program[1].replace("http://127.0.0.1:8080", service_url))
    await run([node, COMPILER, *OPTIONS, "--noEmit", "game.mts"], project)
    output = await run([node, "game.mts"], project)
    assert re.fullmatch(r"(last_tile|last_ship|bag_exhausted) \[ \d+, \d+ \]\n", output)


async def test_the_package_is_loaded_with_require(node: str, service_url: str, tmp_path: Path) -> None:
    program = 'console.log(new (require("south-seas-client").SouthSeas)({ url: "http://127.0.0.1" }).clock !== null)'
    project = install(node, service_url, tmp_path)
    assert await run([node, "--input-type=commonjs", "-e", program], project) == "true\n"


def test_the_package_contains_what_it_should() -> None:
    modules = {path.stem for path in (PACKAGE / "src").glob("*.ts")}
    built = {f"dist/{module}{ending}" for module in modules for ending in (".js", ".d.ts")}
    documents = {"package.json", "README.md", "LICENSE"}
    with open_tar(fileobj=BytesIO(PACKAGES[package(".tgz")].read_bytes())) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    assert names == built | documents | {f"src/{module}.ts" for module in modules}


def requirements(distribution: metadata.Distribution) -> Iterator[metadata.Distribution]:
    """Return the distributions that one requires, and what these require."""
    for requirement in map(Requirement, distribution.requires or ()):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            required = metadata.distribution(requirement.name)
            assert requirement.specifier.contains(required.version), requirement
            yield required
            yield from requirements(required)


@pytest.fixture
def python(service_url: str, tmp_path: Path) -> Path:
    """Return the interpreter of an environment with the wheel, and with links to exactly what it requires."""
    venv.create(tmp_path / "environment", with_pip=False)
    executable = tmp_path / "environment" / "bin" / "python"
    wheel = f"{service_url}/clients/{package('.whl')}"
    run_tool(sys.executable, "-m", "pip", "--python", executable, "install", "--no-deps", wheel)
    base = str(tmp_path / "environment")
    site = Path(sysconfig.get_path("purelib", "venv", {"base": base, "platbase": base}))
    (installed,) = metadata.distributions(path=[str(site)])
    for distribution in requirements(installed):
        for name in {file.parts[0] for file in distribution.files or ()} - {".."}:
            if not (site / name).exists():
                (site / name).symlink_to(Path(str(distribution.locate_file(name))))
    return executable


async def test_the_wheel_plays_the_game_of_the_readme(python: Path, service_url: str, tmp_path: Path) -> None:
    (program,) = re.findall(
        r"^```python\n(.*?)^```$", (PYTHON_PACKAGE / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert len(program.splitlines()) == 20
    (tmp_path / "game.py").write_text(program.replace("http://127.0.0.1:8080", service_url))
    flags = ("-I", "-X", "dev", "-W", "error")
    player = await run_program(python, *flags, "game.py", cwd=tmp_path)
    errors = re.sub(r"^Executing .* took .* seconds\n", "", player.stderr, flags=re.MULTILINE)  # on a busy machine
    assert (player.returncode, errors) == (0, "")
    assert re.fullmatch(r"(last_tile|last_ship|bag_exhausted) \[\d+, \d+\]\n", player.stdout)


async def test_the_served_examples_run_beside_the_wheel(python: Path, service_url: str, tmp_path: Path) -> None:
    (name,) = [name for name in PACKAGES if name.endswith(".zip")]
    assert f" http://127.0.0.1:8080/clients/{name}\n" in (ROOT / "examples" / "README.md").read_text()
    await run([python, "-m", "zipfile", "-e", str(PACKAGES[name]), "."], tmp_path)
    pages = (ROOT / "examples" / "README.md", ROOT / "docs" / "assistants.md")
    commands = {one for page in pages for one in re.findall(r"\bpython (.*\bexamples[./\w]+\w)", page.read_text())}
    assert len(commands) == 6
    for command in commands:
        ended = await run_program(python, *command.split(), "--help", cwd=tmp_path)
        assert "usage: " in ended.stdout.lower() or "pip install " in ended.stderr, (command, ended)
        assert "'examples'" not in ended.stderr, command
    assert "each seen once and in order" in await run([python, "-m", "examples.four_bots", service_url], tmp_path)


def test_the_wheel_contains_the_package_alone() -> None:
    names = set(ZipFile(BytesIO(PACKAGES[package(".whl")].read_bytes())).namelist())
    modules = {f"south_seas/{path.name}" for path in (PYTHON_PACKAGE / "src" / "south_seas").glob("*.py")}
    assert {name for name in names if ".dist-info/" not in name} == {*modules, "south_seas/py.typed"}
    assert any(name.endswith("/licenses/LICENSE") for name in names)


def test_it_requires_two_packages() -> None:
    project = tomllib.loads((PYTHON_PACKAGE / "pyproject.toml").read_text())["project"]
    assert {Requirement(line).name for line in project["dependencies"]} == {"aiohttp", "msgspec"}
