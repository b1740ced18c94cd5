"""All cores: one instance and two on one Redis, and what is left before Redis is the limit."""

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
    """Measure actions a second of one and of two instances, no process being kept to a core."""
    with pinned_to(CORES):
        async with AsyncExitStack() as stack:
            redis_url = await stack.enter_async_context(redis())
            servers = [await stack.enter_async_context(service(redis_url, on=CORES)) for _ in range(max(INSTANCES))]
            await _measure(run, redis_url, servers, 0)
            measures = (partial(_measure, run, redis_url, servers[:number]) for number in INSTANCES)
            rounds = await run.measure_in_turn("instances", *measures)
            commits = partial(commits_per_second, redis_url, sizes(), commits=run.number(COMMITS))
            (limits,) = await run.measure_in_turn("Redis alone", commits)
    note = f"{CONCURRENT} games at once; Redis and the load share the {os.cpu_count()} cores with them"
    for number, received in zip(INSTANCES, rounds, strict=True):
        title, rates = f"actions with {number} instance{'s' if number > 1 else ''}", [rate for rate, _ in received]
        run.figures.append(Figure(f"instances.{number}", GROUP, title, "actions/s", rates, note=note))
        note = ""
    note = "the same script and sizes, prepared and sent without waiting: the next limit"
    title = "commits that one Redis takes"
    run.figures.append(Figure("redis.commits", GROUP, title, "commits/s", limits, note=note))
    more = median(two / one for (one, _), (two, _) in zip(*rounds, strict=True))
    busy = median(busy for _, busy in rounds[-1])
    run.notes.append(f"two instances do {more:.2f} times what one does, and Redis then uses {busy:.0%} of a core")


async def _measure(run: Run, redis_url: str, servers: Sequence[Server], _: int) -> tuple[float, float]:
    """Return actions a second and the share of a core that Redis used; connections are spread over the instances."""
    requests = [(await prepare(server.port))[number :: len(servers)] for number, server in enumerate(servers)]
    before, seconds = await _redis_cpu_s(redis_url), run.seconds(DURATION_S)
    loads = await asyncio.gather(
        *(send_load(server.port, own, seconds) for server, own in zip(servers, requests, strict=True))
    )
    spent = await _redis_cpu_s(redis_url) - before
    per_second = sum(received.per_second for received in loads)
    return per_second, spent * per_second / sum(len(received.seconds) for received in loads)


async def _redis_cpu_s(redis_url: str) -> float:
    async with Redis.from_url(redis_url) as connection:
        received = await connection.info("cpu")
    return float(received["used_cpu_user"] + received["used_cpu_sys"])
