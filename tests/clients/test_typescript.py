"""The TypeScript client under Node, against the service over an unreliable network."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from schemas.problems import problem
from tests.clients.conftest import CLIENTS
from tests.clients.failure_scripts import (
    miss_a_pong,
    report_missing_game,
    report_unavailable,
    send_unknown_content,
    skip_a_diff,
)
from tests.clients.scripted_service import JsonObject, ScriptedService, final_game_response, problem_response
from tests.programs import run_program
from tests.tcp_proxy import run_proxy

HERE = Path(__file__).parent
TIMEOUT_S = 100


async def run(program: Sequence[str | Path], cwd: Path) -> str:
    """Return the output of a program; fail with its output if it fails."""
    ended = await run_program(*program, cwd=cwd, timeout_s=TIMEOUT_S)
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
    script.upgrade_responses.extend([web.Response(status=503), web.Response(status=502)])
    wait = problem("rate_limited", "wait")
    script.responses.extend(
        [problem_response(wait, **{"Retry-After": "0"}), web.Response(status=502), final_game_response(script)]
    )
    script.responses.append(problem_response(problem("not_your_turn", "Bo decides")))
    script.responses.extend([problem_response(problem("store_unavailable", "away", retry_after_s=0))])
    script.responses.extend([problem_response(problem("conflict", "at work still")), final_game_response(script)])
    script.responses.append(problem_response(problem("rate_limited", "tomorrow"), RateLimit='"day";r=0;t=86400'))
    script.responses.append(web.Response(text="<html>"))
    script.responses.append(problem_response(problem("rate_limited", "tomorrow", retry_after_s=86_400)))
    messages: list[JsonObject] = []
    script.connections.extend(
        partial(connection, messages)
        for connection in (skip_a_diff, send_unknown_content, report_unavailable, miss_a_pong, report_missing_game)
    )
    received = await run_script("failures.mjs", node, built, script.url, *websocket)
    assert received["version"] == len(script.log)
    assert (received["rejected"], received["created"], received["retryable"]) == (
        "not_your_turn",
        "done",
        "rate_limited",
    )
    assert (received["unreadable"], received["patient"]) == (True, "done")
    assert len({request.headers["Idempotency-Key"] for request in script.requests if request.method == "POST"}) == 1
    assert "fr" in {request.headers.get("Accept-Language") for request in script.requests}
    assert received["states"] == [[1, None], [2, 2], [3, 3], [7, None], *([at, at] for at in range(8, 12))]
    assert [one.get("since") for one in messages if one["type"] == "subscribe"] == [None, 7, 9, 10, 11]
    assert [one["type"] for one in messages][:3] == ["auth", "subscribe", "sync"]
    assert received["statuses"] == [*["reconnecting", "connected"] * 4, "reconnecting", "closed"]
    assert received["missing"] == "not_found"
    assert received["patchErrors"] == [True] * 5
    assert received["aborted"] == "enough"
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
    assert received["undone"] == ["move_undone"]
    assert received["isLegalAgain"]
    assert received["resigned"] == "resigned"
    assert received["mine"] == [True, True]
    assert received["storyLines"] == 5
    assert received["withoutToken"] == received["subscribedWithoutToken"] == "not_found"


async def test_a_socket_that_is_still_connecting_is_closed_once_it_is_open(
    node: str, built: Path, script: ScriptedService
) -> None:
    """Browsers report an earlier close as an error; a restored network does not replace an attempt under way."""
    received = await run_script("left_while_connecting.mjs", node, built, script.url)
    assert received == {"early": [], "closes": [1], "sockets": 3, "others": []}
