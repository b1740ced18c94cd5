"""The TypeScript client under Node, the packages of both clients, and the code samples of every operation."""

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
from importlib import metadata, resources
from io import BytesIO
from itertools import cycle
from pathlib import Path
from subprocess import PIPE
from tarfile import open as open_tar
from typing import Any
from zipfile import ZipFile

import msgspec
import pytest
from aiohttp import web
from packaging.requirements import Requirement

from schemas.problems import problem
from service.web.responses import list_files
from service.web.routes.page import CLIENTS as CLIENT_PACKAGES
from south_seas import Client
from tests.clients.conftest import CLIENTS
from tests.clients.scripted_service import (
    GAME_ID,
    WELCOME,
    JsonObject,
    ScriptedService,
    close_without_welcome,
    final_game_response,
    problem_response,
    report_missing_game,
    report_unavailable,
    send_unknown_content,
    skip_a_diff,
)
from tests.tcp_proxy import run_proxy
from tests.tools import ROOT, SCRIPTS, run_program
from tests.tools import run as run_tool

HERE = Path(__file__).parent
TIMEOUT_S = 100
NOWHERE = "http://127.0.0.1:9"


async def run(program: Sequence[str | Path], cwd: Path) -> str:
    """Return the output of a program; fail with its output if it fails."""
    ended = await run_program(*program, cwd=cwd)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


async def run_script(script: str, node: str, built: Path, url: str, *more: str | Path) -> dict[str, Any]:
    """Run a script that uses the client; return its report."""
    flags = ("--experimental-websocket", "--disable-warning=ExperimentalWarning")
    received: dict[str, Any] = msgspec.json.decode(await run([node, *flags, HERE / script, built, url, *more], HERE))
    return received


@pytest.mark.parametrize("websocket", ((), (CLIENTS / "node_modules/ws/wrapper.mjs",)), ids=("node", "ws"))
async def test_it_recovers_from_every_failure(
    node: str, built: Path, script: ScriptedService, websocket: tuple[Path, ...]
) -> None:
    """With the WebSocket of Node, and with that of npm, which throws an error event that nobody listens to."""
    script.upgrade_responses.append(web.Response(status=503))
    wait = problem("rate_limited", "wait")
    script.responses.extend(
        [
            problem_response(wait, **{"Retry-After": "0"}),
            web.Response(status=302, headers={"Location": "/v1/games/h"}),
            final_game_response(script),
            problem_response(problem("conflict", "Bo was first")),
            problem_response(problem("store_unavailable", "away", retry_after_s=0)),
            problem_response(problem("conflict", "at work still")),
            web.json_response({"owner_token": ""}),
            problem_response(problem("rate_limited", "tomorrow"), RateLimit='"day";r=0;t=86400'),
            *(web.Response(text="<html>") for _ in range(5)),
            web.Response(status=503, headers={"Retry-After": "86400"}),
            problem_response(problem("rate_limited", "tomorrow", retry_after_s=86_400)),
        ]
    )
    messages: list[JsonObject] = []
    script.greetings.extend(({"type": "hello"}, WELCOME, None))
    script.connections.extend((close_without_welcome, partial(skip_a_diff, messages), close_without_welcome))
    script.connections.extend(
        partial(connection, messages) for connection in (send_unknown_content, report_unavailable, report_missing_game)
    )
    url = f"{script.url}/below"
    received = await run_script("failures.mjs", node, built, url, *websocket)
    assert all(request.path.startswith("/below/v1/") for request in script.requests)
    assert received["version"] == len(script.log)
    assert (received["rejected"], received["created"], received["retryable"]) == ("conflict", "done", "rate_limited")
    assert received["unreadable"] == f"{url}/ is unreachable: 200 OK, which is no answer of the service"
    assert (received["standIn"], received["patient"]) == (4, "done")
    assert received["late"].endswith(": the request timed out")
    assert (
        len({request.headers["Idempotency-Key"] for request in script.requests if request.path == "/below/v1/games"})
        == 1
    )
    assert "fr" in {request.headers.get("Accept-Language") for request in script.requests}
    assert received["retries"][:2] == [
        ["GET /v1/games/g", "wait"],
        ["GET /v1/games/g", f"{url}/ is unreachable: 302 Found, which is no answer of the service"],
    ]
    assert [f"{url.replace('http', 'ws')}/v1/ws", "the connection was closed with 4429"] in received["retries"]
    assert [f"game {GAME_ID}", "away"] in received["retries"]
    assert received["states"] == [[1, None], [2, 2], [3, 3], [7, None], *([at, at] for at in range(8, 12))]
    assert [one.get("since") for one in messages if one["type"] == "subscribe"] == [None, 7, 9, 10, 11]
    assert [one["type"] for one in messages][:3] == ["auth", "subscribe", "sync"]
    assert received["statuses"] == [*["reconnecting", "connected"] * 4, "reconnecting", "closed"]
    assert received["missing"] == "not_found"
    assert received["patchErrors"] == [True] * 5
    assert received["aborted"] == "enough"
    reasons = (*["pass { url: "] * 3, "without /v1", "with { game, digest }", "by its id", "by its number")
    assert all(map(str.__contains__, received["wrong"], reasons)), received["wrong"]
    asked = [one.headers for one in script.requests if one.path.endswith("/undo")]
    assert [(one["If-Match"], one["Prefer"]) for one in asked] == [('"1-e"', "return=representation")] * 3
    assert not any("Authorization" in one for one in asked)
    assert (received["medianMs"] < 2000, 15_000 <= received["hiddenMs"] <= 30_000) == (True, True)
    assert 50 <= received["waits"]["the connection was closed with 1002"] < 5000
    assert (received["midnight"], received["now"][:13]) == (864, "2026-01-01T00")


