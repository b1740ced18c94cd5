"""`--workers`: one question for metrics gets the answers of all, whoever was killed and started again."""

import asyncio
import os
import signal
from pathlib import Path

import aiohttp

from tests.managed import one_each, two_workers
from tests.started import started
from tests.telemetry.scraped import Values, metrics_url, of, scrape


def up(values: Values) -> dict[str, float]:
    """Which workers are told of, and whether they answered."""
    return {dict(labels)["worker"]: value for (name, labels), value in values.items() if name == "south_seas_worker_up"}


async def both_up(url: str) -> Values:
    """What they tell when both do: a service says that it listens when the first does."""
    async with asyncio.timeout(20):
        while up(values := await scrape(url)) != {"0": 1, "1": 1}:  # noqa: ASYNC110 (they tell nobody)
            await asyncio.sleep(0.1)
        return values


async def test_any_worker_tells_of_all_and_one_that_is_killed_is_replaced_under_its_number(
    tmp_path: Path, redis_url: str
) -> None:
    flags = ("--workers", "2", "--metrics-port", "0", "--drain-s", "0")
    async with started(tmp_path, redis_url, *flags) as instance:
        url = await metrics_url(instance)
        processes = await two_workers(instance.process.pid)
        await both_up(url)
        for _ in range(8):  # whichever takes the connection
            values = await scrape(url)
            assert up(values) == {"0": 1, "1": 1}
            assert {dict(labels).get("worker") for _, labels in values} == {"0", "1"}
        async with aiohttp.ClientSession(instance.url) as session:
            for _ in range(20):
                async with session.get("/v1/bots") as response:
                    assert response.status == 200
        count = "http_request_duration_seconds_count"
        assert of(await scrape(url), count, route="/v1/bots") == 20
        os.kill(processes[0], signal.SIGKILL)
        await two_workers(instance.process.pid, without=processes[0])
        assert of(await both_up(url), count, route="/v1/bots") in (0, 20)  # one connection was one worker's


async def test_no_two_workers_give_the_same_request_ids(tmp_path: Path, redis_url: str) -> None:
    async with started(tmp_path, redis_url, "--workers", "2", "--drain-s", "0") as instance, one_each(instance) as each:
        ids = []
        for session in each.values():
            for _ in range(5):
                async with session.get("/v1/bots") as response:
                    ids.append(response.headers["X-Request-Id"])
        assert len({*ids}) == len(ids) == 10


async def test_a_worker_that_hangs_is_told_to_be_down(tmp_path: Path, redis_url: str) -> None:
    flags = ("--workers", "2", "--metrics-port", "0", "--drain-s", "0")
    async with started(tmp_path, redis_url, *flags) as instance:
        url = await metrics_url(instance)
        await both_up(url)
        hanging = (await two_workers(instance.process.pid))[0]
        os.kill(hanging, signal.SIGSTOP)
        try:
            values = await scrape(url)
        finally:
            os.kill(hanging, signal.SIGCONT)
        assert sorted(up(values).values()) == [0, 1]
