"""The TypeScript client under Node, against the service over an unreliable network."""

import asyncio
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from schemas.problems import problem
from tests.clients.failure_scripts import busy, gap, gone, newer, unanswered
from tests.clients.scripted_service import JsonObject, Scripted, good, refusing
from tests.clients.unreliable_proxy import proxied
from tests.server_process import start_server
from tests.tools import NODE, require

HERE = Path(__file__).parent
CLIENTS = Path(__file__).parents[2] / "clients"
PATIENCE_S = 100


async def run(program: Sequence[str | Path], cwd: Path) -> bytes:
    """Return the output of a program; fail with its output if it fails."""
    process = await asyncio.create_subprocess_exec(
        *program, cwd=cwd, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        output, complaint = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, (output + complaint).decode()
    return output


@pytest.fixture(scope="session")
def node() -> str:
    """Node, and the packages that building needs."""
    result = require(NODE)
    assert (CLIENTS / "node_modules/typescript").is_dir(), "`make test` installs the packages of clients/ first"
    return str(result)


@pytest.fixture(scope="session")
def built(node: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the client."""
    folder = tmp_path_factory.mktemp("built")
    compiler = CLIENTS / "node_modules/typescript/bin/tsc"
    compiling: list[str | Path] = [node, compiler, "--outDir", folder, "--noEmitOnError"]
    compiled = subprocess.run(compiling, cwd=CLIENTS / "typescript", capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stdout
    (folder / "package.json").write_text('{"type": "module"}')
    return folder / "index.js"


async def told_by(script: str, node: str, built: Path, url: str) -> dict[str, Any]:
    """Run a script that uses the client; return its report."""
    flags = ("--experimental-websocket", "--disable-warning=ExperimentalWarning")
    received: dict[str, Any] = msgspec.json.decode(await run([node, *flags, HERE / script, built, url], HERE))
    return received


async def test_it_copes_with_bad_days(node: str, built: Path, script: Scripted) -> None:
    wait = problem("rate_limited", "wait")
    script.answers.extend([refusing(wait, **{"Retry-After": "0"}), web.Response(status=502), good(script)])
    script.answers.append(refusing(problem("not_your_turn", "Bo decides")))
    script.answers.extend([refusing(problem("store_unavailable", "away", retry_after_s=0))])
    script.answers.extend([refusing(problem("conflict", "at work still")), good(script)])
    script.answers.append(refusing(problem("rate_limited", "tomorrow"), RateLimit='"day";r=0;t=86400'))
    script.answers.append(web.Response(text="<html>"))
    messages: list[JsonObject] = []
    script.lines.extend(line(messages) for line in (gap, newer, busy, unanswered, gone))
    received = await told_by("failures.mjs", node, built, script.url)
    assert received["version"] == len(script.log)
    assert (received["refused"], received["created"], received["patience"]) == ("not_your_turn", "done", "rate_limited")
    assert received["nonsense"]
    assert len({request.headers["Idempotency-Key"] for request in script.asked if request.method == "POST"}) == 1
    assert "fr" in {request.headers.get("Accept-Language") for request in script.asked}
    assert received["states"] == [[1, None], [2, 2], [3, 3], [7, None], *([at, at] for at in range(8, 12))]
    assert [one.get("since") for one in messages if one["type"] == "subscribe"] == [None, 7, 9, 10, 11]
    assert [one["type"] for one in messages][:3] == ["auth", "subscribe", "sync"]
    assert received["statuses"] == [*["connected", "reconnecting"] * 4, "closed"]
    assert received["gone"] == "not_found"
    assert received["cannot"] == [True] * 5
    assert received["ended"] == "enough"


async def test_it_plays_a_whole_game_over_a_bad_network(node: str, built: Path, tmp_path: Path, redis_url: str) -> None:
    async with start_server(tmp_path, redis_url) as service, proxied(service.url) as proxy:
        proxy.cut_every = 40
        received = await told_by("whole_game.mjs", node, built, proxy.url)
        assert proxy.cuts > 3
    everything = [*range(1, received["version"] + 1)]
    assert received["versions"] == everything[1:]
    assert received["read"] == everything[-len(received["read"]) :]
    assert received["logged"] == everything
    assert received["copiesAreEqual"]
    assert {"connected", "reconnecting"} <= {*received["statuses"]}
    assert received["statuses"][-1] == "closed"
    assert received["undone"] == ["move_undone"]
    assert received["canAgain"]
    assert received["resigned"] == "resigned"
    assert received["mine"] == [True, True]
    assert received["told"] == 5
    assert received["refused"] == received["stranger"] == "not_found"
