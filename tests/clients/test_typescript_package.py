"""The TypeScript client's package: built, installed in an empty project, and played with."""

import os
import re
import shutil
from pathlib import Path
from tarfile import open as open_tar

import pytest

from tests.clients.conftest import CLIENTS
from tests.clients.test_typescript import run
from tests.tools import ROOT, SCRIPTS
from tests.tools import run as run_program

PACKAGE = CLIENTS / "typescript"
COMPILER = CLIENTS / "node_modules" / "typescript" / "bin" / "tsc"
OPTIONS = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--module", "nodenext")


def run_npm(node: str, *arguments: str | Path, cwd: Path) -> None:
    """Run npm, of the development environment as in `make`."""
    path = os.pathsep.join((str(Path(node).parent), os.environ["PATH"]))
    run_program(SCRIPTS / "npm", *arguments, cwd=cwd, environment={"PATH": path})


@pytest.fixture(scope="module")
def tarball(node: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the package as `npm pack` does."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(PACKAGE, folder / "typescript", ignore=shutil.ignore_patterns("dist"))
    (folder / "node_modules").symlink_to(CLIENTS / "node_modules")
    run_npm(node, "pack", "--pack-destination", folder, cwd=folder / "typescript")
    (built,) = folder.glob("south-seas-client-*.tgz")
    return built


PAGES = {page.stem: page.read_text() for page in (PACKAGE / "README.md", ROOT / "docs" / "first-game.md")}


@pytest.mark.parametrize("page", PAGES)
async def test_the_package_plays_the_game_of_the_readme(
    page: str, node: str, tarball: Path, service_url: str, tmp_path: Path
) -> None:
    program = re.search(r"^```ts(?: tab)?\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)
    assert program is not None
    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text('{"type": "module"}')
    run_npm(node, "install", "--offline", "--no-audit", "--no-fund", tarball, cwd=project)
    (project / "game.ts").write_text(program[1].replace("http://127.0.0.1:8080", service_url))
    await run([node, COMPILER, *OPTIONS, "game.ts"], project)
    output = await run([node, "--experimental-websocket", "game.js"], project)
    assert re.fullmatch(r"(last_tile|last_ship|bag_exhausted) \[ \d+, \d+ \]\n", output)


def test_the_package_contains_what_it_should(tarball: Path) -> None:
    modules = {path.stem for path in (PACKAGE / "src").glob("*.ts")}
    built = {f"dist/{module}{ending}" for module in modules for ending in (".js", ".d.ts", ".js.map")}
    documents = {"package.json", "README.md", "LICENSE"}
    with open_tar(tarball) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    assert names == built | documents | {f"src/{module}.ts" for module in modules}
