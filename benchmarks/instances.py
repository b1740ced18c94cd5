"""All cores: one and two instances on one Redis, and the rate at which Redis becomes the limit."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from statistics import median

from redis.asyncio import Redis

from benchmarks.commits import COMMITS, commits_per_second, sizes
from benchmarks.load_client import send_load
from benchmarks.processes import CORES, Server, pinned_to, redis, service
from benchmarks.request_corpus import CONCURRENT, prepare
from benchmarks.results import Figure
from benchmarks.run import Run

GROUP = "All cores"
DURATION_S = 3.0
INSTANCES = (1, 2)


async def instances(run: Run) -> None:
    """Measure actions a second of one and of two instances, with all processes on all cores."""
    with pinned_to(CORES):
        async with AsyncExitStack() as stack:
            redis_url = await stack.enter_async_context(redis())
            servers = [await stack.enter_async_context(service(redis_url, on=CORES)) for _ in range(max(INSTANCES))]
            await _measure(run, redis_url, servers, 0)
            measurements = (partial(_measure, run, redis_url, servers[:number]) for number in INSTANCES)
            rounds = await run.measure_in_turn("instances", *measurements)
            commits = partial(commits_per_second, redis_url, sizes(), commits=run.number(COMMITS))
            (limits,) = await run.measure_in_turn("Redis alone", commits)
    note = f"{CONCURRENT} games at once; Redis and the load share the {os.cpu_count()} cores with them"
    for number, measured in zip(INSTANCES, rounds, strict=True):
        title, rates = f"actions with {number} instance{'s' if number > 1 else ''}", [rate for rate, _ in measured]
        run.figures.append(Figure(f"instances.{number}", GROUP, title, "actions/s", rates, note=note))
        note = ""
    note = "the same script and sizes, prepared and sent without waiting: the next limit"
    title = "commits that one Redis accepts"
    run.figures.append(Figure("redis.commits", GROUP, title, "commits/s", limits, note=note))
    speedup = median(two / one for (one, _), (two, _) in zip(*rounds, strict=True))
    utilization = median(utilization for _, utilization in rounds[-1])
    run.notes.append(
        f"two instances do {speedup:.2f} times what one does, and Redis then uses {utilization:.0%} of a core"
    )


async def _measure(run: Run, redis_url: str, servers: Sequence[Server], _: int) -> tuple[float, float]:
    """Return actions a second and the share of a core that Redis used, with connections to all instances."""
    requests = [(await prepare(server.port))[number :: len(servers)] for number, server in enumerate(servers)]
    before, seconds = await _redis_cpu_s(redis_url), run.seconds(DURATION_S)
    loads = await asyncio.gather(
        *(send_load(server.port, lists, seconds) for server, lists in zip(servers, requests, strict=True))
    )
    cpu_s = await _redis_cpu_s(redis_url) - before
    per_second = sum(load.per_second for load in loads)
    return per_second, cpu_s * per_second / sum(len(load.seconds) for load in loads)


async def _redis_cpu_s(redis_url: str) -> float:
    async with Redis.from_url(redis_url) as connection:
        info = await connection.info("cpu")
    return float(info["used_cpu_user"] + info["used_cpu_sys"])
