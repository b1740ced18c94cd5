"""The TypeScript client under Node, its types, and its code samples."""

import re
from functools import partial
from pathlib import Path

import msgspec
import pytest
from aiohttp import web

from schemas.problems import problem
from tests.clients.conftest import CLIENTS
from tests.clients.node_programs import COMPILER, HERE, OPTIONS, run, run_script
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
from tests.tools import ROOT
from tools.openapi.document import make_openapi


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


async def test_typescript_samples_have_the_clients_types(node: str, tmp_path: Path) -> None:
    """Those of the API's document, and the program of the page about clients."""
    imports = (
        'import { ApiKeyClient, SouthSeas } from "south-seas-client";\ndeclare const token: string, apiKey: string;\n'
    )
    operations = [operation for item in make_openapi()["paths"].values() for operation in item.values()]
    samples = [sample for operation in operations for sample in operation["x-codeSamples"]]
    bodies = [sample["source"].partition("\n\n")[2] for sample in samples if sample["label"] == "TypeScript"]
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
