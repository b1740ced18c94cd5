"""The exported metrics: complete from the start, in both formats, on a port of their own."""

import asyncio
import platform
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp import web

from service.telemetry.metrics import TIMEOUTS
from service.web.server import StartFailed, serve_metrics
from tests.server_process import start_server
from tests.telemetry.metric_samples import OPENMETRICS, metrics_url, read_samples, scrape, sum_samples
from tests.telemetry.promtool import promtool
from tests.web.http_game import create_game
from tests.web.webhook_receiver import register_webhook, run_receiver

REFERENCE = Path(__file__).with_name("fresh_metrics.txt")


@pytest.fixture(scope="module")
def fresh() -> bytes:
    """Return the metrics of a process to which nothing has happened."""
    command = (sys.executable, "-m", "tests.telemetry.fresh_metrics")
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout


def test_names_labels_and_buckets_are_as_they_were_and_counters_start_at_0(fresh: bytes) -> None:
    assert fresh.decode() == REFERENCE.read_text(), "if it should differ, see tests/telemetry/fresh_metrics.py"


def test_promtool_accepts_the_metrics(fresh: bytes) -> None:
    assert promtool("check", "metrics", given=fresh) == ""


@pytest.mark.parametrize("accept", (OPENMETRICS, "text/plain;version=0.0.4"))
async def test_metrics_have_the_requested_format(accept: str) -> None:
    TIMEOUTS.labels("pass").inc()
    async with serve_metrics("127.0.0.1", 0) as url:
        assert url is not None
        values = await scrape(url, accept)
    assert (
        sum_samples(values, "timeouts_total", policy="pass")
        == sum_samples(read_samples(), "timeouts_total", policy="pass")
        > 0
    )
    assert sum_samples(values, "http_request_duration_seconds_count") == sum_samples(
        read_samples(), "http_request_duration_seconds_count"
    )
    assert ("process_cpu_seconds_total", frozenset()) in values


async def test_gauges_are_those_of_the_instance(tmp_path: Path, redis_url: str) -> None:
    flags = ("--metrics-port", "0", "--drain-time-s", "0", "--webhooks-allow-private")
    read = asyncio.Event()

    async def respond_once_read(_: web.Request) -> web.Response:
        await read.wait()
        return web.Response()

    async with (
        run_receiver() as receiver,
        start_server(tmp_path, redis_url, *flags) as instance,
        aiohttp.ClientSession(instance.url) as session,
    ):
        url = await metrics_url(instance)
        game = await create_game(session)
        path = game.path
        receiver.respond = respond_once_read
        await register_webhook(game, receiver.url)
        await game.act_successfully()
        await create_game(session, [{"bot": "expert"}, {"bot": "expert"}])
        async with session.get(f"{path}/board.svg") as picture, session.ws_connect(f"{path}/ws") as socket:
            size = len(await picture.read())
            for _ in range(3):
                await socket.receive()
            async with asyncio.timeout(20):
                while not (  # noqa: ASYNC110  another process
                    sum_samples(values := await scrape(url), "redis_notifications_up")
                    and sum_samples(values, "bot_processes")
                    and sum_samples(values, "webhooks_in_progress")
                ):
                    await asyncio.sleep(0.02)
        read.set()
    assert sum_samples(values, "connections_open", kind="socket") == sum_samples(values, "connections_open") == 1
    for gauge in (
        "games_watched",
        "subscriptions",
        "bot_processes",
        "redis_up",
        "redis_notifications_up",
        "webhooks_in_progress",
    ):
        assert sum_samples(values, gauge) == 1, gauge
    assert sum_samples(values, "event_loop_lag_seconds_count") > 0
    assert sum_samples(values, "game_cache_size") == 2
    assert sum_samples(values, "build_info", python=platform.python_version(), redis="standalone") == 1
    assert sum_samples(values, "picture_cache_bytes") == size
    assert sum_samples(values, "task_failing", task="scheduler") == sum_samples(values, "http_requests_in_flight") == 0


async def test_metrics_are_served_only_with_a_port_at_its_host_and_until_shutdown() -> None:
    async with serve_metrics("127.0.0.1", None) as nowhere:
        assert nowhere is None
    async with aiohttp.ClientSession() as session:
        async with serve_metrics("127.0.0.1", 0) as url:
            assert url is not None
            with pytest.raises(aiohttp.ClientConnectorError):
                await session.get(url.replace("127.0.0.1", "127.0.0.2"))
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get(url)


async def test_a_port_in_use_is_a_start_failure() -> None:
    async with serve_metrics("127.0.0.1", 0) as url:
        port = urlsplit(url).port
        with pytest.raises(StartFailed, match=f"cannot listen on 127.0.0.1:{port}: "):
            async with serve_metrics("127.0.0.1", port):
                pass
