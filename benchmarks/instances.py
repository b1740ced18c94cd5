"""All cores: one instance and two on one Redis, and what is left before Redis is the limit."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import NamedTuple

from redis.asyncio import Redis

from benchmarks.action import service
from benchmarks.asked import CONCURRENT, Sample, prepare, sample
from benchmarks.load import load
from benchmarks.processes import CORES, Server, cores, redis
from benchmarks.redis_limit import commits_per_second
from benchmarks.results import Figure, ratios, series
from benchmarks.run import Run

GROUP = "All cores"
SECONDS = 3.0
INSTANCES = (1, 2)


class Measured(NamedTuple):
    """One round."""

    per_second: float
    redis_busy: float
    """The share of one core that Redis used."""


async def instances(run: Run) -> tuple[list[Figure], list[str]]:
    """Actions per second of one and of two instances, no process being kept to a core."""
    one = sample()
    with cores(CORES):
        async with AsyncExitStack() as stack:
            redis_url = await stack.enter_async_context(redis())
            servers = [await stack.enter_async_context(service(redis_url, on=CORES)) for _ in range(max(INSTANCES))]
            groups = [servers[:number] for number in INSTANCES]
            await _measure(run, redis_url, servers, one, 0)
            rounds = await run.in_turn("instances", *(partial(_measure, run, redis_url, of, one) for of in groups))
            (limits,) = await run.in_turn("Redis alone", partial(_limit, run, redis_url, one))
    rates = [[measured.per_second for measured in told] for told in rounds]
    note = f"{CONCURRENT} games at once; Redis and the load share the {os.cpu_count()} cores with them"
    figures = [
        Figure(
            name=f"instances.{number}",
            group=GROUP,
            title=f"actions with {number} instance{'s' if number > 1 else ''}",
            unit="actions/s",
            measured=series(told),
            note=note if number == INSTANCES[0] else "",
        )
        for number, told in zip(INSTANCES, rates, strict=True)
    ]
    busy = series([measured.redis_busy for measured in rounds[-1]])
    more = f"two instances do {ratios(rates[1], rates[0]).median:.2f} times what one does"
    return [*figures, _limit_figure(limits)], [f"{more}, and Redis then uses {busy.median:.0%} of a core"]


async def _measure(run: Run, redis_url: str, of: Sequence[Server], one: Sample, _: int) -> Measured:
    """One round, in which the connections are spread over the instances."""
    requests = [(await prepare(server, one.games))[number :: len(of)] for number, server in enumerate(of)]
    before = await _redis_cpu_s(redis_url)
    seconds = run.seconds(SECONDS)
    loads = await asyncio.gather(*(load(server.port, own, seconds) for server, own in zip(of, requests, strict=True)))
    spent = await _redis_cpu_s(redis_url) - before
    done, refused = sum(len(one.seconds) for one in loads), sum(one.refused for one in loads)
    if refused:
        raise RuntimeError(f"{refused} of {done} actions were refused")
    per_second = sum(one.per_second for one in loads)
    return Measured(per_second, spent * per_second / done)


async def _limit(run: Run, redis_url: str, one: Sample, number: int) -> float:
    return await commits_per_second(redis_url, one.sizes, number, run.number(6_000))


async def _redis_cpu_s(redis_url: str) -> float:
    connection = Redis.from_url(redis_url)
    try:
        told = await connection.info("cpu")
    finally:
        await connection.aclose()
    return float(told["used_cpu_user"] + told["used_cpu_sys"])


def _limit_figure(limits: list[float]) -> Figure:
    return Figure(
        name="redis.commits",
        group=GROUP,
        title="commits that one Redis takes",
        unit="commits/s",
        measured=series(limits),
        note="the same script and sizes, prepared and sent without waiting: the next limit",
    )
