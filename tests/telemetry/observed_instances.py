"""Two instances under varied traffic, and a real Prometheus that scrapes them."""

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
from service.store.game_store import connect
from tests.api_key_fixture import add_api_key
from tests.server_process import start_server
from tests.telemetry.metric_samples import metrics_url
from tests.telemetry.traffic import run_traffic
from tests.tools import PROMETHEUS, require

RULES = Path(__file__).parents[2] / "deploy" / "observability" / "prometheus"
START_S = 30


@asynccontextmanager
async def start_observed_instances(redis_url: str, folder: Path) -> AsyncIterator[str]:
    """Start a Prometheus with the project's rules that has scraped all traffic; yields its URL."""
    flags = ("--metrics-port", "0", "--drain-time-s", "0", "--close-window-s", "0")
    async with (
        start_server(folder, redis_url, *flags) as one,
        start_server(folder, redis_url, *flags) as other,
        start_prometheus(folder, [await metrics_url(one), await metrics_url(other)]) as url,
    ):
        async with connect(redis_url) as store:
            api_key = await add_api_key(store, quotas=Quotas(10, 10, 10))
        await run_traffic(one.url, other.url, api_key)
        await _wait_for_scrapes(url)
        yield url


@asynccontextmanager
async def start_prometheus(folder: Path, targets: list[str]) -> AsyncIterator[str]:
    """Start a Prometheus with the project's rules that scrapes these targets."""
    config = yaml.safe_load((RULES / "prometheus.yaml").read_text())
    config["global"] = {"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"}
    config["rule_files"] = [str(RULES / file) for file in config["rule_files"]]
    config["scrape_configs"][0]["static_configs"][0]["targets"] = [url.split("/")[2] for url in targets]
    async with run_prometheus(folder, config) as url:
        yield url


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
        async with asyncio.timeout(START_S):
            url = await _address(process)
        assert process.stderr is not None
        reading = asyncio.create_task(process.stderr.read())
        yield url
        process.terminate()
        async with asyncio.timeout(START_S):
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
    async with aiohttp.ClientSession(url) as session, asyncio.timeout(START_S):
        enough = "min(count_over_time(up[1m])) > 5 and min(count_over_time(south_seas_build_info[1m])) > 5"
        query = {"query": f"{enough} and min(timestamp(up)) > {time() + 2}"}
        while True:
            async with session.get("/api/v1/query", params=query) as response:
                if (await response.json()).get("data", {}).get("result"):
                    return
            await asyncio.sleep(0.2)