async def test_it_plays_a_whole_game_over_an_unreliable_network(node: str, built: Path, service_url: str) -> None:
    async with run_proxy(service_url) as proxy:
        proxy.cut_every = 40
        received = await run_script("whole_game.mjs", node, built, proxy.url)
        assert proxy.cuts > 3
    expected = [*range(1, received["version"] + 1)]
    assert received["versions"] == expected[1:]
    assert received["watchedVersions"] == expected[-len(received["watchedVersions"]) :]
    assert received["logVersions"] == expected
    assert received["copiesAreEqual"]
    assert {"connected", "reconnecting"} <= {*received["statuses"]}
    assert received["statuses"][-1] == "closed"
    assert received["withoutToken"] == received["subscribedWithoutToken"] == "not_found"


async def test_a_socket_that_connects_is_closed_once_open(node: str, built: Path, script: ScriptedService) -> None:
    """Browsers report an earlier close as an error; a restored network does not replace an attempt under way.

    What follows a gap waits for the snapshot, or the next connection.
    """
    received = await run_script("left_while_connecting.mjs", node, built, script.url)
    states, gaps, sent, ended, statuses = map(received.pop, ("states", "gaps", "sent", "ended", "statuses"))
    assert received.pop("refused"), "it waits as long as the service says"
    assert received == {"early": [], "closes": [1], "sockets": 4, "others": [], "ping": "ping undefined"}
    assert sent == ["subscribe g", "subscribe h", "unsubscribe h", "ping undefined"], "one that waited is not again"
    assert statuses == ["reconnecting", "connected", "offline", "reconnecting", "connected", "reconnecting"]
    assert (states, gaps, ended) == ([-4, 5, 6, 7, 8], ["subscribe g", "sync g", "sync g"], ["closed"] * 2)


async def test_it_exports_every_type_of_its_signatures(node: str, built: Path) -> None:
    compiler = CLIENTS / "node_modules" / "typescript" / "lib" / "typescript.js"
    output = await run([node, HERE / "exports.mjs", compiler, built.with_suffix(".d.ts")], HERE)
    received = msgspec.json.decode(output)
    assert received["missing"] == ["QueryOf", "Sockets", "components"], "no type that a caller needs"
    assert {"CellChoice", "GameAction", "MySeat", "ShipOffer", "StoryLine"} <= {*received["exported"]}


PACKAGE, PYTHON_PACKAGE = CLIENTS / "typescript", CLIENTS / "python"
COMPILER = CLIENTS / "node_modules" / "typescript" / "bin" / "tsc"
OPTIONS = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--module", "nodenext")


def run_npm(node: str, *arguments: str | Path, cwd: Path) -> None:
    """Run npm, of the development environment as in `make`."""
    path = os.pathsep.join((str(Path(node).parent), os.environ["PATH"]))
    run_tool(SCRIPTS / "npm", *arguments, cwd=cwd, environment={"PATH": path})


PACKAGES = list_files(CLIENT_PACKAGES)
"""What the service serves at /clients/."""


def package(ending: str) -> str:
    """Return the name of the one package with an ending, which all texts that say how to install it name."""
    (name,) = [name for name in PACKAGES if name.endswith(ending)]
    for page in (ROOT / "docs" / "clients.md", (PACKAGE if ending == ".tgz" else PYTHON_PACKAGE) / "README.md"):
        assert f" http://127.0.0.1:8080/clients/{name}\n" in page.read_text(), page
    assert f" http://127.0.0.1:8080/clients/{name}`" in (ROOT / "docs" / "index.md").read_text()
    assert f" http://127.0.0.1:8080/clients/{name}<" in PACKAGES["index.html"].read_text()
    return name


def install(node: str, service_url: str, folder: Path) -> Path:
    """Install the package in a new project, and return its folder."""
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


DOCUMENT: dict[str, Any] = json.loads(resources.files("schemas").joinpath("openapi.json").read_bytes())


def samples(label: str) -> list[str]:
    """Return all samples with a label."""
    operations = [operation for item in DOCUMENT["paths"].values() for operation in item.values()]
    every = [sample for operation in operations for sample in operation["x-codeSamples"]]
    return [sample["source"] for sample in every if sample["label"] == label]


async def test_typescript_samples_have_the_clients_types(node: str, tmp_path: Path) -> None:
    """Those of the API's document, and the program of the page about clients."""
    imports = (
        'import { ApiKeyClient, SouthSeas } from "south-seas-client";\ndeclare const token: string, apiKey: string;\n'
    )
    bodies = [source.partition("\n\n")[2] for source in samples("TypeScript")]
    rejected = ("{}", '{ move: "m", action: { type: "pass", phase: "islander" } }', '{ move: "m", actions: [] }')
    bodies += [f'// @ts-expect-error: exactly one\nvoid new SouthSeas().act("g", {act});' for act in rejected]
    program = re.search(
        r"^```ts no-run[^\n]*\n(.*?)^```$", (ROOT / "docs/clients.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert program is not None
    (tmp_path / "page.ts").write_text(program[1])
    (tmp_path / "samples.ts").write_text(imports + "\n".join(f"{{\n{body}\n}}" for body in bodies) + "\nexport {};\n")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(CLIENTS / "node_modules")
    source = ("--noEmit", "--skipLibCheck", "--target", "es2023", "--customConditions", "source")
    await run([node, COMPILER, *OPTIONS, *source, "samples.ts", "page.ts"], tmp_path)


@pytest.mark.parametrize("source", samples("curl"))
def test_a_curl_sample_is_complete(source: str) -> None:
    assert "{" not in source.partition("-d ")[0]
    assert source.startswith("curl ")
