"""One game with many sockets: the rate of delivered diffs, beside a loop that only writes."""

from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import NamedTuple

from benchmarks.action import baseline_server
from benchmarks.load_client import post_request, send_load
from benchmarks.processes import Server, redis, service
from benchmarks.request_corpus import create, posts
from benchmarks.results import Figure
from benchmarks.run import Run
from benchmarks.sample_games import samples
from benchmarks.watcher_clients import watch_game

GROUP = "Fan-out"
TIMEOUT_S = 60.0
CEILING = (
    "a loop that writes the same bytes, one write for each diff and socket (the service may write two diffs at once)"
)


class Audience(NamedTuple):
    """The sockets that watch, and how many diffs they get in a round."""

    name: str
    title: str
    sockets: int
    diffs: int
    compressed: bool = False
    target: str = "0.9 of the ceiling"


AUDIENCES = (
    Audience("fan-out.1000", "diffs to 1,000 sockets", 1_000, 140),
    Audience("fan-out.5000", "diffs to 5,000 sockets", 5_000, 40),
    Audience("fan-out.deflate", "compressed diffs to 1,000 sockets", 1_000, 140, compressed=True, target=""),
)


class FanOutRound(NamedTuple):
    """One round of the service or of its ceiling."""

    per_second: float
    message_bytes: float
    cpu_us: float
    """The server's processor time for one delivery."""
    utilization: float
    """The share of the round in which the server's core was busy."""


async def fan_out(run: Run) -> None:
    """Measure deliveries a second to each audience."""
    async with redis() as redis_url, service(redis_url) as service_server, baseline_server(redis_url) as baseline:
        for audience in AUDIENCES:
            measurements = (
                partial(_measure_service, run, audience, service_server),
                partial(_measure_baseline, run, audience, baseline),
            )
            _add_figures(run, audience, *await run.measure_in_turn(audience.name, *measurements))


async def _measure_service(run: Run, audience: Audience, service: Server, number: int) -> FanOutRound:
    played = samples()[number % len(samples())]
    [game] = await create(service.port, [played.seed])
    requests = [*posts(game, played.moves[: run.number(audience.diffs)])]
    return await _deliver(service, f"/v1/games/{game.id}/ws", audience, [requests])


async def _measure_baseline(run: Run, audience: Audience, baseline: Server, number: int) -> FanOutRound:
    """Measure a round of the loop, over two connections, so that the next diff arrives while one is written."""
    played = samples()[number % len(samples())]
    diff_sizes = played.deflated if audience.compressed else played.diffs
    requests = [post_request(f"/fan-out/{size}", b"{}") for size in diff_sizes[: run.number(audience.diffs)]]
    return await _deliver(baseline, "/watch", audience, [requests[::2], requests[1::2]])


async def _deliver(server: Server, path: str, audience: Audience, requests: list[list[bytes]]) -> FanOutRound:
    """Measure from the first request until every socket has all diffs; `requests` has those of each connection."""
    diffs = sum(map(len, requests))
    async with watch_game(server.port, path, audience.sockets, compressed=audience.compressed) as watchers:
        before = server.cpu_s()
        rate = await watchers.measure(diffs, partial(send_load, server.port, requests, TIMEOUT_S))
        cpu_s = server.cpu_s() - before
    deliveries = diffs * audience.sockets
    return FanOutRound(rate, watchers.received_bytes / deliveries, cpu_s / deliveries * 1e6, cpu_s * rate / deliveries)


def _add_figures(
    run: Run, audience: Audience, service_rounds: Sequence[FanOutRound], baseline_rounds: Sequence[FanOutRound]
) -> None:
    both = (service_rounds, baseline_rounds)
    rates, ceilings = ([one.per_second for one in rounds] for rounds in both)
    cpu_us, ceiling_cpu_us = ([one.cpu_us for one in rounds] for rounds in both)
    rate = Figure(
        *(audience.name, GROUP, audience.title, "deliveries/s", rates),
        ceiling=ceilings,
        ceiling_title=CEILING,
        target=audience.target,
    )
    title = "processor time of each"
    cpu = Figure(f"{audience.name}.cpu", GROUP, title, "µs", cpu_us, better="less", ceiling=ceiling_cpu_us)
    run.figures += [rate, cpu]
    message_bytes = [median(one.message_bytes for one in rounds) for rounds in both]
    utilization = [median(one.utilization for one in rounds) for rounds in both]
    run.notes.append(
        f"{audience.title}: {message_bytes[0]:,.0f} bytes each, {message_bytes[1]:,.0f} in the loop; "
        f"of its core the service used {utilization[0]:.0%}, the loop {utilization[1]:.0%}"
    )
