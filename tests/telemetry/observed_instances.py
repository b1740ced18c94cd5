"""Two instances under traffic that touches every metric, a Prometheus that scrapes them, and promtool."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from time import time
from typing import Any

import aiohttp
import yaml

from service.games.api_key import Quotas
from service.store.embedded import terminate_with_parent
from tests.api_key_fixture import add_api_key, api_key_header
from tests.polling import TIMEOUT_S, wait_until
from tests.redis_servers import connect
from tests.server_process import start_server
from tests.telemetry.metric_samples import metrics_url
from tests.tools import PROMETHEUS, PROMTOOL, require, run
from tests.web.http_game import TWO_PLAYERS, HTTPGame, create_game


async def run_traffic(one: str, other: str, api_key: str) -> None:
    """Play on one instance and watch on both; request pictures, provoke rejections, and use bots and an API key."""
    async with aiohttp.ClientSession(one) as session:
        game = await create_game(session, [{"name": "A"}, {"bot": "expert"}])
        path = game.path
        async with (
            session.ws_connect(f"{path}/ws") as actual,
            session.ws_connect(f"{other}{path}/ws") as there,
            session.get(f"{other}{path}/diffs", headers={"Accept": "text/event-stream"}) as stream,
        ):
            version = game.created["game"]["version"]
            for _ in range(4):
                await wait_until(lambda: is_on_turn(game))
                version = (await game.act_successfully())["version"]
            for socket in (actual, there):
                while (await socket.receive_json()).get("version") != version:
                    pass
                await socket.send_json({"type": "ping"})
            await stream.content.readline()
        pictures = [f"{path}/{picture}" for picture in ("board.svg", "board.svg", "board.png")]
        for read in (*pictures, "/v1/games", "/v1/games/none"):
            async with session.get(read) as response:
                assert response.status == (404 if "none" in read else 200)
        await exceed_quota(session, api_key_header(api_key))


async def exceed_quota(session: aiohttp.ClientSession, headers: dict[str, str]) -> None:
    """Create a game with an API key, and send requests with it until one is rejected."""
    async with session.post("/v1/games", json={"players": TWO_PLAYERS}, headers=headers) as response:
        assert response.status == 201
    while response.status != 429:
        async with session.get("/v1/keys/me", headers=headers) as response:
            assert response.status in {200, 429}


async def is_on_turn(game: HTTPGame) -> bool:
    """Return whether seat 0 is on turn, as the bot may take its time."""
    return bool((await game.get_json("/legal-moves"))["seat"] == 0)


RULES = Path(__file__).parents[2] / "deploy" / "observability" / "prometheus"


@asynccontextmanager
async def start_observed_instances(redis_url: str, folder: Path) -> AsyncIterator[str]:
    """Start a Prometheus with the project's rules that has scraped all traffic; yields its URL."""
    flags = ("--metrics-port", "0", "--drain-time-s", "0", "--close-window-s", "0")
    async with (
        start_server(folder, redis_url, *flags) as one,
        start_server(folder, redis_url, *flags) as other,
        run_prometheus(folder, _configure([await metrics_url(one), await metrics_url(other)])) as url,
    ):
        async with connect(redis_url) as store:
            api_key = await add_api_key(store, quotas=Quotas(10, 10, 10))
        await run_traffic(one.url, other.url, api_key)
        await _wait_for_scrapes(url)
        yield url


def _configure(targets: list[str]) -> dict[str, Any]:
    """Return the project's configuration of a Prometheus, which scrapes these targets."""
    config: dict[str, Any] = yaml.safe_load((RULES / "prometheus.yaml").read_text())
    config["global"] = {"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"}
    config["rule_files"] = [str(RULES / file) for file in config["rule_files"]]
    config["scrape_configs"][0]["static_configs"][0]["targets"] = [url.split("/")[2] for url in targets]
    return config


@asynccontextmanager
async def run_prometheus(folder: Path, config: Mapping[str, Any]) -> AsyncIterator[str]:
    """Run a Prometheus with this configuration, and yield its URL."""
    program = require(PROMETHEUS)
    file = folder / "prometheus.yaml"
    file.write_text(yaml.safe_dump(config))
    process = await asyncio.create_subprocess_exec(
        *(program, f"--config.file={file}", f"--storage.tsdb.path={folder / 'tsdb'}"),
        "--web.listen-address=127.0.0.1:0",
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=terminate_with_parent(os.getpid()),
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            url = await _address(process)
        assert process.stderr is not None
        reading = asyncio.create_task(process.stderr.read())
        yield url
        process.terminate()
        async with asyncio.timeout(TIMEOUT_S):
            await reading
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    output = b""
    async for line in process.stderr:
        output += line
        if result := re.search(rb'msg="?Listening on"?.* address=(127\.0\.0\.1:[1-9]\d*)', line):
            return f"http://{result[1].decode()}"
    raise RuntimeError(output.decode())


async def _wait_for_scrapes(url: str) -> None:
    """Wait until all traffic was scraped several times, and the rules were evaluated."""
    async with aiohttp.ClientSession(url) as session:
        enough = "min(count_over_time(up[1m])) > 5 and min(count_over_time(south_seas_build_info[1m])) > 5"
        query = {"query": f"{enough} and min(timestamp(up)) > {time() + 2}"}

        async def are_enough() -> bool:
            async with session.get("/api/v1/query", params=query) as response:
                return bool((await response.json()).get("data", {}).get("result"))

        await wait_until(are_enough)


def promtool(*arguments: str, given: bytes = b"") -> str:
    """Run promtool; return its output, or fail the test with it."""
    return run(require(PROMTOOL), *arguments, given=given)
