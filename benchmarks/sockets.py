"""What a WebSocket costs that watches a game and hears nothing."""

import asyncio

from benchmarks.action import service
from benchmarks.asked import create
from benchmarks.processes import redis
from benchmarks.results import Figure, series
from benchmarks.run import Run
from benchmarks.watchers import TooFewFiles, Watchers, allow_sockets

GROUP = "Memory"
FEW, MANY = 1_000, 10_000
MOST_ROUNDS = 3
"""Memory hardly differs from round to round, and each takes a fresh service."""
SETTLE_S = 0.5
REACH_KB = 15.0


async def sockets(run: Run) -> tuple[list[Figure], list[str]]:
    """KB per socket, with a thousand open and with ten thousand."""
    most, notes = MANY, []
    try:
        allow_sockets(MANY)
    except TooFewFiles as reason:
        most = FEW
        notes.append(f"idle sockets: {reason}")
        allow_sockets(FEW)
    rounds = []
    for number in range(1 if run.quick else min(run.rounds, MOST_ROUNDS)):
        run.tell(f"sockets: round {number + 1}")
        run.noise.sample()
        rounds.append(await _round(most))
    figures = [_figure(FEW, [few for few, _ in rounds])]
    if most > FEW:
        figures.append(_figure(most, [many for _, many in rounds]))
    return figures, notes


async def _round(most: int) -> tuple[float, float]:
    """KB per socket of the first thousand, and of all, in a service that has done nothing before."""
    async with redis() as redis_url, service(redis_url) as ours:
        path = f"/v1/games/{(await create(ours, 'idle')).id}/ws"
        async with Watchers(ours.port, path, 1):
            before = ours.rss_bytes()
            async with Watchers(ours.port, path, FEW):
                await asyncio.sleep(SETTLE_S)
                few = (ours.rss_bytes() - before) / FEW / 1024
                if most == FEW:
                    return few, few
                async with Watchers(ours.port, path, most - FEW):
                    await asyncio.sleep(SETTLE_S)
                    return few, (ours.rss_bytes() - before) / most / 1024


def _figure(number: int, rounds: list[float]) -> Figure:
    return Figure(
        name=f"sockets.{number}",
        group=GROUP,
        title=f"an idle socket, {number:,} open",
        unit="KB",
        better="less",
        measured=series(rounds),
        reach=REACH_KB,
        note="the service's own memory, without the kernel's" if number == FEW else "",
    )
