"""What the service costs Redis: the memory of one game, and the traffic and processor time of one action."""

import asyncio
from collections.abc import Sequence
from functools import partial
from itertools import cycle, islice

from redis.asyncio import Redis

from benchmarks.action import SETTLING_TIME_S
from benchmarks.load_client import send_load
from benchmarks.processes import redis, service
from benchmarks.request_corpus import create, posts, prepare
from benchmarks.results import Figure
from benchmarks.run import Run
from benchmarks.sample_games import SampleGame, samples
from benchmarks.traffic import Traffic, measure_traffic
from service.store import keys

GROUP = "Redis"
ACTIONS = 145
GAMES_TIMEOUT_S = 60.0
"""Enough for whole games: an action costs more the later it is in one."""
KILOBYTE = 1_000

MEMORY_TITLES = (
    ("mid-game", "keys of a game in mid-game", "under 15 KB"),
    ("finished", "the same, finished", "under 27 KB"),
    ("day-old", "the same without idempotency records, its log not yet compacted", "under 22 KB"),
    ("archived", "the same with its log in an archive", ""),
)
"""The name, title and target of each of the sizes that `_stored_bytes` returns."""


async def stored(run: Run) -> None:
    """Measure the memory of a game of about 145 actions, and what one action sends to Redis and costs it."""
    length = sorted(samples(), key=lambda game: abs(len(game.moves) - ACTIONS))
    played = [*islice(cycle(length[: run.rounds]), run.rounds)]
    async with redis() as redis_url, service(redis_url) as server:
        (sizes,) = await run.measure_in_turn("memory", partial(_stored_bytes, redis_url, server.port, played))
        (traffic,) = await run.measure_in_turn("traffic", partial(_traffic, run, redis_url, server.port))
    actions = f"about {ACTIONS} actions with an idempotency key each, whose records expire in a day"
    note = f"MEMORY USAGE of all its keys; two people, {actions}"
    for (name, title, target), values in zip(MEMORY_TITLES, zip(*sizes, strict=True), strict=True):
        kilobytes = [value / KILOBYTE for value in values]
        run.figures.append(
            Figure(f"stored.{name}", GROUP, title, "KB", kilobytes, better="less", target=target, note=note)
        )
        note = ""
    sent, cpu_us = [one.read_bytes for one in traffic], [one.redis_us for one in traffic]
    note = "as Redis counts it, in whole games"
    for name, title, unit, rounds, target in (
        ("bytes", "sent to Redis for an action", "bytes", sent, "under 1,497 bytes"),
        ("cpu", "processor time of Redis for an action", "µs", cpu_us, "under 20 µs"),
    ):
        run.figures.append(
            Figure(f"stored.action.{name}", GROUP, title, unit, rounds, better="less", target=target, note=note)
        )
        note = ""


async def _stored_bytes(redis_url: str, port: int, played: Sequence[SampleGame], number: int) -> tuple[int, ...]:
    """Play a game, and return the bytes of its keys, as MEMORY_TITLES says."""
    sample = played[number]
    [game] = await create(port, [sample.seed])
    requests = [*posts(game, sample.moves)]
    sizes = []
    async with Redis.from_url(redis_url) as connection:

        async def measure() -> None:
            names = [name async for name in connection.scan_iter(f"{keys.PREFIX}{{{game.id}}}:*", count=1_000)]
            sizes.append(sum([await connection.memory_usage(name, samples=0) or 0 for name in names]))

        for half in (requests[: len(requests) // 2], requests[len(requests) // 2 :]):
            await send_load(port, [half], GAMES_TIMEOUT_S)
            await measure()
        for key in (keys.idempotency_records(game.id), keys.log(game.id)):
            await connection.delete(key)
            await measure()
    return tuple(sizes)


async def _traffic(run: Run, redis_url: str, port: int, _: int) -> Traffic:
    """Return the traffic of actions in new games, which are all created before."""
    requests = await prepare(port, 1)
    requests = requests[: run.number(len(requests))]
    await asyncio.sleep(SETTLING_TIME_S)

    async def act() -> int:
        return len((await send_load(port, requests, GAMES_TIMEOUT_S)).seconds)

    return await measure_traffic(redis_url, act)
