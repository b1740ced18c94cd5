"""One action over HTTP with all features: the throughput beside the bare ceiling, and the latency to other clients."""

import asyncio
import math
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from statistics import median
from typing import NamedTuple

from benchmarks.commits import sizes
from benchmarks.load_client import send_load
from benchmarks.matches import play, service_matches
from benchmarks.processes import Server, redis, server, service
from benchmarks.request_corpus import CONCURRENT, baseline_posts, prepare
from benchmarks.results import Figure, percentile
from benchmarks.run import Run
from benchmarks.sample_games import samples
from benchmarks.traffic import Traffic, measure_traffic

GROUP = "One action"
DURATION_S = 3.0
LATENCY_DURATION_S = 4.0
CEILING = "aiohttp and redis-py with the same Redis traffic and no game"
WARM_UP_S = 3.0
"""The maximum: one game on each connection, from the first action to the last, so that means are of whole games."""
SETTLING_TIME_S = 1.1
"""How long the service works after the creation of a game."""
TARGET_RATIO = 0.5


class ActionRound(NamedTuple):
    """One round of the service or of its ceiling."""

    per_second: float
    seconds: list[float]
    """The latency of each action, from sending to the complete response."""
    cpu_us: float
    """The server's processor time for one action."""
    utilization: float
    """The share of the round in which the server's core was busy."""


class Pair(NamedTuple):
    """The service and its ceiling on one Redis."""

    service: Server
    baseline: Server
    service_traffic: Traffic
    baseline_traffic: Traffic


@asynccontextmanager
async def baseline_server(redis_url: str) -> AsyncIterator[Server]:
    """Run the ceilings."""
    async with server(sys.executable, "-m", "benchmarks.baseline", redis_url, *map(str, sizes())) as baseline:
        yield baseline


@asynccontextmanager
async def pair() -> AsyncIterator[Pair]:
    """Run both servers, warmed up."""

    async def warm_up(target: Server, requests: Sequence[Sequence[bytes]]) -> int:
        return len((await send_load(target.port, requests, WARM_UP_S)).seconds)

    async with redis() as redis_url, service(redis_url) as service_server:
        requests = await prepare(service_server.port, 1)
        await asyncio.sleep(SETTLING_TIME_S)
        service_traffic = await measure_traffic(redis_url, partial(warm_up, service_server, requests))
        async with baseline_server(redis_url) as baseline:
            baseline_traffic = await measure_traffic(redis_url, partial(warm_up, baseline, baseline_posts(-1)))
            yield Pair(service_server, baseline, service_traffic, baseline_traffic)


async def action(run: Run) -> None:
    """Measure actions a second, their processor time, and the traffic of both to Redis."""
    run.report("action: starting the service and its ceiling")
    async with pair() as servers:
        service_rounds, baseline_rounds = await run.measure_in_turn(
            "action", partial(measure_service, run, servers.service), partial(_measure_baseline, run, servers.baseline)
        )
    title = f"actions, {CONCURRENT} games at once"
    note = "rules, patch, token, If-Match and idempotency key in each"
    rates, ceilings = [one.per_second for one in service_rounds], [one.per_second for one in baseline_rounds]
    run.figures.append(
        Figure(
            *("action.rate", GROUP, title, "actions/s", rates),
            ceiling=ceilings,
            ceiling_title=CEILING,
            target="0.5 of the ceiling",
            note=note,
        )
    )
    cpu_us, ceilings = [one.cpu_us for one in service_rounds], [one.cpu_us for one in baseline_rounds]
    run.figures.append(
        Figure("action.cpu", GROUP, "processor time of one action", "µs", cpu_us, better="less", ceiling=ceilings)
    )
    for percent in (50, 99):
        latencies, ceilings = (
            [percentile(one.seconds, percent) * 1e3 for one in rounds] for rounds in (service_rounds, baseline_rounds)
        )
        title = f"one action under that load, p{percent}"
        run.figures.append(Figure(f"action.p{percent}", GROUP, title, "ms", latencies, better="less", ceiling=ceilings))
    utilization = [median(one.utilization for one in rounds) for rounds in (service_rounds, baseline_rounds)]
    run.notes += [
        f"one action sends to Redis: {servers.service_traffic}",
        f"its ceiling sends: {servers.baseline_traffic}",
        f"under that load the service used {utilization[0]:.0%} of its core and the ceiling {utilization[1]:.0%}",
    ]


async def measure_service(run: Run, service: Server, _: int) -> ActionRound:
    """Measure a round of the service, with new games."""
    return await _measure(service, await prepare(service.port), run.seconds(DURATION_S))


async def _measure_baseline(run: Run, baseline: Server, number: int) -> ActionRound:
    return await _measure(baseline, baseline_posts(number), run.seconds(DURATION_S))


async def _measure(server: Server, requests: Sequence[Sequence[bytes]], seconds: float) -> ActionRound:
    before = server.cpu_s()
    load = await send_load(server.port, requests, seconds)
    cpu_s = (server.cpu_s() - before) / len(load.seconds)
    return ActionRound(load.per_second, load.seconds, cpu_s * 1e6, cpu_s * load.per_second)


async def latency(run: Run) -> None:
    """Measure the time from POST to the second client's diff, at half of the service's maximum rate."""
    async with redis() as redis_url, service(redis_url) as service_server:
        await measure_service(run, service_server, 0)
        rate = TARGET_RATIO * (await measure_service(run, service_server, 1)).per_second
        length = run.seconds(LATENCY_DURATION_S)
        shortest = min(len(game.moves) for game in samples())
        games = math.ceil(rate * length / CONCURRENT / shortest)

        async def play_paced(_: int) -> list[float]:
            matches = await service_matches(service_server.port, CONCURRENT, games, by_post=True)
            await asyncio.sleep(SETTLING_TIME_S)
            try:
                return (await play(matches, length, rate)).seconds
            finally:
                for match in matches:
                    match.close()

        (rounds,) = await run.measure_in_turn("latency", play_paced)
    note = f"at {rate:,.0f} actions/s, half of what it did before, to the WebSocket of the other client of each game"
    for percent, target in ((50, ""), (99, "under 10 ms")):
        title = f"POST to the second client's diff, p{percent}"
        times = [percentile(seconds, percent) * 1e3 for seconds in rounds]
        name = f"action.to-second-client.p{percent}"
        run.figures.append(Figure(name, GROUP, title, "ms", times, better="less", target=target, note=note))
        note = ""
