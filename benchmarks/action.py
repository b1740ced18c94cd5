"""One action over HTTP with everything on: how many a second beside the bare ceiling, and how soon others see it."""

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
"""At most: one game on each connection, from its first action to its last, so that the mean is that of a game."""
SETTLING_TIME_S = 1.1
"""Until what follows a game's creation is over."""
TARGET_RATIO = 0.5


class Measured(NamedTuple):
    """One round of the service or of its ceiling."""

    per_second: float
    seconds: list[float]
    """Of each action, from sending to the whole response."""
    cpu_us: float
    """The server's processor time for one action."""
    busy: float
    """The share of the round that the server's core was busy."""


class Pair(NamedTuple):
    """The service and its ceiling on one Redis."""

    ours: Server
    bare: Server
    traffic: tuple[Traffic, Traffic]
    """Of the service and of the ceiling."""


@asynccontextmanager
async def baseline_server(redis_url: str) -> AsyncIterator[Server]:
    """Run the ceilings."""
    async with server(sys.executable, "-m", "benchmarks.baseline", redis_url, *map(str, sizes())) as bare:
        yield bare


@asynccontextmanager
async def pair() -> AsyncIterator[Pair]:
    """Run both servers, warmed up."""

    async def warm_up(of: Server, requests: Sequence[Sequence[bytes]]) -> int:
        return len((await send_load(of.port, requests, WARM_UP_S)).seconds)

    async with redis() as redis_url, service(redis_url) as ours:
        requests = await prepare(ours.port, 1)
        await asyncio.sleep(SETTLING_TIME_S)
        received = await measure_traffic(redis_url, partial(warm_up, ours, requests))
        async with baseline_server(redis_url) as bare:
            bare_told = await measure_traffic(redis_url, partial(warm_up, bare, baseline_posts(-1)))
            yield Pair(ours, bare, (received, bare_told))


async def action(run: Run) -> None:
    """Measure actions a second, their processor time, and what both say to Redis."""
    run.report("action: starting the service and its ceiling")
    async with pair() as both:
        ours, bare = await run.measure_in_turn(
            "action", partial(measure_service, run, both.ours), partial(_measure_baseline, run, both.bare)
        )
    title = f"actions, {CONCURRENT} games at once"
    note = "rules, patch, token, If-Match and idempotency key in each"
    rates, ceilings = [one.per_second for one in ours], [one.per_second for one in bare]
    run.figures.append(
        Figure(
            *("action.rate", GROUP, title, "actions/s", rates),
            ceiling=ceilings,
            ceiling_title=CEILING,
            target="0.5 of the ceiling",
            note=note,
        )
    )
    spent, least = [one.cpu_us for one in ours], [one.cpu_us for one in bare]
    run.figures.append(
        Figure("action.cpu", GROUP, "processor time of one action", "µs", spent, better="less", ceiling=least)
    )
    for percent in (50, 99):
        own, ceilings = ([percentile(one.seconds, percent) * 1e3 for one in measured] for measured in (ours, bare))
        title = f"one action under that load, p{percent}"
        run.figures.append(Figure(f"action.p{percent}", GROUP, title, "ms", own, better="less", ceiling=ceilings))
    busy = [median(one.busy for one in measured) for measured in (ours, bare)]
    run.notes += [
        f"one action says to Redis: {both.traffic[0]}",
        f"its ceiling says: {both.traffic[1]}",
        f"under that load the service used {busy[0]:.0%} of its core and the ceiling {busy[1]:.0%}",
    ]


async def measure_service(run: Run, service: Server, _: int) -> Measured:
    """Measure a round of the service, with games of its own."""
    return await _measure(service, await prepare(service.port), run.seconds(DURATION_S))


async def _measure_baseline(run: Run, baseline: Server, number: int) -> Measured:
    return await _measure(baseline, baseline_posts(number), run.seconds(DURATION_S))


async def _measure(server: Server, requests: Sequence[Sequence[bytes]], seconds: float) -> Measured:
    before = server.cpu_s()
    received = await send_load(server.port, requests, seconds)
    spent, number = server.cpu_s() - before, len(received.seconds)
    return Measured(received.per_second, received.seconds, spent / number * 1e6, spent * received.per_second / number)


async def latency(run: Run) -> None:
    """Measure from POST to the second client, at half of what a round before could do."""
    async with redis() as redis_url, service(redis_url) as ours:
        await measure_service(run, ours, 0)
        rate = TARGET_RATIO * (await measure_service(run, ours, 1)).per_second
        length = run.seconds(LATENCY_DURATION_S)
        shortest = min(len(game.moves) for game in samples())
        games = math.ceil(rate * length / CONCURRENT / shortest)

        async def paced(_: int) -> list[float]:
            matches = await service_matches(ours.port, CONCURRENT, games, by_post=True)
            await asyncio.sleep(SETTLING_TIME_S)
            try:
                return (await play(matches, length, rate)).seconds
            finally:
                for match in matches:
                    match.close()

        (rounds,) = await run.measure_in_turn("latency", paced)
    note = f"at {rate:,.0f} actions/s, half of what it did before, to the WebSocket of the other client of each game"
    for percent, target in ((50, ""), (99, "under 10 ms")):
        title = f"POST to the second client's diff, p{percent}"
        times = [percentile(seconds, percent) * 1e3 for seconds in rounds]
        name = f"action.to-second-client.p{percent}"
        run.figures.append(Figure(name, GROUP, title, "ms", times, better="less", target=target, note=note))
        note = ""
