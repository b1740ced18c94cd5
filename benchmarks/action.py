"""One action over HTTP with everything on: how many a second and how long each takes, beside the bare ceiling."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from statistics import median
from typing import NamedTuple

from benchmarks.asked import CONCURRENT, Sample, bare_actions, prepare, sample
from benchmarks.load import load
from benchmarks.processes import SERVER_CORE, Server, redis, server
from benchmarks.results import Figure, percentile, processor_time, ratios, series
from benchmarks.run import Run
from benchmarks.traffic import Traffic, traffic

GROUP = "One action"
SECONDS = 3.0
CEILING = "aiohttp with the same Redis traffic and no game"
WARM_UP_S = 3.0
"""At most: one game on each connection, from its first action to its last, so that the mean is that of a game."""
REACH_RATIO = 0.7


class Measured(NamedTuple):
    """One round of the service or of its ceiling."""

    per_second: float
    seconds: list[float]
    """Of each action, from sending to the whole answer."""
    cpu_us: float
    """The server's processor time for one action."""
    busy: float
    """The share of the round that the server's core was busy."""


class Pair(NamedTuple):
    """The service and its ceiling on one Redis."""

    redis_url: str
    ours: Server
    bare: Server
    sample: Sample
    traffic: tuple[Traffic, Traffic]
    """Of the service and of the ceiling."""


async def action(run: Run) -> tuple[list[Figure], list[str]]:
    """The figures, and what the two said to Redis."""
    async with pair(run) as both:
        ours, bare = await run.in_turn(
            "action",
            lambda _: measure_ours(run, both),
            lambda number: _measure(both.bare, bare_actions(both.sample.games, number), run.seconds(SECONDS)),
        )
    busy = [median(one.busy for one in measured) for measured in (ours, bare)]
    run.noise.expect_busy("the ceiling of one action", [one.busy for one in bare])
    notes = [f"one action says to Redis: {both.traffic[0].line()}", f"its ceiling says: {both.traffic[1].line()}"]
    notes.append(f"under that load the service used {busy[0]:.0%} of its core and the ceiling {busy[1]:.0%}")
    return _figures(ours, bare), notes


@asynccontextmanager
async def pair(run: Run) -> AsyncIterator[Pair]:
    """Both servers, warmed up."""
    run.tell("action: starting the service and its ceiling")
    one = sample()
    async with redis() as redis_url, service(redis_url) as ours:
        told = await traffic(redis_url, lambda: _warm_up(ours, one))
        async with bare_server(redis_url, one) as bare:
            bare_told = await traffic(redis_url, lambda: _warm_up_bare(bare, one))
            yield Pair(redis_url, ours, bare, one, (told, bare_told))


ONE_ADDRESS = (
    *("--rate-reads", "1000000/10", "--rate-writes", "1000000/10", "--rate-creations", "1000000/10"),
    *("--rate-streams", "1000000/10", "--rate-messages", "1000000/10", "--rate-pictures", "1000000/10"),
    *("--rate-requests", "1000000/10", "--rate-keys", "1000000/10", "--rate-bots", "1000000/10"),
    *("--max-connections-per-address", "50000", "--max-streams-per-address", "50000"),
)
"""Clients are limited as ever, but this one is a whole crowd."""


@asynccontextmanager
async def service(redis_url: str, *flags: str, on: Iterable[int] = (SERVER_CORE,)) -> AsyncIterator[Server]:
    """The service as `south-seas serve` runs it, on the servers' core."""
    always = ("--port", "0", "--redis-url", redis_url, "--log-level", "error")
    async with server("-m", "service.main", "serve", *always, *ONE_ADDRESS, *flags, on=on) as ours:
        yield ours


@asynccontextmanager
async def bare_server(redis_url: str, one: Sample) -> AsyncIterator[Server]:
    """The ceilings."""
    async with server("-m", "benchmarks.bare", redis_url, *map(str, one.sizes)) as bare:
        yield bare


async def measure_ours(run: Run, both: Pair) -> Measured:
    """One round of the service, with games of its own."""
    return await _measure(both.ours, await prepare(both.ours, both.sample.games), run.seconds(SECONDS))


async def _measure(of: Server, requests: Sequence[Sequence[bytes]], seconds: float) -> Measured:
    before = of.cpu_s()
    told = await load(of.port, requests, seconds)
    if told.refused:
        raise RuntimeError(f"{told.refused} of {len(told.seconds)} actions were refused")
    spent = of.cpu_s() - before
    took = len(told.seconds) / told.per_second
    return Measured(told.per_second, told.seconds, spent / len(told.seconds) * 1e6, spent / took)


async def _warm_up(ours: Server, one: Sample) -> int:
    requests = await prepare(ours, one.games, 1)
    await asyncio.sleep(1.1)  # what follows a game's making is over
    return len((await load(ours.port, requests, WARM_UP_S)).seconds)


async def _warm_up_bare(bare: Server, one: Sample) -> int:
    return len((await load(bare.port, bare_actions(one.games, -1), WARM_UP_S)).seconds)


def _figures(ours: Sequence[Measured], bare: Sequence[Measured]) -> list[Figure]:
    rates, ceilings = [one.per_second for one in ours], [one.per_second for one in bare]
    spent, least = [one.cpu_us for one in ours], [one.cpu_us for one in bare]
    rate = Figure(
        name="action.rate",
        group=GROUP,
        title=f"actions, {CONCURRENT} games at once",
        unit="actions/s",
        measured=series(rates),
        ceiling=series(ceilings),
        ceiling_title=CEILING,
        ratio=ratios(rates, ceilings),
        reach_ratio=REACH_RATIO,
        note="rules, patch, token, If-Match and idempotency key in each",
    )
    cost = processor_time(rate, "processor time of one action", spent, least)
    return [rate, cost, *(_time(ours, bare, percent) for percent in (50, 99))]


def _time(ours: Sequence[Measured], bare: Sequence[Measured], percent: int) -> Figure:
    """How long an action takes under the whole load, of which the most is waiting for the others."""
    measured, ceiling = (series([percentile(one.seconds, percent) * 1e3 for one in rounds]) for rounds in (ours, bare))
    return Figure(
        name=f"action.p{percent}",
        group=GROUP,
        title=f"one action under that load, p{percent}",
        unit="ms",
        better="less",
        measured=measured,
        ceiling=ceiling,
        ceiling_title=CEILING,
    )
