"""The AsyncAPI document is valid for its own tools, and models of its messages follow a game."""

import json
from pathlib import Path

import aiohttp
import pytest

from tests.generators.toolchain import NODE_MODULES, PROGRAMS, compile_typescript
from tests.tools import ASYNCAPI, NODE, NPM_GENERATORS, ROOT, require, run
from tests.web.http_game import create_game

pytestmark = pytest.mark.timeout(600)

ASYNCAPI_DOCUMENT = ROOT / "schemas" / "asyncapi.json"

NO_METRICS = {"analyticsEnabled": "false", "infoMessageShown": "true", "userID": "tests"}
NEWER_VERSION = "asyncapi-latest-version"
"""The API promises AsyncAPI 3.0; what 3.1 adds is not for WebSockets."""


def test_the_cli_validates_the_document_without_a_message(tmp_path: Path) -> None:
    metrics = tmp_path / "metrics.json"
    metrics.write_text(json.dumps(NO_METRICS))
    arguments = (ASYNCAPI_DOCUMENT, "--suppressWarnings", NEWER_VERSION, "--fail-severity", "hint")
    environment = {"ASYNCAPI_METRICS_CONFIG_PATH": str(metrics), "SUPPRESS_NO_CONFIG_WARNING": "1", "NODE_ENV": ""}
    output = run(require(NODE), require(ASYNCAPI), "validate", *arguments, cwd=tmp_path, environment=environment)
    assert "is valid! " in output
    assert "don't have governance issues" in output


async def test_generated_models_follow_a_game(tmp_path: Path, service_url: str) -> None:
    require(NPM_GENERATORS)
    folder = tmp_path / "client"
    folder.mkdir()
    (folder / "modelina.mjs").write_bytes((PROGRAMS / "modelina.mjs").read_bytes())
    (folder / "node_modules").symlink_to(NODE_MODULES)
    models = run(require(NODE), "modelina.mjs", ASYNCAPI_DOCUMENT, "models", cwd=folder).split()
    assert {"Subscribe", "ActMessage", "Welcome", "Snapshot", "Diff", "TilePlaced", "GameView"} <= {*models}
    program = compile_typescript(folder, PROGRAMS / "socket.ts")
    async with aiohttp.ClientSession(service_url) as session:
        game = await create_game(session, [{"bot": "random"}, {"bot": "random"}])
        report = json.loads(run(require(NODE), program, service_url, game.id, cwd=folder))
        version = (await game.get_json())["version"]
    assert (report["welcomes"], report["subscribed"]) == (1, 1)
    assert report["versions"] == [*range(2, version + 1)]
    assert report["events"] > len(report["versions"])
